"""HTTP to the gateway: one message out, its answers in; and the stream that says that somebody is there."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlsplit

from actors.runtime.errors import Misuse, Unavailable
from coordinator.relay.event_stream import events
from coordinator.relay.line_settings import LineSettings

_SILENCE_S: Final = 60.0  # a gateway that is there sends a sign of life every 15 s
_STREAM: Final = "text/event-stream"


class SessionGone(Exception):
    """The gateway does not know the session: it was started anew, or gave the session up."""


class Refused(Exception):
    """The gateway did not take the message: `error` is the JSON-RPC error to hand on."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error)
        self.error = error


class GatewayLine:
    """Carries messages of one MCP session; each call has a connection of its own, so calls may come from many threads.

    `session` and `revision` are set by whoever begins the session.
    """

    def __init__(self, settings: LineSettings) -> None:
        parts = urlsplit(settings.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Misuse(f"{settings.url[:200]!r} is no address of a gateway: write http://host:port")
        self._is_secure = parts.scheme == "https"
        self._place = parts.netloc
        self._path = f"{parts.path}/mcp"
        self._url = settings.url
        self._headers = {
            "Content-Type": "application/json",
            "Accept": f"application/json, {_STREAM}",
            "Scentfield-Root": quote(str(settings.root)),
        }
        if settings.seat:
            self._headers["Scentfield-Seat"] = settings.seat
        if settings.agent:
            self._headers["Scentfield-Agent"] = quote(settings.agent)
        if settings.token:
            self._headers["Authorization"] = f"Bearer {settings.token}"
        self.session = ""
        self.revision = ""

    def exchange(self, message: dict[str, Any]) -> Iterator[str]:
        """Send one message; gives all that is answered, as lines of JSON.

        Raises `Unavailable` if the gateway cannot be reached, `SessionGone`, or `Refused`.
        """
        connection = self._connection()
        try:
            answer = self._ask(connection, "POST", json.dumps(message).encode())
            if answer.status == 404 and self.session:
                raise SessionGone
            if answer.status >= 400:
                raise Refused(_error(answer.status, answer.read()))
            if "initialize" in str(message.get("method")) and (session := answer.getheader("mcp-session-id")):
                self.session = session
            yield from _lines(answer)
        except (OSError, http.client.HTTPException) as error:
            raise self._unavailable(error) from error
        finally:
            connection.close()

    def listen(self) -> Iterator[str]:
        """What the gateway says by itself, while the stream is open. Raises as `exchange` does."""
        connection = self._connection()
        try:
            answer = self._ask(connection, "GET", None)
            if answer.status == 404:
                raise SessionGone
            if answer.status == 200:
                yield from _lines(answer)
        except (OSError, http.client.HTTPException) as error:
            raise self._unavailable(error) from error
        finally:
            connection.close()

    def leave(self) -> None:
        """The client has gone: the session ends. What fails here, the gateway finds out by itself."""
        if not self.session:
            return
        connection = self._connection()
        try:
            self._ask(connection, "DELETE", None).read()
        except (OSError, http.client.HTTPException):
            return
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        return kind(self._place, timeout=_SILENCE_S)

    def _ask(self, connection: http.client.HTTPConnection, method: str, body: bytes | None) -> http.client.HTTPResponse:
        headers = dict(self._headers)
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.revision:
            headers["MCP-Protocol-Version"] = self.revision
        connection.request(method, self._path, body=body, headers=headers)
        return connection.getresponse()

    def _unavailable(self, error: Exception) -> Unavailable:
        return Unavailable(
            f"the gateway at {self._url} does not answer ({type(error).__name__}): this is no permission. "
            "Start it with `scentfield up`"
        )


def _lines(answer: http.client.HTTPResponse) -> Iterator[str]:
    if (answer.getheader("content-type") or "").startswith(_STREAM):
        yield from events(answer)
    elif body := answer.read().strip():
        yield body.decode("utf-8", "replace")


def _error(status: int, body: bytes) -> dict[str, Any]:
    """The error that a refusal carries, or one that is made of it."""
    try:
        told = json.loads(body)["error"]
    except (KeyError, TypeError, ValueError):
        told = f"the gateway answered {status}"
    return told if isinstance(told, dict) else {"code": -32000, "message": str(told)}
