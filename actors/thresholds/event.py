"""What has happened to what is learned, as it is journaled.

Events carry what follows from a signal or a merge, under the origin that it belongs to; so replaying them asks neither
for a limit nor for whose machine this is.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.runtime.event_table import EventTable
from actors.runtime.pin import PinEvicted, TokenPinned
from actors.runtime.received import EVENTS as RECEIVED_EVENTS


class DeltaMoved(NamedTuple):
    """A signal of this topic moved an origin's delta; from now on it is what the other fields say."""

    topic: str
    origin: str
    extension: str
    revision: int
    delta: float
    day: int
    samples: int


class ExtensionEvicted(NamedTuple):
    """There were too many extensions of this origin; this one had not changed for longest."""

    origin: str
    extension: str


class PlacementRecorded(NamedTuple):
    """Hits and misses were counted under this profile; `is_folded` if that is "other" for want of room."""

    origin: str
    profile: str
    is_folded: bool
    day: int
    n_begin_hits: int
    n_begin_misses: int
    n_end_hits: int
    n_end_misses: int


class PlacementRolled(NamedTuple):
    """The profile's days up to `through` went into its rest."""

    origin: str
    profile: str
    through: int


class CostRecorded(NamedTuple):
    """One outcome of a view of this kind."""

    extension: str
    mode: str
    bucket: str
    day: int
    n_losses: int
    n_tokens: int
    n_total_tokens: int
    n_extra_tokens: int


class CostRolled(NamedTuple):
    """The cost's days up to `through` went into its rest."""

    extension: str
    mode: str
    bucket: str
    through: int


class CostEvicted(NamedTuple):
    """There were too many costs; this one was not added to for longest."""

    extension: str
    mode: str
    bucket: str


class NoteIgnored(NamedTuple):
    """A note could not be used; `reason` is "topic", "extension", "mode" or "numbers"."""

    reason: str


class ContributionRow(NamedTuple):
    """One contribution of an origin."""

    extension: str
    revision: int
    delta: float
    day: int
    samples: int


class DayRow(NamedTuple):
    """One day's counts."""

    day: int
    counts: tuple[int, ...]


class PlacementRow(NamedTuple):
    """One profile's counts of an origin."""

    profile: str
    through: int
    rest: tuple[float, ...]
    days: tuple[DayRow, ...]


class OriginMerged(NamedTuple):
    """By an import, this is all that is known of an origin now."""

    origin: str
    era: int
    contributions: tuple[ContributionRow, ...]
    placements: tuple[PlacementRow, ...]


class OriginEvicted(NamedTuple):
    """There were too many origins; this one was the last in the order of their ids."""

    origin: str


class BundleImported(NamedTuple):
    """Who imported a bundle that changed something, when, and how many of its origins found no place."""

    session_id: str
    at_utc_s: float
    sha256: str
    n_origins: int
    n_left_out: int


class LearningReset(NamedTuple):
    """Who had what is known of an extension forgotten, or everything for "", and when.

    `era` is the origin's from now on; `revision` is that of its empty contribution to the extension, 0 for none.
    """

    session_id: str
    at_utc_s: float
    extension: str
    origin: str
    era: int
    revision: int
    day: int


class ReplayRow(NamedTuple):
    """What a replay says of one kind of view: whole counts, as of outcomes that were seen."""

    extension: str
    mode: str
    bucket: str
    n: int
    n_losses: int
    n_tokens: int
    n_total_tokens: int
    n_extra_tokens: int


class ReplayRecorded(NamedTuple):
    """From this day on these rows are what replays say of a history, in the place of any before."""

    history: str
    day: int
    rows: tuple[ReplayRow, ...]


class ReplayEvicted(NamedTuple):
    """There were too many histories; this one's replay was the oldest."""

    history: str


class RankingLearned(NamedTuple):
    """From now on this is what an origin has learned of ranking pieces of such files."""

    origin: str
    extension: str
    revision: int
    shifts: tuple[float, ...]
    day: int
    samples: int


class RankingEvicted(NamedTuple):
    """There were too many rankings of this origin; this one had not changed for longest."""

    origin: str
    extension: str


class RankingRow(NamedTuple):
    """One ranking of an origin."""

    extension: str
    revision: int
    shifts: tuple[float, ...]
    day: int
    samples: int


class RankingsMerged(NamedTuple):
    """By an import, these are all rankings that are known of an origin now; it follows the origin's `OriginMerged`."""

    origin: str
    rankings: tuple[RankingRow, ...]


EVENTS: Final = RECEIVED_EVENTS + EventTable(
    {
        400: TokenPinned,
        401: PinEvicted,
        402: DeltaMoved,
        403: ExtensionEvicted,
        404: PlacementRecorded,
        405: PlacementRolled,
        406: CostRecorded,
        407: CostRolled,
        408: CostEvicted,
        409: NoteIgnored,
        410: OriginMerged,
        411: OriginEvicted,
        412: BundleImported,
        413: LearningReset,
        414: ReplayRecorded,
        415: ReplayEvicted,
        416: RankingLearned,
        417: RankingEvicted,
        418: RankingsMerged,
    }
)
