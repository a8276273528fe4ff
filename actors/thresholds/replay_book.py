"""What replays of real histories say of views: weak evidence beside the outcomes that were seen here.

Of each history the newest replay counts and replaces the one before. So nothing counts twice: neither the same range,
nor another one that has most of it. They stay on this machine, as all costs do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.tally import Tally
from actors.thresholds.contribution import kept
from actors.thresholds.cost import BUCKETS, MAX_COUNT, PRIORS, CostKey, Outcomes
from actors.thresholds.event import ReplayEvicted, ReplayRecorded, ReplayRow
from actors.thresholds.name import is_label, is_origin

MAX_HISTORIES: Final = 32
MAX_ROWS: Final = 300
WEIGHT: Final = 0.1
"""What a replayed outcome counts beside one that was seen: an agent that is made up stands for the real ones."""
MAX_OUTCOMES: Final = 20.0
"""What all replays together count at most for one kind of view: twice what is believed beforehand."""

_Rows = Mapping[CostKey, Outcomes]


class ReplayBook:
    """The newest replay of each history, the one that was replaced longest ago first."""

    def __init__(self, totals: Tally, record: Callable[[Any], None]) -> None:
        self._totals = totals
        self._record = record
        self._replays: dict[str, tuple[int, _Rows]] = {}

    def __len__(self) -> int:
        return len(self._replays)

    def learn(self, history: str, rows: tuple[ReplayRow, ...], today: int) -> bool:
        """Let this be what is known of a history; whether that is something else than before.

        Raises `Misuse` for a history that is no id, and for rows that cannot be.
        """
        _check(history, rows)
        known = self._replays.get(history)
        if known is not None and known[1] == _by_key(rows):
            return False
        self._record(ReplayRecorded(history, today, rows))
        while len(self._replays) > MAX_HISTORIES:
            self._record(ReplayEvicted(next(iter(self._replays))))
        return True

    def outcomes(self, today: int) -> dict[CostKey, Outcomes]:
        """What the replays count for each kind of view: all of them by age, then as weak as they are."""
        sums: dict[CostKey, Outcomes] = {}
        for day, rows in self._replays.values():
            share = kept(max(0, today - day))
            for key, seen in rows.items():
                sums[key] = plus(sums.get(key, Outcomes()), _times(seen, share))
        return {key: _times(seen, min(WEIGHT, MAX_OUTCOMES / seen.n)) for key, seen in sums.items()}

    def n_of(self, extension: str) -> int:
        """How many kinds of views of an extension there is a replay of; of all for ""."""
        keys = {key for _, rows in self._replays.values() for key in rows}
        return sum(1 for key in keys if extension in ("", key.extension))

    # Facts

    def replay_recorded(self, fact: ReplayRecorded) -> None:
        """Apply a replay, in the place of what was known of its history."""
        self._totals.add("replay")
        self._replays.pop(fact.history, None)
        self._replays[fact.history] = fact.day, _by_key(fact.rows)

    def replay_evicted(self, fact: ReplayEvicted) -> None:
        """Apply the end of a replay."""
        self._totals.add("evicted", "replay")
        del self._replays[fact.history]

    def forget(self, extension: str) -> None:
        """Forget what replays say of an extension; all for ""."""
        left = {
            history: (day, {key: seen for key, seen in rows.items() if extension not in ("", key.extension)})
            for history, (day, rows) in self._replays.items()
        }
        self._replays = {history: replay for history, replay in left.items() if replay[1]}

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for history, (day, rows) in self._replays.items():
            yield [history, day, [[*key, *map(int, seen)] for key, seen in rows.items()]]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        history, day, rows = row
        self._replays[history] = day, _by_key(tuple([ReplayRow(*fields) for fields in rows]))

    def check_invariants(self) -> None:
        """Every bound holds, and nothing is kept that says nothing."""
        if len(self._replays) > MAX_HISTORIES:
            raise InvariantBroken(f"{len(self._replays)} replays are kept, the limit is {MAX_HISTORIES}")
        for history, (_, rows) in self._replays.items():
            if not 0 < len(rows) <= MAX_ROWS:
                raise InvariantBroken(f"the replay of {history!r} has {len(rows)} rows")


def plus(one: Outcomes, other: Outcomes) -> Outcomes:
    """The outcomes of both."""
    return Outcomes(*(a + b for a, b in zip(one, other, strict=True)))


def _times(seen: Outcomes, factor: float) -> Outcomes:
    return Outcomes(*(factor * n for n in seen))


def _by_key(rows: tuple[ReplayRow, ...]) -> dict[CostKey, Outcomes]:
    return {CostKey(*row[:3]): Outcomes(*row[3:]) for row in rows}


def _check(history: str, rows: tuple[ReplayRow, ...]) -> None:
    if not is_origin(history):
        raise Misuse(f"{history[:80]!r} does not name a history: give 8 to 32 hexadecimal digits")
    if not 0 < len(rows) <= MAX_ROWS:
        raise Misuse(f"a replay has 1 to {MAX_ROWS} rows, not {len(rows)}: send those with the most outcomes")
    for row in rows:
        if not is_label(row.extension) or row.mode not in PRIORS or row.bucket not in BUCKETS:
            raise Misuse(f"there is no kind of view {row[:3]!r:.120}: give extension, mode and size as costs have them")
        if not all(0 <= number <= MAX_COUNT for number in row[3:]) or not 0 <= row.n_losses <= row.n or not row.n:
            raise Misuse(f"the counts {row[3:]!r:.120} cannot be: give outcomes, losses among them, and tokens")
        if not row.n_total_tokens:
            raise Misuse(f"a file without tokens teaches nothing: leave out {row[:3]!r:.120}")
    if len(_by_key(rows)) < len(rows):
        raise Misuse("a replay names a kind of view twice: add its rows up")
