"""The guard's settings as a program reads them that cannot wait for the settings themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.relay.line_settings import Finder

STRICTNESSES: Final = ("space", "observe", "warn", "deny")
WHEN_UNAVAILABLE: Final = ("warn", "refuse")
DEFAULT_TIMEOUT_S: Final = 2.0
MAX_TIMEOUT_S: Final = 60.0
_TRUE: Final = frozenset(("1", "true", "yes", "on", "t", "y"))


@dataclass(frozen=True, slots=True)
class GuardRule:
    """`strictness` is empty where the space decides; `is_disabled` switches everything off."""

    strictness: str
    refuses_unasked: bool
    timeout_s: float
    is_disabled: bool


def find_rule(found: Finder) -> GuardRule:
    """What is set. Raises `Misuse` for what cannot be."""
    strictness = _one_of("strictness", found.value_in("guard", "strictness"), STRICTNESSES)
    unasked = _one_of("when_unavailable", found.value_in("guard", "when_unavailable"), WHEN_UNAVAILABLE)
    return GuardRule(
        "" if strictness == "space" else strictness,
        unasked == "refuse",
        _seconds(found.value_in("guard", "timeout_s")),
        found.value("disabled").lower() in _TRUE,
    )


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> str:
    """The value, or the first that is allowed where there is none."""
    if value and value not in allowed:
        raise Misuse(f"{name} = {value[:40]!r} under [guard] is not one of {', '.join(allowed)}: correct it")
    return value or allowed[0]


def _seconds(value: str) -> float:
    try:
        timeout_s = float(value or DEFAULT_TIMEOUT_S)
    except ValueError:
        timeout_s = 0.0
    if not 0.0 < timeout_s <= MAX_TIMEOUT_S:
        raise Misuse(
            f"timeout_s = {value[:40]!r} under [guard] is not above 0 and at most {MAX_TIMEOUT_S:g}: correct it"
        )
    return timeout_s
