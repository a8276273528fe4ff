"""What can be asked of the memory, and what it answers.

Commands change something and are numbered; queries change nothing, not even what has expired. `scope` is "session" for
the caller's own playbook, "project" for that of the space.
"""

from __future__ import annotations

from typing import NamedTuple

from actors.memory.entry import Draft, Entry
from actors.memory.fact import Fact, FactDraft, Found
from actors.runtime.layer_switch import SCHEMA as SWITCH_SCHEMA
from actors.runtime.tally import Count
from actors.runtime.wire import Schema


class AddEntry(NamedTuple):
    """Append an entry to a playbook; one that says the same is confirmed instead."""

    space: str
    scope: str
    draft: Draft


class EvictedEntry(NamedTuple):
    """An entry is gone; `reason` is "harmful", "unconfirmed", "full" or "asked"."""

    entry_id: int
    reason: str


class Added(NamedTuple):
    """The entry that says it now; `evicted` had to make room."""

    entry_id: int
    is_new: bool
    n_entries: int
    evicted: tuple[EvictedEntry, ...]


class ConfirmEntry(NamedTuple):
    """Say that an entry still holds."""

    space: str
    scope: str
    entry_id: int


class VoteEntry(NamedTuple):
    """Say whether an entry helped or harmed. Votes decide at the next checkpoint."""

    space: str
    scope: str
    entry_id: int
    is_helpful: bool


class EvictEntry(NamedTuple):
    """Remove an entry."""

    space: str
    scope: str
    entry_id: int


class EntryNow(NamedTuple):
    """An entry as it is now."""

    entry: Entry


class TakeCheckpoint(NamedTuple):
    """One turn of a playbook: what the session was shown ages, drafts are added, and what is due goes."""

    space: str
    scope: str
    drafts: tuple[Draft, ...]


class CheckpointTaken(NamedTuple):
    """What a checkpoint came to: the entry of each draft, how many are new, and what went."""

    turn: int
    entry_ids: tuple[int, ...]
    n_new: int
    n_entries: int
    evicted: tuple[EvictedEntry, ...]


class ShowEntries(NamedTuple):
    """Say that this session was shown the project's entries up to a number: from now on they age by its checkpoints."""

    space: str
    through: int


class ResumePlaybook(NamedTuple):
    """Go on with what another session has kept."""

    space: str
    from_session: str


class GetPlaybook(NamedTuple):
    """Ask for a playbook: a session's, or with "" the project's."""

    space: str
    owner: str


class PlaybookView(NamedTuple):
    """A playbook's entries in the order of their numbers; `last_id` was given out last, `n_evicted` went so far."""

    turn: int
    last_id: int
    n_evicted: int
    entries: tuple[Entry, ...]


class GetLessons(NamedTuple):
    """Ask for the entries of the project and of a session that are lessons: see `Entry.is_lesson`."""

    space: str
    owner: str


class Lessons(NamedTuple):
    """Entries about something that helped more often than they harmed, or mended a failure; by their numbers."""

    project: tuple[Entry, ...]
    session: tuple[Entry, ...]


class Remember(NamedTuple):
    """Keep a fact; the same one is confirmed."""

    space: str
    draft: FactDraft


class Remembered(NamedTuple):
    """The fact as it is kept, and what else its key is said to be."""

    fact: Fact
    is_new: bool
    conflicts: tuple[Fact, ...]


class ConfirmFact(NamedTuple):
    """Say that a fact still holds."""

    space: str
    fact_id: int


class ContradictFact(NamedTuple):
    """Say that a fact is otherwise: both are kept, and each recall shows the conflict."""

    space: str
    fact_id: int
    value: str
    confidence: float
    path: str


class ForgetFacts(NamedTuple):
    """Remove facts: all of them, or none."""

    space: str
    fact_ids: tuple[int, ...]


class Recall(NamedTuple):
    """Ask for facts: of a `key`, else those that share words with `text`, else the most salient of a `category` or all.

    `category` narrows the first two. What is not asked for is "".
    """

    space: str
    key: str
    category: str
    text: str
    n_wanted: int


class RecallNear(NamedTuple):
    """Ask for the facts nearest in meaning to a vector of a model, one signed byte a number."""

    space: str
    category: str
    model: str
    row: bytes
    n_wanted: int


class Recalled(NamedTuple):
    """What was found, the best first; `n_all` would have been."""

    found: tuple[Found, ...]
    n_all: int


class ListUnindexed(NamedTuple):
    """Ask for facts that have no vector of a model."""

    space: str
    model: str
    n_wanted: int


class Unindexed(NamedTuple):
    """The oldest facts without a vector, and how many have none."""

    facts: tuple[Fact, ...]
    n_all: int


class FactVector(NamedTuple):
    """A fact's vector, one signed byte a number; empty for a fact that the model knows nothing of."""

    fact_id: int
    row: bytes


class IndexFacts(NamedTuple):
    """Give facts their vectors. Those of another model than the last one's are dropped."""

    space: str
    model: str
    vectors: tuple[FactVector, ...]


class RecordRecall(NamedTuple):
    """Count a recall: `how` is "exact", "category", "lexical" or "semantic"."""

    how: str
    n_found: int


class RecordWakeup(NamedTuple):
    """Count a wakeup of so many facts and tokens; the flat list of its facts has `n_flat_tokens`."""

    n_facts: int
    n_tokens: int
    n_flat_tokens: int


class Done(NamedTuple):
    """So many were changed."""

    n: int


class GetStatistics(NamedTuple):
    """Ask for all counters."""


class Statistics(NamedTuple):
    """All counters at one moment, over all spaces.

    Lasting entries are ten turns old or more. `entries` were added, by kind; `evicted` and `forgotten` are counted by
    reason; `recalls` and `hits` (recalls that found something) by how they asked. `layers_off` are switched off.
    """

    entries: tuple[Count, ...]
    votes: tuple[Count, ...]
    evicted: tuple[Count, ...]
    forgotten: tuple[Count, ...]
    recalls: tuple[Count, ...]
    hits: tuple[Count, ...]
    n_playbooks: int
    n_entries: int
    n_lasting: int
    n_lasting_helpful: int
    n_became_lasting: int
    n_entries_confirmed: int
    n_turns: int
    n_facts: int
    n_indexed: int
    n_remembered: int
    n_facts_confirmed: int
    n_wakeups: int
    n_wakeup_facts: int
    n_wakeup_tokens: int
    n_wakeup_flat_tokens: int
    n_pins: int
    layers_off: tuple[str, ...] = ()


SCHEMA = SWITCH_SCHEMA + Schema(
    commands={
        "add_entry": AddEntry,
        "confirm_entry": ConfirmEntry,
        "vote_entry": VoteEntry,
        "evict_entry": EvictEntry,
        "take_checkpoint": TakeCheckpoint,
        "show_entries": ShowEntries,
        "resume_playbook": ResumePlaybook,
        "playbook": GetPlaybook,
        "lessons": GetLessons,
        "remember": Remember,
        "confirm_fact": ConfirmFact,
        "contradict_fact": ContradictFact,
        "forget_facts": ForgetFacts,
        "recall": Recall,
        "recall_near": RecallNear,
        "list_unindexed": ListUnindexed,
        "index_facts": IndexFacts,
        "record_recall": RecordRecall,
        "record_wakeup": RecordWakeup,
        "statistics": GetStatistics,
    },
    answers={
        "added": Added,
        "entry_now": EntryNow,
        "evicted_entry": EvictedEntry,
        "checkpoint_taken": CheckpointTaken,
        "playbook": PlaybookView,
        "lessons": Lessons,
        "remembered": Remembered,
        "recalled": Recalled,
        "unindexed": Unindexed,
        "done": Done,
        "statistics": Statistics,
    },
    queries=("playbook", "lessons", "recall", "recall_near", "list_unindexed", "statistics"),
    committed=("statistics",),
)
