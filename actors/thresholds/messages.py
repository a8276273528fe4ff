"""What can be asked of the thresholds, and what they answer.

Commands change something and are numbered, but for `Deliver`, by which other state actors tell what came of reads and
edits. Queries change nothing: what has faded is left out of every answer, and stays in the store as it was.
"""

from __future__ import annotations

from typing import NamedTuple

from actors.runtime.layer_switch import SCHEMA as SWITCH_SCHEMA
from actors.runtime.received import SCHEMA as RECEIVED_SCHEMA
from actors.runtime.tally import Count
from actors.runtime.wire import Schema
from actors.thresholds.event import ReplayRow


class RecordPlacement(NamedTuple):
    """Of what was placed at `position`, "begin" or "end", for this client profile: so many hits, so many misses.

    A miss is an item that the client asked for although it had been placed.
    """

    profile: str
    position: str
    n_hits: int
    n_misses: int


class PlacementCounted(NamedTuple):
    """The profile that it was counted under, "other" where there is no room for more, and its share from now on."""

    profile: str
    begin_share: float


class GetPolicy(NamedTuple):
    """Ask for all that readers use."""


class DeltaRow(NamedTuple):
    """Add this to the entropy, in bits, that a line of such a file must have to be kept."""

    extension: str
    delta: float


class CostRow(NamedTuple):
    """What to expect of a view of such a file in this mode. `bucket` is its size in tokens, such as "<500".

    The view shows `share` of the tokens; with probability `p_loss` a failed edit or a second read follows, which then
    costs `n_extra_tokens`.
    """

    extension: str
    mode: str
    bucket: str
    share: float
    p_loss: float
    n_extra_tokens: int


class ShareRow(NamedTuple):
    """Give the beginning this share of the budget for such a client."""

    profile: str
    begin_share: float


class ShiftRow(NamedTuple):
    """Add these to the weights by which pieces of such a file are ranked, in the order of `ranking.LEARNED`."""

    extension: str
    shifts: tuple[float, ...]


class Policy(NamedTuple):
    """What readers use, sorted. Where there is no row: no delta, `cost.prior_cost`, and `default_begin_share`.

    `version` is a short hash of all the rest: readers that hold the same one see the same. Numbers are rounded, so that
    it does not change with every outcome.
    """

    version: str
    deltas: tuple[DeltaRow, ...]
    costs: tuple[CostRow, ...]
    begin_shares: tuple[ShareRow, ...]
    default_begin_share: float
    rankings: tuple[ShiftRow, ...] = ()


class GetLearning(NamedTuple):
    """Ask for what was learned, as rows for people."""


class LearnedRow(NamedTuple):
    """What all origins have learned about an extension; readers use it once it `applies`."""

    extension: str
    delta: float
    n_signals: int
    n_origins: int
    applies: bool


class ProfileRow(NamedTuple):
    """What was observed of a client profile. `n_observations` fades with time; rates are smoothed."""

    profile: str
    n_observations: float
    begin_rate: float
    end_rate: float
    begin_share: float
    applies: bool


class RankedRow(NamedTuple):
    """What all origins have learned of ranking pieces of such files; readers use it once it `applies`."""

    ranking: ShiftRow
    n_hunks: int
    n_origins: int
    applies: bool


class CostEvidence(NamedTuple):
    """A cost and how many outcomes stand behind it, as many of them as `n_replayed` by replays; they fade with time."""

    cost: CostRow
    n_outcomes: float
    n_replayed: float = 0.0


class Learning(NamedTuple):
    """What was learned, sorted; `report` prints it."""

    deltas: tuple[LearnedRow, ...]
    profiles: tuple[ProfileRow, ...]
    costs: tuple[CostEvidence, ...]
    min_signals: int
    min_observations: int
    rankings: tuple[RankedRow, ...] = ()
    min_hunks: int = 0


class RankingEvidence(NamedTuple):
    """What so many hunks of files with this extension say of the weights, in the order of `ranking.LEARNED`."""

    extension: str
    shifts: tuple[float, ...]
    n_hunks: int


class RecordRanking(NamedTuple):
    """Let these be the shifts that this machine has learned, each in the place of the one before; others stay."""

    rows: tuple[RankingEvidence, ...]


class RankingCounted(NamedTuple):
    """How many of the rows were others than those known before."""

    n_changed: int


class RecordReplay(NamedTuple):
    """Let these rows be what replays say of a history, in the place of any before: the same again changes nothing.

    `history` is an id of 8 to 32 hexadecimal digits that stays the same whichever part of the history is replayed.
    """

    history: str
    rows: tuple[ReplayRow, ...]


class CostChange(NamedTuple):
    """What readers were told of a kind of view, and what they are told now; `n_outcomes` stand behind it now."""

    before: CostRow
    after: CostRow
    n_outcomes: float


class ReplayCounted(NamedTuple):
    """Whether the rows are others than those known of this history, and what that changed for readers, sorted."""

    is_new: bool
    changes: tuple[CostChange, ...]


class GetStatistics(NamedTuple):
    """Ask for all counters."""


class Statistics(NamedTuple):
    """All counters at one moment.

    `signals` are counted by topic, `ignored` notes by reason, `evicted` by what was too many, `placements` as
    "begin_hit", "begin_miss", "end_hit", "end_miss". `layers_off` are switched off.
    """

    signals: tuple[Count, ...]
    ignored: tuple[Count, ...]
    evicted: tuple[Count, ...]
    deltas: tuple[DeltaRow, ...]
    begin_shares: tuple[ShareRow, ...]
    n_origins: int
    n_extensions: int
    n_profiles: int
    n_costs: int
    n_outcomes: int
    placements: tuple[Count, ...]
    n_placements: int
    n_imports: int
    n_resets: int
    n_pins: int
    n_replays: int
    layers_off: tuple[str, ...] = ()


class ExportBundle(NamedTuple):
    """Ask for what may be shared."""


class Bundle(NamedTuple):
    """What may be shared, as JSON in UTF-8; the same state gives the same bytes."""

    text: bytes


class ImportBundle(NamedTuple):
    """Merge what others have learned: `text` is what they exported. Importing it again changes nothing."""

    text: bytes


class DeltaChange(NamedTuple):
    """The effective delta of an extension, and the signals behind it, before and after."""

    extension: str
    before: float
    after: float
    n_before: int
    n_after: int


class ShareChange(NamedTuple):
    """A client profile's share for the beginning, and the observations behind it, before and after."""

    profile: str
    before: float
    after: float
    n_before: float
    n_after: float


class Imported(NamedTuple):
    """What an import has changed. `n_origins` of those known are new, other or gone: 0 means that nothing changed.

    `n_left_out` origins of the bundle found no place.
    """

    deltas: tuple[DeltaChange, ...]
    begin_shares: tuple[ShareChange, ...]
    n_origins: int
    n_left_out: int


class ResetLearning(NamedTuple):
    """Forget what is known of an extension, by whomever it was learned; "" forgets everything.

    What this machine itself had learned stays forgotten when an older bundle of it comes back.
    """

    extension: str


class Forgotten(NamedTuple):
    """So many contributions, client profiles and costs were forgotten."""

    n_contributions: int
    n_profiles: int
    n_costs: int


SCHEMA = (
    RECEIVED_SCHEMA
    + SWITCH_SCHEMA
    + Schema(
        commands={
            "record_ranking": RecordRanking,
            "record_placement": RecordPlacement,
            "policy": GetPolicy,
            "learning": GetLearning,
            "statistics": GetStatistics,
            "export_bundle": ExportBundle,
            "import_bundle": ImportBundle,
            "reset_learning": ResetLearning,
            "record_replay": RecordReplay,
        },
        answers={
            "ranking_counted": RankingCounted,
            "placement_counted": PlacementCounted,
            "policy": Policy,
            "learning": Learning,
            "statistics": Statistics,
            "bundle": Bundle,
            "imported": Imported,
            "forgotten": Forgotten,
            "replay_counted": ReplayCounted,
        },
        queries=("policy", "learning", "statistics", "export_bundle"),
    )
)
