"""One fact: what an agent wants to be told again, by whom, when and where it was found, and how sure they were."""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from actors.memory.limit import MAX_TTL_S
from actors.memory.text import check_about, check_assigned, check_category, check_key, check_value
from actors.runtime.errors import Misuse

_CONFIRMATION: Final = 0.1
_MOST_CONFIRMATIONS: Final = 10


class FactDraft(NamedTuple):
    """What is to become a fact. `ttl_s` is 0 for what does not expire; `path` is where it was found, "" for nowhere."""

    category: str
    key: str
    value: str
    confidence: float = 1.0
    path: str = ""
    ttl_s: float = 0.0

    def check(self) -> None:
        """Raise `Misuse` unless it can become one."""
        check_category(self.category)
        check_key(self.key)
        check_value(self.value)
        check_assigned(self.key, self.value)
        check_about(self.path)
        if not 0.0 < self.confidence <= 1.0:
            raise Misuse(f"a confidence of {self.confidence!r} is none: give one above 0 and up to 1")
        if not 0.0 <= self.ttl_s <= MAX_TTL_S:
            raise Misuse(
                f"a fact cannot expire in {self.ttl_s!r} s: give 0 for never, up to {MAX_TTL_S:.0f} (ten years)"
            )

    def expires_utc_s(self, utc_s: float) -> float:
        """When it ends if it was found at `utc_s`; 0 for never."""
        return utc_s + self.ttl_s if self.ttl_s else 0.0


class Fact(NamedTuple):
    """A fact. `expires_utc_s` is 0 for one that does not expire."""

    fact_id: int
    space: str
    category: str
    key: str
    value: str
    confidence: float
    agent: str
    at_utc_s: float
    path: str
    expires_utc_s: float
    n_confirmed: int = 0
    confirmed_utc_s: float = 0.0

    @property
    def salience(self) -> float:
        """How much it deserves to be told: its confidence, and a tenth for each of the first ten confirmations."""
        return self.confidence + _CONFIRMATION * min(self.n_confirmed, _MOST_CONFIRMATIONS)

    @property
    def ends_utc_s(self) -> float:
        """When it expires; infinite for never."""
        return self.expires_utc_s or inf

    @property
    def name(self) -> str:
        """Category and key."""
        return f"{self.category}/{self.key}"

    @property
    def line(self) -> str:
        """The fact as one line of a flat list."""
        return f"{self.name}: {self.value}"

    @property
    def texts(self) -> tuple[str, ...]:
        """What it can be found by."""
        return (self.category, self.key, self.value, self.path)


class Found(NamedTuple):
    """A fact that a recall found. `score` is 1 for an exact match; `in_conflict` if its key has another value too."""

    fact: Fact
    score: float
    in_conflict: bool
