"""Where a model is on its way to answering, and why it is no further: pure, told by whoever does the work.

off -> loading -> ready
        |  ^
        v  |
    downloading        loading, downloading -> failed, off;  failed, off -> loading
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from actors.runtime.errors import InvariantBroken

FIRST_RETRY_S: Final = 5.0
LAST_RETRY_S: Final = 600.0


class State(StrEnum):
    """How far a model is."""

    OFF = "off"
    LOADING = "loading"
    DOWNLOADING = "downloading"
    READY = "ready"
    FAILED = "failed"


_NEXT: Final = {
    State.OFF: {State.LOADING},
    State.LOADING: {State.DOWNLOADING, State.READY, State.FAILED, State.OFF},
    State.DOWNLOADING: {State.DOWNLOADING, State.LOADING, State.FAILED, State.OFF},
    State.READY: set[State](),
    State.FAILED: {State.LOADING},
}


class Status(NamedTuple):
    """What anybody may see at any time. `reason` is empty only when it is ready.

    `model_id` and `n_dims` are known from ready on; `n_bytes` of `n_total_bytes` (0: not known) while it downloads.
    """

    state: State
    model: str
    reason: str
    model_id: str = ""
    n_dims: int = 0
    n_bytes: int = 0
    n_total_bytes: int = 0

    @property
    def is_ready(self) -> bool:
        """Whether vectors can be had now."""
        return self.state is State.READY


class Lifecycle:
    """One model's status. Raises `InvariantBroken` for a step that the table does not have."""

    def __init__(self, model: str, reason: str) -> None:
        self.status = Status(State.OFF, model, reason)
        self._n_failures = 0
        self._retry_at_s: float | None = 0.0

    def begin(self) -> None:
        """Somebody looks for the model's files."""
        self._move(Status(State.LOADING, self.status.model, "its files are looked for and checked"))

    def download(self, n_bytes: int, n_total_bytes: int) -> None:
        """So much of a file has arrived."""
        share = f" of {n_total_bytes / 1e6:.1f}" if n_total_bytes else ""
        reason = f"{n_bytes / 1e6:.1f}{share} MB have arrived"
        self._move(Status(State.DOWNLOADING, self.status.model, reason, n_bytes=n_bytes, n_total_bytes=n_total_bytes))

    def load(self) -> None:
        """The files are there; the engine warms up."""
        self._move(Status(State.LOADING, self.status.model, "the engine warms up"))

    def succeed(self, model_id: str, n_dims: int) -> None:
        """It answers from now on."""
        self._n_failures = 0
        self._move(Status(State.READY, self.status.model, "", model_id, n_dims))

    def switch_off(self, reason: str) -> None:
        """It is not wanted; only an explicit `warm` tries again."""
        self._retry_at_s = None
        self._move(Status(State.OFF, self.status.model, reason))

    def fail(self, reason: str, *, now_s: float, is_final: bool) -> None:
        """It did not work. What is not final may be tried again after a pause that doubles, up to ten minutes."""
        pause_s = min(LAST_RETRY_S, FIRST_RETRY_S * 2.0**self._n_failures)
        self._n_failures = min(self._n_failures + 1, 16)
        self._retry_at_s = None if is_final else now_s + pause_s
        self._move(Status(State.FAILED, self.status.model, reason))

    def may_begin(self, now_s: float, *, is_asked: bool = False) -> bool:
        """Whether to begin when somebody needs the model; `is_asked`: a person says so, whatever went wrong before."""
        if self.status.state not in (State.OFF, State.FAILED):
            return False
        return is_asked or (self._retry_at_s is not None and now_s >= self._retry_at_s)

    def _move(self, status: Status) -> None:
        if status.state is not self.status.state and status.state not in _NEXT[self.status.state]:
            raise InvariantBroken(f"model {status.model!r} cannot go from {self.status.state} to {status.state}")
        if status.state is self.status.state and status.state in (State.READY, State.FAILED, State.OFF):
            raise InvariantBroken(f"model {status.model!r} is {status.state} already")
        self.status = status
