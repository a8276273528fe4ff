"""The memory's state machine: pins, playbooks, facts.

Nothing ends by itself: expired facts are left out of every answer, and go when something is remembered. What was added,
voted and remembered has happened, and is not undone when its caller has given up; each can be taken back by a command.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from actors.memory.entry import Draft
from actors.memory.entry_book import PROJECT, EntryBook, Key
from actors.memory.event import (
    EVENTS,
    EntriesShown,
    EntryAdded,
    EntryConfirmed,
    EntryEvicted,
    EntryMended,
    EntryVoted,
    FactConfirmed,
    FactForgotten,
    FactIndexed,
    FactRemembered,
    IndexBegun,
    PlaybookEvicted,
    PlaybookResumed,
    RecallCounted,
    TurnTaken,
    WakeupCounted,
)
from actors.memory.fact_book import FactBook
from actors.memory.limit import MAX_DRAFTS, MAX_FOUND, MAX_VECTORS_A_CALL, Limits
from actors.memory.messages import (
    SCHEMA,
    Added,
    AddEntry,
    CheckpointTaken,
    ConfirmEntry,
    ConfirmFact,
    ContradictFact,
    Done,
    EntryNow,
    EvictedEntry,
    EvictEntry,
    ForgetFacts,
    GetLessons,
    GetPlaybook,
    GetStatistics,
    IndexFacts,
    Lessons,
    ListUnindexed,
    PlaybookView,
    Recall,
    Recalled,
    RecallNear,
    RecordRecall,
    RecordWakeup,
    Remember,
    Remembered,
    ResumePlaybook,
    ShowEntries,
    Statistics,
    TakeCheckpoint,
    Unindexed,
    VoteEntry,
)
from actors.memory.text import check_category, check_space
from actors.runtime.errors import Misuse
from actors.runtime.holdout import LESSONS
from actors.runtime.layer_switch import EVENTS as SWITCH_EVENTS
from actors.runtime.layer_switch import LayerSwitched, LayerSwitches
from actors.runtime.machine import Caller, Now
from actors.runtime.pinned_machine import Applier, Performer, PinnedMachine
from actors.runtime.state_format import StateFormat
from actors.runtime.tally import Tally

SESSION_SCOPE: Final = "session"
PROJECT_SCOPE: Final = "project"
SCOPES: Final = (SESSION_SCOPE, PROJECT_SCOPE)
EXACT: Final = "exact"
CATEGORY: Final = "category"
LEXICAL: Final = "lexical"
SEMANTIC: Final = "semantic"
WAYS: Final = (EXACT, CATEGORY, LEXICAL, SEMANTIC)


class Memory(PinnedMachine):
    """Playbooks and facts of all spaces."""

    schema = SCHEMA
    events = EVENTS + SWITCH_EVENTS
    state_format = StateFormat(3, {1: lambda parts: parts, 2: lambda parts: parts})
    """Format 1 had no switches, which is as good as none that is off; entries of format 2 did not say what was mended,
    which is as good as nothing."""

    def __init__(self, limits: Limits | None = None) -> None:
        limits = limits or Limits()
        super().__init__("the memory", limits.max_pins)
        self._totals = Tally()
        self._entries = EntryBook(limits, self._totals, self._record)
        self._facts = FactBook(limits, self._totals, self._record)
        self._switches = LayerSwitches((LESSONS,), self._record)
        self._furnish(
            shelves={
                "entries": self._entries,
                "facts": self._facts,
                "totals": self._totals,
                "layer_switches": self._switches,
            },
            performers=self._make_performers(),
            appliers=self._make_appliers(),
        )

    def _make_performers(self) -> dict[type, Performer]:
        return {
            AddEntry: self._add_entry,
            ConfirmEntry: self._confirm_entry,
            VoteEntry: self._vote_entry,
            EvictEntry: self._evict_entry,
            TakeCheckpoint: self._take_checkpoint,
            ShowEntries: self._show_entries,
            ResumePlaybook: self._resume_playbook,
            GetPlaybook: self._playbook,
            GetLessons: self._lessons,
            Remember: self._remember,
            ConfirmFact: self._confirm_fact,
            ContradictFact: self._contradict_fact,
            ForgetFacts: self._forget_facts,
            Recall: self._recall,
            RecallNear: self._recall_near,
            ListUnindexed: self._list_unindexed,
            IndexFacts: self._index_facts,
            RecordRecall: self._record_recall,
            RecordWakeup: self._record_wakeup,
            GetStatistics: self._statistics,
            **self._switches.performers(),
        }

    def _make_appliers(self) -> dict[type, Applier]:
        entries, facts = self._entries, self._facts
        return {
            EntryAdded: entries.entry_added,
            EntryConfirmed: entries.entry_confirmed,
            EntryMended: entries.entry_mended,
            EntryVoted: entries.entry_voted,
            EntryEvicted: entries.entry_evicted,
            TurnTaken: entries.turn_taken,
            EntriesShown: entries.entries_shown,
            PlaybookResumed: entries.playbook_resumed,
            PlaybookEvicted: entries.playbook_evicted,
            FactRemembered: facts.fact_remembered,
            FactConfirmed: facts.fact_confirmed,
            FactForgotten: facts.fact_forgotten,
            IndexBegun: facts.index_begun,
            FactIndexed: facts.fact_indexed,
            RecallCounted: self._recall_counted,
            WakeupCounted: self._wakeup_counted,
            LayerSwitched: self._switches.evolve,
        }

    # Playbooks

    def _add_entry(self, caller: Caller, asked: AddEntry, now: Now) -> Added:
        key = _key(asked.space, asked.scope, caller)
        asked.draft.check()
        entry_id, is_new, evicted = self._entries.add(key, asked.draft, caller.session_id, now.utc_s)
        return Added(entry_id, is_new, len(self._entries.playbook(*key).entries), tuple(evicted))

    def _confirm_entry(self, caller: Caller, asked: ConfirmEntry, _: Now) -> EntryNow:
        return EntryNow(self._entries.confirm(_key(asked.space, asked.scope, caller), asked.entry_id))

    def _vote_entry(self, caller: Caller, asked: VoteEntry, _: Now) -> EntryNow:
        key = _key(asked.space, asked.scope, caller)
        return EntryNow(self._entries.vote(key, asked.entry_id, asked.is_helpful))

    def _evict_entry(self, caller: Caller, asked: EvictEntry, _: Now) -> EvictedEntry:
        return self._entries.evict(_key(asked.space, asked.scope, caller), asked.entry_id)

    def _take_checkpoint(self, caller: Caller, asked: TakeCheckpoint, now: Now) -> CheckpointTaken:
        key = _key(asked.space, asked.scope, caller)
        _check_drafts(asked.drafts)
        entry_ids, n_new, evicted = self._entries.checkpoint(key, caller.session_id, asked.drafts, now.utc_s)
        playbook = self._entries.playbook(*key)
        return CheckpointTaken(playbook.turn, tuple(entry_ids), n_new, len(playbook.entries), tuple(evicted))

    def _show_entries(self, caller: Caller, asked: ShowEntries, _: Now) -> Done:
        check_space(asked.space)
        self._entries.show(asked.space, caller.session_id, asked.through)
        return Done(asked.through)

    def _resume_playbook(self, caller: Caller, asked: ResumePlaybook, _: Now) -> PlaybookView:
        check_space(asked.space)
        self._entries.resume(asked.space, asked.from_session, caller.session_id)
        return self._view(asked.space, caller.session_id)

    def _playbook(self, _: Caller, asked: GetPlaybook, __: Now) -> PlaybookView:
        return self._view(asked.space, asked.owner)

    def _view(self, space: str, owner: str) -> PlaybookView:
        playbook = self._entries.playbook(space, owner)
        return PlaybookView(playbook.turn, playbook.last_id, playbook.n_evicted, tuple(playbook.entries.values()))

    def _lessons(self, _: Caller, asked: GetLessons, __: Now) -> Lessons:
        if not self._switches.is_on(LESSONS):
            return Lessons((), ())
        books = [self._entries.playbook(asked.space, owner) for owner in dict.fromkeys((PROJECT, asked.owner))]
        project, *session = [tuple(entry for entry in one.entries.values() if entry.is_lesson) for one in books]
        return Lessons(project, session[0] if session else ())

    # Facts

    def _remember(self, caller: Caller, asked: Remember, now: Now) -> Remembered:
        check_space(asked.space)
        asked.draft.check()
        return Remembered(*self._facts.remember(asked.space, asked.draft, caller.session_id, now.utc_s))

    def _confirm_fact(self, _: Caller, asked: ConfirmFact, now: Now) -> Remembered:
        return Remembered(self._facts.confirm(asked.space, asked.fact_id, now.utc_s), False, ())

    def _contradict_fact(self, caller: Caller, asked: ContradictFact, now: Now) -> Remembered:
        draft = self._facts.contradicted(*asked, now.utc_s)
        return self._remember(caller, Remember(asked.space, draft), now)

    def _forget_facts(self, _: Caller, asked: ForgetFacts, now: Now) -> Done:
        return Done(self._facts.forget(asked.space, asked.fact_ids, now.utc_s))

    def _recall(self, _: Caller, asked: Recall, now: Now) -> Recalled:
        _check_n_wanted(asked.n_wanted)
        if asked.category:
            check_category(asked.category)
        space, category, n_wanted = asked.space, asked.category, asked.n_wanted
        if asked.key:
            found, n_all = self._facts.by_key(space, category, asked.key, now.utc_s, n_wanted)
        elif asked.text:
            found, n_all = self._facts.by_text(space, category, asked.text, now.utc_s, n_wanted)
        else:
            found, n_all = self._facts.salient(space, category, now.utc_s, n_wanted)
        return Recalled(tuple(found), n_all)

    def _recall_near(self, _: Caller, asked: RecallNear, now: Now) -> Recalled:
        _check_n_wanted(asked.n_wanted)
        space, category, model, row, n_wanted = asked
        found, n_all = self._facts.by_vector(space, category, model, row, now.utc_s, n_wanted)
        return Recalled(tuple(found), n_all)

    def _list_unindexed(self, _: Caller, asked: ListUnindexed, now: Now) -> Unindexed:
        _check_n_wanted(asked.n_wanted)
        facts, n_all = self._facts.unindexed(asked.space, asked.model, now.utc_s, asked.n_wanted)
        return Unindexed(tuple(facts), n_all)

    def _index_facts(self, _: Caller, asked: IndexFacts, __: Now) -> Done:
        if len(asked.vectors) > MAX_VECTORS_A_CALL:
            raise Misuse(f"{len(asked.vectors)} vectors at once are over the limit of {MAX_VECTORS_A_CALL}: send fewer")
        return Done(self._facts.index(*asked))

    # Counting

    def _record_recall(self, _: Caller, asked: RecordRecall, __: Now) -> Done:
        if asked.how not in WAYS:
            raise Misuse(f"unknown way {asked.how[:80]!r} to recall: give one of {', '.join(WAYS)}")
        _check_counts(asked.n_found)
        self._record(RecallCounted(*asked))
        return Done(1)

    def _record_wakeup(self, _: Caller, asked: RecordWakeup, __: Now) -> Done:
        _check_counts(*asked)
        self._record(WakeupCounted(*asked))
        return Done(1)

    def _recall_counted(self, event: RecallCounted) -> None:
        self._totals.add("recall", event.how)
        self._totals.add("hit", event.how, int(event.n_found > 0))

    def _wakeup_counted(self, event: WakeupCounted) -> None:
        self._totals.add("wakeup")
        for name, n in event._asdict().items():
            self._totals.add("wakeup", name, n)

    def _statistics(self, _: Caller, __: GetStatistics, ___: Now) -> Statistics:
        totals, census = self._totals, self._entries.census
        return Statistics(
            entries=totals.counts("entry"),
            votes=totals.counts("vote"),
            evicted=totals.counts("evicted"),
            forgotten=totals.counts("forgotten"),
            recalls=totals.counts("recall"),
            hits=totals.counts("hit"),
            n_playbooks=len(self._entries),
            n_entries=census.n_entries,
            n_lasting=census.n_lasting,
            n_lasting_helpful=census.n_lasting_helpful,
            n_became_lasting=totals["lasting", ""],
            n_entries_confirmed=totals["entry_confirmed", ""],
            n_turns=totals["turn", ""],
            n_facts=len(self._facts),
            n_indexed=self._facts.n_indexed,
            n_remembered=totals["fact", "remembered"],
            n_facts_confirmed=totals["fact", "confirmed"],
            n_wakeups=totals["wakeup", ""],
            n_wakeup_facts=totals["wakeup", "n_facts"],
            n_wakeup_tokens=totals["wakeup", "n_tokens"],
            n_wakeup_flat_tokens=totals["wakeup", "n_flat_tokens"],
            n_pins=len(self._pins),
            layers_off=self._switches.off(),
        )

    def _count_eviction(self) -> None:
        self._totals.add("evicted", "pin")

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where a bound is passed or an index is not what the state makes it."""
        super().check_invariants()
        self._entries.check_invariants()
        self._facts.check_invariants()


def _key(space: str, scope: str, caller: Caller) -> Key:
    check_space(space)
    if scope not in SCOPES:
        raise Misuse(f"unknown scope {scope[:80]!r} of a playbook: give one of {', '.join(SCOPES)}")
    return space, caller.session_id if scope == SESSION_SCOPE else PROJECT


def _check_drafts(drafts: Sequence[Draft]) -> None:
    if len(drafts) > MAX_DRAFTS:
        raise Misuse(f"{len(drafts)} entries at one checkpoint are over the limit of {MAX_DRAFTS}: give fewer")
    for draft in drafts:
        draft.check()


def _check_n_wanted(n_wanted: int) -> None:
    if not 0 < n_wanted <= MAX_FOUND:
        raise Misuse(f"{n_wanted} facts cannot be asked for: give 1 to {MAX_FOUND}")


def _check_counts(*counts: int) -> None:
    if min(counts) < 0:
        raise Misuse(f"{min(counts)} is no count: give 0 or more")
