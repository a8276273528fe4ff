"""An MCP client's lines to the gateway and back; the client's session lives as long as this process.

Requests run side by side, each in a thread; the handshake and notifications go out in the order in which they come.
When the gateway was started anew, the session is begun anew too, and the call that found out is answered by an error:
what the agent held is gone, and it has to know.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, BinaryIO, Final

from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.relay.gateway_line import GatewayLine, Refused, SessionGone

MAX_AT_ONCE: Final = 32
MAX_LINE_BYTES: Final = 4 * 2**20
_AGAIN_S: Final = 0.5  # well within the time that a gateway waits for a stream to come back
_LAST_ANSWERS_S: Final = 0.5
_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_NOT_SERVED: Final = -32000
_BEGUN_ANEW: Final = (
    "this was not done: the gateway had been started anew, or had given you up. You are a new agent now, which holds "
    "nothing: call ctx_agent action=sync, and claim again what you need"
)

Answer = Callable[[str], None]


class Relay:
    """Takes lines, and gives lines to `answer`, which may be called from any thread."""

    def __init__(self, line: GatewayLine | ScentfieldError, answer: Answer) -> None:
        self._line = line
        self._answer = answer
        self._is_over = threading.Event()
        self._beginning = threading.Lock()
        self._opening: dict[str, Any] | None = None
        self._asked: set[Future[None]] = set()
        self._workers = ThreadPoolExecutor(MAX_AT_ONCE, thread_name_prefix="relay")

    def run(self, lines: Iterable[bytes]) -> None:
        """Carry all lines over; when they end, so does the session."""
        try:
            for raw in lines:
                self._take(raw)
        finally:
            wait(self._asked, timeout=_LAST_ANSWERS_S)
            self._is_over.set()
            if isinstance(self._line, GatewayLine):
                self._line.leave()
            self._workers.shutdown(wait=False, cancel_futures=True)

    def _take(self, raw: bytes) -> None:
        if not raw.strip():
            return
        try:
            message = json.loads(raw)
        except (ValueError, RecursionError):
            self._say(None, {"code": _PARSE_ERROR, "message": f"this line is no JSON, or over {MAX_LINE_BYTES} bytes"})
            return
        if not isinstance(message, dict):
            self._say(None, {"code": _INVALID_REQUEST, "message": "send one JSON-RPC message a line, no batches"})
        elif "id" in message and "method" in message and message["method"] != "initialize":
            self._asked = {one for one in self._asked if not one.done()}
            self._asked.add(self._workers.submit(self._carry, message))
        else:
            self._carry(message)

    def _carry(self, message: dict[str, Any]) -> None:
        """Take one message to the gateway; a request gets an answer, whatever happens."""
        asked = message.get("id") if "method" in message else None
        try:
            self._carry_out(message)
        except Refused as refused:
            self._say(asked, refused.error)
        except ScentfieldError as error:
            self._say(asked, {"code": _NOT_SERVED, "message": error.message}, message)
        except Exception as error:  # whoever waits for an answer must get one
            self._say(asked, {"code": _NOT_SERVED, "message": f"the relay failed ({type(error).__name__}: {error})"})

    def _carry_out(self, message: dict[str, Any]) -> None:
        line = self._served()
        if message.get("method") == "initialize":
            self._opening = message
            self._begin(line, message, self._answer)
            return
        session = line.session
        try:
            for told in line.exchange(message):
                self._answer(told)
        except SessionGone:
            self._begin_anew(line, session)
            error = Unavailable(_BEGUN_ANEW)
            raise error from None
        if message.get("method") == "notifications/initialized":
            threading.Thread(target=self._listen, args=(line,), daemon=True).start()

    def _served(self) -> GatewayLine:
        if isinstance(self._line, ScentfieldError):
            raise self._line
        return self._line

    def _begin(self, line: GatewayLine, opening: dict[str, Any], answer: Answer) -> None:
        line.session = line.revision = ""
        for told in line.exchange(opening):
            line.revision = _revision(told) or line.revision
            answer(told)

    def _begin_anew(self, line: GatewayLine, gone: str) -> None:
        """Begin another session in place of the one that is gone; the first who finds out does it."""
        with self._beginning:
            if line.session != gone or self._opening is None:
                return
            self._begin(line, self._opening, lambda _: None)
            for _ in line.exchange({"jsonrpc": "2.0", "method": "notifications/initialized"}):
                pass

    def _listen(self, line: GatewayLine) -> None:
        """Keep a stream open: it says that the client is there, and brings what the gateway says by itself."""
        while not self._is_over.is_set():
            session = line.session
            try:
                for told in line.listen():
                    self._answer(told)
            except SessionGone:
                if line.session == session:
                    self._is_over.wait(_AGAIN_S)  # the next call begins anew, and is told so
            except ScentfieldError:
                pass
            self._is_over.wait(_AGAIN_S)

    def _say(self, asked: Any, error: dict[str, Any], message: dict[str, Any] | None = None) -> None:
        """Answer a request by an error; a tool's caller gets it as a result, which models are shown."""
        if message is not None and asked is None:
            return  # a notification has no answer
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": asked}
        if message is not None and message.get("method") == "tools/call":
            content = [{"type": "text", "text": error["message"]}]
            body["result"] = {"content": content, "isError": True}
        else:
            body["error"] = error
        self._answer(json.dumps(body))


def _revision(told: str) -> str:
    """The protocol's revision that an answer to `initialize` settles."""
    try:
        return str(json.loads(told)["result"]["protocolVersion"])
    except (KeyError, TypeError, ValueError):
        return ""


def standard_lines() -> Iterable[bytes]:
    """The lines of standard input, each at once."""
    return whole_lines(sys.stdin.buffer)


def whole_lines(stream: BinaryIO, max_bytes: int = MAX_LINE_BYTES) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long the beginning stands for all, for its rest is no line."""
    while line := stream.readline(max_bytes):
        yield line
        while len(line) == max_bytes and not line.endswith(b"\n"):
            line = stream.readline(max_bytes)


def to_standard_output() -> Answer:
    """Writes whole lines to standard output, from any thread."""
    lock = threading.Lock()

    def answer(text: str) -> None:
        with lock:
            sys.stdout.buffer.write(text.encode() + b"\n")
            sys.stdout.buffer.flush()

    return answer
