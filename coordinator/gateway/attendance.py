"""Which MCP sessions are still there. Pure: `now_s` are monotonic seconds.

A session is there while one of its requests or streams is open: an agent that thinks for an hour over an open stream is
alive. One whose last stream was closed has gone, unless it opens another or asks something within a moment. One that
has no stream, or goes on without, is there for a longer while after its last sign.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Present:
    last_s: float
    n_open: int = 0
    n_streams: int = 0
    lost_stream: bool = False


class Attendance:
    """Keeps when each session was last heard of, and what it has open."""

    def __init__(self, *, silent_s: float, gone_s: float) -> None:
        self._silent_s = silent_s
        self._gone_s = gone_s
        self._present: dict[str, _Present] = {}

    def __len__(self) -> int:
        return len(self._present)

    def __contains__(self, session: str) -> bool:
        return session in self._present

    def began(self, session: str, now_s: float) -> None:
        """A session has begun."""
        self._present[session] = _Present(now_s)

    def opened(self, session: str, now_s: float, *, is_stream: bool) -> None:
        """A request or a stream of a session has begun; one of a session that is not there counts for nothing."""
        if (one := self._present.get(session)) is not None:
            one.n_open += 1
            one.n_streams += is_stream
            one.last_s = now_s
            one.lost_stream = False  # whoever asks is there, with a stream or without

    def closed(self, session: str, now_s: float, *, is_stream: bool) -> None:
        """What `opened` told of is over."""
        if (one := self._present.get(session)) is not None:
            one.n_open -= 1
            one.n_streams -= is_stream
            one.last_s = now_s
            one.lost_stream |= is_stream and one.n_streams <= 0

    def ended(self, session: str) -> None:
        """A session is over; once is enough, and twice does no harm."""
        self._present.pop(session, None)

    def absent(self, now_s: float) -> list[str]:
        """The sessions that nothing has been heard of for too long, the oldest first."""
        return [name for name, one in self._present.items() if one.n_open <= 0 and now_s >= self._until_s(one)]

    def _until_s(self, one: _Present) -> float:
        return one.last_s + (self._gone_s if one.lost_stream else self._silent_s)
