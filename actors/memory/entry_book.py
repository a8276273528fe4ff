"""All playbooks: one for each project, and one for each session that keeps its own.

Of too many the one goes that was not added to for longest, and a project's last of all. Playbooks that are made after
that begin above its numbers, in case they are its owner's: no number ever means two entries of one owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from actors.memory.entry import Draft, Entry
from actors.memory.event import (
    EntriesShown,
    EntryAdded,
    EntryConfirmed,
    EntryEvicted,
    EntryMended,
    EntryVoted,
    PlaybookEvicted,
    PlaybookResumed,
    TurnTaken,
)
from actors.memory.limit import MAX_SESSIONS_SHOWN, Limits
from actors.memory.messages import EvictedEntry
from actors.memory.playbook import Playbook
from actors.memory.reason import ASKED, FULL
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.tally import Tally

PROJECT: Final = ""
Key = tuple[str, str]
_EMPTY: Final = Playbook()


class Census(NamedTuple):
    """How many entries there are, how many of them are old, and how many of those have helped more than harmed."""

    n_entries: int = 0
    n_lasting: int = 0
    n_lasting_helpful: int = 0

    def moved(self, entry: Entry | None, sign: int) -> Census:
        """With an entry more or less."""
        if entry is None:
            return self
        return Census(
            self.n_entries + sign,
            self.n_lasting + sign * entry.lasts,
            self.n_lasting_helpful + sign * (entry.lasts and entry.helps),
        )


class EntryBook:
    """Playbooks by (space, owner), those that were added to last at the end.

    `record` journals an event and brings it back through the methods below.
    """

    def __init__(self, limits: Limits, totals: Tally, record: Callable[[Any], None]) -> None:
        self._limits = limits
        self._totals = totals
        self._record = record
        self._playbooks: dict[Key, Playbook] = {}
        self._floor = 0
        self.census = Census()

    def __len__(self) -> int:
        return len(self._playbooks)

    def playbook(self, space: str, owner: str) -> Playbook:
        """A playbook as it is; an empty one where there is none."""
        return self._playbooks.get((space, owner), _EMPTY)

    # Commands

    def add(self, key: Key, draft: Draft, agent: str, utc_s: float) -> tuple[int, bool, list[EvictedEntry]]:
        """Append a draft that was checked, or confirm what says the same; (number, whether it is new, what went)."""
        known = self.playbook(*key).like(draft)
        if known is not None:
            self._record(EntryConfirmed(*key, known.entry_id))
            added: tuple[int, bool, list[EvictedEntry]] = known.entry_id, False, []
        else:
            added = self._append(key, draft, agent, utc_s)
        if draft.is_mended and not (known is not None and known.is_mended):
            self._record(EntryMended(*key, added[0]))
        return added

    def _append(self, key: Key, draft: Draft, agent: str, utc_s: float) -> tuple[int, bool, list[EvictedEntry]]:
        playbook = self.playbook(*key)
        gone = []
        while len(playbook.entries) >= self._limits.max_entries:
            gone.append(self._evict(key, playbook.least_salient().entry_id, FULL))
        entry_id = (self._floor if playbook is _EMPTY else playbook.last_id) + 1
        self._record(EntryAdded(*key, entry_id, draft.kind, draft.content, draft.about, agent, utc_s))
        self._keep_to_limit()
        return entry_id, True, gone

    def _evict(self, key: Key, entry_id: int, reason: str) -> EvictedEntry:
        self._record(EntryEvicted(*key, entry_id, reason))
        return EvictedEntry(entry_id, reason)

    def _keep_to_limit(self) -> None:
        while len(self._playbooks) > self._limits.max_playbooks:
            *others, _ = self._playbooks
            oldest = next((key for key in others if key[1] != PROJECT), others[0])
            self._record(PlaybookEvicted(*oldest))

    def confirm(self, key: Key, entry_id: int) -> Entry:
        """Say that an entry still holds; returns it. Raises `Misuse` for a number that there is not."""
        self._found(key, entry_id)
        self._record(EntryConfirmed(*key, entry_id))
        return self._found(key, entry_id)

    def vote(self, key: Key, entry_id: int, is_helpful: bool) -> Entry:
        """Count a vote; returns the entry. It decides at the next checkpoint, so that the order of votes does not."""
        self._found(key, entry_id)
        self._record(EntryVoted(*key, entry_id, is_helpful))
        return self._found(key, entry_id)

    def evict(self, key: Key, entry_id: int) -> EvictedEntry:
        """Remove an entry at somebody's word. Raises `Misuse` for a number that there is not."""
        self._found(key, entry_id)
        return self._evict(key, entry_id, ASKED)

    def _found(self, key: Key, entry_id: int) -> Entry:
        playbook = self.playbook(*key)
        entry = playbook.entries.get(entry_id)
        if entry is None:
            was = "was evicted" if 0 < entry_id <= playbook.last_id else "was never given out"
            raise Misuse(f"entry {entry_id} is not in this playbook, its number {was}: see what is with `playbook`")
        return entry

    def checkpoint(
        self, key: Key, session_id: str, drafts: Sequence[Draft], utc_s: float
    ) -> tuple[list[int], int, list[EvictedEntry]]:
        """One turn: what was shown ages, drafts are added or confirm, then what is due goes.

        Returns the number of each draft's entry, how many of them are new, and what went.
        """
        playbook = self.playbook(*key)
        through = playbook.last_id if key[1] else playbook.shown.get(session_id, 0)
        if through or drafts:
            self._record(TurnTaken(*key, session_id, through))
            self._keep_to_limit()
        numbers, n_new, gone = [], 0, []
        for draft in drafts:
            entry_id, is_new, evicted = self.add(key, draft, session_id, utc_s)
            numbers.append(entry_id)
            n_new += is_new
            gone += evicted
        for entry_id, reason in list(self.playbook(*key).due()):
            gone.append(self._evict(key, entry_id, reason))
        return numbers, n_new, gone

    def show(self, space: str, session_id: str, through: int) -> None:
        """A session was shown the project's entries up to a number. Raises `Misuse` for one not given out yet."""
        playbook = self.playbook(space, PROJECT)
        if not 0 <= through <= playbook.last_id:
            raise Misuse(f"entry {through} was never given out: the last one is {playbook.last_id}")
        if through > playbook.shown.get(session_id, 0):
            self._record(EntriesShown(space, session_id, through))

    def resume(self, space: str, from_owner: str, to_owner: str) -> Playbook:
        """Go on with a copy of another session's playbook. Raises `Misuse` if that is empty, or one's own is not."""
        theirs, own = self.playbook(space, from_owner), self.playbook(space, to_owner)
        if not from_owner or not theirs.entries:
            raise Misuse(f"session {from_owner[:80]!r} has no playbook here: name one that made a checkpoint")
        if own is not _EMPTY:
            raise Misuse(f"session {to_owner!r} has a playbook already: resume before the first entry")
        self._record(PlaybookResumed(space, from_owner, to_owner))
        self._keep_to_limit()
        return self.playbook(space, to_owner)

    # Facts

    def entry_added(self, fact: EntryAdded) -> None:
        """Apply a new entry."""
        playbook = self._touched(fact.space, fact.owner)
        playbook.last_id = fact.entry_id
        self._put(playbook, Entry(fact.entry_id, *fact[3:]))
        self._totals.add("entry", fact.kind)

    def entry_confirmed(self, fact: EntryConfirmed) -> None:
        """Apply a confirmation."""
        playbook = self._touched(fact.space, fact.owner)
        entry = playbook.entries[fact.entry_id]
        self._put(playbook, entry._replace(n_confirmed=entry.n_confirmed + 1, n_unconfirmed=0))
        self._totals.add("entry_confirmed")

    def entry_mended(self, fact: EntryMended) -> None:
        """Apply that an entry tells what mended a failure."""
        playbook = self._playbooks[fact.space, fact.owner]
        self._put(playbook, playbook.entries[fact.entry_id]._replace(is_mended=True))

    def entry_voted(self, fact: EntryVoted) -> None:
        """Apply a vote."""
        playbook = self._playbooks[fact.space, fact.owner]
        entry = playbook.entries[fact.entry_id]
        helpful, harmful = entry.n_helpful + fact.is_helpful, entry.n_harmful + (not fact.is_helpful)
        self._put(playbook, entry._replace(n_helpful=helpful, n_harmful=harmful))
        self._totals.add("vote", "helpful" if fact.is_helpful else "harmful")

    def entry_evicted(self, fact: EntryEvicted) -> None:
        """Apply the end of an entry."""
        playbook = self._playbooks[fact.space, fact.owner]
        self.census = self.census.moved(playbook.entries.pop(fact.entry_id), -1)
        playbook.n_evicted += 1
        self._totals.add("evicted", fact.reason)

    def turn_taken(self, fact: TurnTaken) -> None:
        """Apply a turn: what the session was shown is older."""
        playbook = self._touched(fact.space, fact.owner)
        playbook.turn += 1
        for entry in [one for one in playbook.entries.values() if one.entry_id <= fact.through]:
            older = entry._replace(n_turns=entry.n_turns + 1, n_unconfirmed=entry.n_unconfirmed + 1)
            self._totals.add("lasting", n=int(older.lasts and not entry.lasts))
            self._put(playbook, older)
        self._totals.add("turn")

    def entries_shown(self, fact: EntriesShown) -> None:
        """Apply that a session has seen the project's entries."""
        shown = self._playbooks[fact.space, PROJECT].shown
        shown.pop(fact.session_id, None)
        shown[fact.session_id] = fact.through
        if len(shown) > MAX_SESSIONS_SHOWN:
            del shown[next(iter(shown))]

    def playbook_resumed(self, fact: PlaybookResumed) -> None:
        """Apply that a session goes on with a copy."""
        copied = self._playbooks[fact.space, fact.from_owner].copy()
        self._playbooks[fact.space, fact.to_owner] = copied
        for entry in copied.entries.values():
            self.census = self.census.moved(entry, 1)

    def playbook_evicted(self, fact: PlaybookEvicted) -> None:
        """Apply the end of a playbook."""
        playbook = self._playbooks.pop((fact.space, fact.owner))
        self._floor = max(self._floor, playbook.last_id)
        for entry in playbook.entries.values():
            self.census = self.census.moved(entry, -1)
        self._totals.add("evicted", "playbook")

    def _touched(self, space: str, owner: str) -> Playbook:
        """The playbook, made if there is none, at the end of the order."""
        playbook = self._playbooks.pop((space, owner), None) or Playbook(last_id=self._floor)
        self._playbooks[space, owner] = playbook
        return playbook

    def _put(self, playbook: Playbook, entry: Entry) -> None:
        self.census = self.census.moved(playbook.entries.get(entry.entry_id), -1).moved(entry, 1)
        playbook.entries[entry.entry_id] = entry

    # The state

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order: each playbook, then who was shown how much, then its entries."""
        yield [self._floor]
        for key, playbook in self._playbooks.items():
            yield [*key, playbook.turn, playbook.last_id, playbook.n_evicted]
            yield from ([*key, "shown", *item] for item in playbook.shown.items())
            yield from ([*key, "entry", list(entry)] for entry in playbook.entries.values())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`, in their order."""
        match row:
            case [floor]:
                self._floor = floor
            case [space, owner, "shown", session_id, through]:
                self._playbooks[space, owner].shown[session_id] = through
            case [space, owner, "entry", fields]:
                self._put(self._playbooks[space, owner], Entry(*fields))
            case [space, owner, turn, last_id, n_evicted]:
                self._playbooks[space, owner] = Playbook(turn, last_id, n_evicted)

    def check_invariants(self) -> None:
        """Numbers grow, bounds hold, and the census is a recount."""
        census = Census()
        for key, playbook in self._playbooks.items():
            numbers = list(playbook.entries)
            if numbers != sorted(numbers) or (numbers and not 0 < numbers[0] <= numbers[-1] <= playbook.last_id):
                raise InvariantBroken(f"the numbers of the playbook {key} do not grow up to {playbook.last_id}")
            if len(numbers) > self._limits.max_entries or len(playbook.shown) > MAX_SESSIONS_SHOWN:
                raise InvariantBroken(f"the playbook {key} has {len(numbers)} entries, {len(playbook.shown)} readers")
            for entry in playbook.entries.values():
                census = census.moved(entry, 1)
        if census != self.census or len(self._playbooks) > self._limits.max_playbooks:
            raise InvariantBroken(f"{self.census} of {len(self._playbooks)} playbooks, a recount says {census}")
