"""What our own processes say of themselves: one line for an event worth reading, as JSON or for a terminal.

Silent until `configure` is called, and apart from the logging of whoever embeds us: neither structlog's configuration
nor Python's root logger is touched. Lines are bounded in length and in number, and values under names such as `token`
never appear. What agents wrote, and which files they work on, is not for logs: do not pass it.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

MAX_TEXT: Final = 500
MAX_FACTS: Final = 24
MAX_LINES_A_SECOND: Final = 20
"""Lines of one event and domain; the next that is written says how many were left out before it."""
LEVELS: Final = ("debug", "info", "warning", "error", "off")
FORMS: Final = ("json", "console")
_SECRET: Final = ("token", "password", "secret", "authorization", "cookie", "credential", "private_key", "ledger_key")
_HIDDEN: Final = "(hidden)"
_PLAIN: Final = (bool, int, float, type(None))
_NUMBERS: Final = {level: (number + 1) * 10 for number, level in enumerate(LEVELS)}


@dataclass(frozen=True, slots=True)
class LogConfig:
    """From which level on a process writes, in which form; `levels` says otherwise for single domains."""

    level: str = "off"
    form: str = "json"
    levels: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = {self.level, *self.levels.values()}.difference(LEVELS)
        if unknown or self.form not in FORMS:
            raise ValueError(
                f"levels are {', '.join(LEVELS)}, forms {', '.join(FORMS)}: {sorted(unknown) or self.form}"
            )

    def writes(self, domain: str, level: str) -> bool:
        """Whether a line of this level is written."""
        return _NUMBERS[level] >= _NUMBERS[self.levels.get(domain, self.level)] and level != "off"


class _Desk:
    """Where this process writes, and as what; one for all logs, so that `configure` may come after they were made."""

    def __init__(self) -> None:
        self.config = LogConfig()
        self.write: Any = None

    def open(self, config: LogConfig, stream: TextIO | None) -> None:
        self.config = config
        self.write = None if not _is_ever_written(config) else _writer(config, stream)


def _is_ever_written(config: LogConfig) -> bool:
    return any(level != "off" for level in (config.level, *config.levels.values()))


def _writer(config: LogConfig, stream: TextIO | None) -> Any:
    import structlog  # not needed by whoever only has settings, or writes nothing

    target = stream or sys.stderr
    renderer: Any = structlog.processors.JSONRenderer(default=str, ensure_ascii=False)
    if config.form == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=target.isatty(), pad_event_to=24)
    return structlog.wrap_logger(
        structlog.WriteLogger(target),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            harmless,
            renderer,
        ],
        wrapper_class=structlog.BoundLogger,
        context_class=dict,
    )


_DESK: Final = _Desk()


def configure(config: LogConfig, stream: TextIO | None = None) -> None:
    """Let this process write, to standard error unless a stream is given. May be called again."""
    _DESK.open(config, stream)


def harmless(_logger: Any, _method: str, facts: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The facts of a line, bounded, without secrets, and on one line."""
    kept = list(facts.items())[:MAX_FACTS]
    return {name: _HIDDEN if _is_secret(name) else _bounded(value) for name, value in kept}


def _is_secret(name: str) -> bool:
    return any(word in name.lower() for word in _SECRET)


def _bounded(value: Any) -> Any:
    if isinstance(value, _PLAIN):
        return value
    text = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in str(value)[: MAX_TEXT + 1])
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."


class Log:
    """The log of one domain, such as `scent_field` or `gateway`. `monotonic` is read for lines that are written."""

    def __init__(self, domain: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.domain = domain
        self._monotonic = monotonic
        self._written: dict[str, tuple[int, int]] = {}
        self._left_out: dict[str, int] = {}

    def debug(self, event: str, **facts: Any) -> None:
        """For whoever looks for a fault."""
        self._say("debug", event, facts)

    def info(self, event: str, **facts: Any) -> None:
        """Something that an operator would want to know afterwards."""
        self._say("info", event, facts)

    def warning(self, event: str, **facts: Any) -> None:
        """Something that will go on by itself, and should not happen often."""
        self._say("warning", event, facts)

    def error(self, event: str, **facts: Any) -> None:
        """Something that somebody has to look at."""
        self._say("error", event, facts)

    def _say(self, level: str, event: str, facts: dict[str, Any], kind: str = "") -> None:
        write = _DESK.write
        if write is None or not _DESK.config.writes(self.domain, level):
            return
        n_left_out = self._admit(kind or event)
        if n_left_out is None:
            return
        more = {"n_left_out": n_left_out} if n_left_out else {}
        try:
            getattr(write, level)(_bounded(event), domain=self.domain, **more, **facts)
        except (OSError, ValueError):  # nobody reads any more, or the stream is closed: work goes on
            return

    def _admit(self, event: str) -> int | None:
        """How many lines of this event were left out before this one; None if this one is one more."""
        second = int(self._monotonic())
        begun, n_lines = self._written.get(event, (second, 0))
        if begun == second and n_lines >= MAX_LINES_A_SECOND:
            self._left_out[event] = self._left_out.get(event, 0) + 1
            return None
        self._written[event] = (second, n_lines + 1 if begun == second else 1)
        return self._left_out.pop(event, 0)


class _Bridge(logging.Handler):
    """Takes what our modules say through Python's own logging, in a process that is ours."""

    def __init__(self, domain: str) -> None:
        super().__init__()
        self._log = Log(domain)

    def emit(self, record: logging.LogRecord) -> None:
        """Write it as a line of the domain; an exception is named with the place that raised it."""
        level = "debug" if record.levelno < logging.INFO else record.levelname.lower()
        facts = {} if record.exc_info is None else _told_of(record.exc_info[1])
        self._log._say(level if level in LEVELS else "error", record.getMessage(), facts, str(record.msg))


def _told_of(error: BaseException | None) -> dict[str, str]:
    """Which exception it was and who raised it; its message may hold what nobody should read in a log."""
    if error is None:
        return {}
    told = {"error": type(error).__name__}
    for frame in traceback.extract_tb(error.__traceback__)[-1:]:
        told["where"] = f"{frame.name}, line {frame.lineno}"
    return told


def take_over(domain: str, names: Sequence[str] = ("actors", "coordinator", "scentfield")) -> None:
    """From now on what loggers of these names say is written as the domain's. For processes that are ours alone."""
    for name in names:
        logger = logging.getLogger(name)
        logger.handlers = [one for one in logger.handlers if not isinstance(one, _Bridge)]
        logger.addHandler(_Bridge(domain))
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
