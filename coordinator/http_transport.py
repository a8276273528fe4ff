"""Requests to the state actors through a gateway: the same messages, without Ray in this process."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from actors.runtime.errors import Misuse, Unavailable
from coordinator.gateway.address_file import read_address
from coordinator.gateway.token import TOKEN_VARIABLE, read_token

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

MAX_AT_ONCE: Final = 64
"""Calls of one event loop that are under way at once; more wait for their turn."""
MAX_IDLE: Final = 8
_SLACK_S: Final = 5.0
"""The gateway gives a call up by itself, and says so; this is how much longer it is usually waited for."""


class _Gone(Exception):
    """The connection is not there any more, or never was; whether the request was taken is not known."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class _Pool:
    """Connections that nobody uses now, a few; a fork begins without any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[http.client.HTTPConnection] = []
        self._pid = os.getpid()

    def take(self) -> http.client.HTTPConnection | None:
        with self._lock:
            if os.getpid() != self._pid:
                self._idle, self._pid = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def give(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if connection.sock is not None and len(self._idle) < MAX_IDLE and os.getpid() == self._pid:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        while (connection := self.take()) is not None:
            connection.close()


class HttpTransport:
    """Finds the actors behind one gateway; safe to use from several threads, also after a fork."""

    def __init__(self, url: str, token: str, *, slack_s: float = _SLACK_S) -> None:
        self._slack_s = slack_s
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None:
            raise Misuse(f"{url[:200]!r} is no address of a gateway: write http://host:port")
        self._url = url.rstrip("/")
        self._base = parts.path.rstrip("/")
        self._place = parts.netloc
        self._is_secure = parts.scheme == "https"
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._pool = _Pool()
        weakref.finalize(self, self._pool.close)
        self._executor: ThreadPoolExecutor | None = None

    @property
    def url(self) -> str:
        """Where the gateway is."""
        return self._url

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Send a request and wait for its reply. Raises `Unavailable`, which says what to do."""
        return self._post(f"/api/v1/submit/{domain}", raw, timeout_s)

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """As `call`, in a thread."""
        return await self._in_a_thread(self.call, domain, raw, timeout_s)

    def embedding(self, raw: bytes, timeout_s: float) -> bytes:
        """Send a call to the embedding actor and wait for its answer. Raises as `call`."""
        return self._post("/api/v1/embedding", raw, timeout_s)

    async def embedding_async(self, raw: bytes, timeout_s: float) -> bytes:
        """As `embedding`, in a thread."""
        return await self._in_a_thread(self.embedding, raw, timeout_s)

    def _post(self, path: str, raw: bytes, timeout_s: float) -> bytes:
        headers = {"Content-Type": "application/octet-stream", "Scentfield-Timeout-S": repr(timeout_s)}
        return self._ask("POST", path, raw, headers, timeout_s)

    async def _in_a_thread(self, ask: Callable[..., bytes], *given: Any) -> bytes:
        import asyncio  # slow, and whoever calls this has it already

        return await asyncio.get_running_loop().run_in_executor(self._threads(), ask, *given)

    def _threads(self) -> ThreadPoolExecutor:
        """Threads of our own: calls that wait long would keep those of the loop from all else."""
        if self._executor is None:
            from concurrent.futures import ThreadPoolExecutor  # the same

            self._executor = ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="gateway")
        return self._executor

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:
        """The actor's own account of itself. Raises `Unavailable`."""
        told: dict[str, Any] = json.loads(self._ask("GET", f"/api/v1/describe/{domain}", None, {}, timeout_s))
        return told

    def tell(self, path: str, document: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a document to one of the gateway's own pages; returns the one it answers. Raises `Unavailable`."""
        raw = json.dumps(document).encode()
        told: dict[str, Any] = json.loads(self._ask("POST", path, raw, {"Content-Type": "application/json"}, timeout_s))
        return told

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str], timeout_s: float) -> bytes:
        """Ask, and once more over a new connection if a kept one has gone: a request takes effect once."""
        kept = self._pool.take()
        if kept is not None:
            with contextlib.suppress(_Gone):
                return self._ask_over(kept, method, path, body, headers, timeout_s)
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        try:
            return self._ask_over(kind(self._place), method, path, body, headers, timeout_s)
        except _Gone as gone:
            raise self._unreachable(gone.error) from gone.error

    def _ask_over(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        headers: dict[str, str],
        timeout_s: float,
    ) -> bytes:
        connection.timeout = timeout_s + self._slack_s
        if connection.sock is not None:
            connection.sock.settimeout(connection.timeout)
        try:
            connection.request(method, self._base + path, body=body, headers=self._headers | headers)
            answer = connection.getresponse()
            told = answer.read()
        except TimeoutError as error:
            connection.close()
            raise self._late(timeout_s) from error
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise _Gone(error) from error
        self._pool.give(connection)
        if answer.status == 200:
            return told
        raise self._refused(answer.status, told)

    def _late(self, timeout_s: float) -> Unavailable:
        return Unavailable(f"the gateway at {self._url} gave no answer within {timeout_s:g} s: this is no permission")

    def _unreachable(self, error: Exception) -> Unavailable:
        return Unavailable(
            f"the gateway at {self._url} cannot be reached ({type(error).__name__}): this is no permission. "
            "Start it with `scentfield up`"
        )

    def _refused(self, status: int, told: bytes) -> Unavailable:
        try:
            why = str(json.loads(told)["error"])
        except (KeyError, TypeError, ValueError):
            why = f"it answered {status}"
        return Unavailable(f"the gateway at {self._url} did not take the request: {why}")


def token_for(url: str, state_dir: Path) -> str:
    """The token that a gateway is shown: from the environment, else from the state folder if it is that folder's own.

    So a token is never sent to a server that has nothing to do with the folder it lies in.
    """
    given = os.environ.get(TOKEN_VARIABLE)
    if given:
        return given
    address = read_address(state_dir)
    return read_token(state_dir) if address is not None and address.url == url.rstrip("/") else ""
