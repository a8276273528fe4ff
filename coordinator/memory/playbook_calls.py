"""What an agent does with playbooks, as operations that the sync and the async client share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from actors.memory.entry import Draft
from actors.memory.limit import MAX_DRAFTS
from actors.memory.messages import (
    Added,
    AddEntry,
    ConfirmEntry,
    EntryNow,
    EvictedEntry,
    EvictEntry,
    GetPlaybook,
    GetStatistics,
    PlaybookView,
    ResumePlaybook,
    ShowEntries,
    Statistics,
    TakeCheckpoint,
    VoteEntry,
)
from actors.memory.report import playbook_text
from actors.runtime.errors import Misuse
from coordinator.conversation import value_of
from coordinator.memory.checkpoint import Checkpoint
from coordinator.memory.ground import Ground
from coordinator.session import AgentSession
from coordinator.step import Operation

SESSION: Final = "session"
PROJECT: Final = "project"


class PlaybookCalls:
    """`scope` is "session" for the agent's own playbook, "project" for that of its space."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def add(self, kind: str, content: str, about: str, scope: str) -> Operation[Added]:
        """Append an entry, or confirm the one that says the same. What is no entry, or a secret, is not even sent."""
        draft = Draft(kind, content, about)
        draft.check()
        return self._ground.change(AddEntry(self._ground.space, scope, draft))

    def confirm(self, entry_id: int, scope: str) -> Operation[EntryNow]:
        """Say that an entry still holds."""
        return self._ground.change(ConfirmEntry(self._ground.space, scope, entry_id))

    def vote(self, entry_id: int, is_helpful: bool, scope: str) -> Operation[EntryNow]:
        """Say whether an entry helped or harmed."""
        return self._ground.change(VoteEntry(self._ground.space, scope, entry_id, is_helpful))

    def evict(self, entry_id: int, scope: str) -> Operation[EvictedEntry]:
        """Remove an entry."""
        return self._ground.change(EvictEntry(self._ground.space, scope, entry_id))

    def view(self, scope: str) -> Operation[PlaybookView]:
        """The entries. Those of the project count as shown to this agent from then on."""
        if scope not in (SESSION, PROJECT):
            raise Misuse(f"unknown scope {scope[:80]!r} of a playbook: give one of {SESSION}, {PROJECT}")
        ground = self._ground
        session: AgentSession = yield from ground.current()
        owner = session.session_id if scope == SESSION else ""
        view: PlaybookView = yield from ground.memory.query(session, GetPlaybook(ground.space, owner))
        if scope == PROJECT and view.entries:
            yield from ground.memory.request(session, ShowEntries(ground.space, view.last_id))
        return view

    def render(self, scope: str) -> Operation[str]:
        """The same as text, one line an entry."""
        view: PlaybookView = yield from self.view(scope)
        return playbook_text(view.entries)

    def resume(self, from_session: str) -> Operation[str]:
        """Go on with what an earlier session kept; returns it as text."""
        view: PlaybookView = yield from self._ground.change(ResumePlaybook(self._ground.space, from_session))
        return playbook_text(view.entries)

    def checkpoint(self, more: Sequence[Draft]) -> Operation[Checkpoint]:
        """Keep what the session did and what the agent adds, and let a turn pass for what it was shown.

        Raises `Misuse` for what is no entry, or more than one checkpoint takes; then nothing was kept.
        """
        for draft in more:
            draft.check()
        ground, found = self._ground, self._ground.trail.drafts()
        drafts = tuple([*more, *found][: max(len(more), MAX_DRAFTS)])
        session: AgentSession = yield from ground.current()
        commands = [TakeCheckpoint(ground.space, SESSION, drafts), TakeCheckpoint(ground.space, PROJECT, ())]
        own, shared = yield from ground.memory.request_many(session, commands)
        taken = value_of(own)
        ground.trail.kept(drafts)
        n_dropped, ground.trail.n_dropped = ground.trail.n_dropped, 0
        view: PlaybookView = yield from ground.memory.query(session, GetPlaybook(ground.space, session.session_id))
        return Checkpoint(playbook_text(view.entries), taken, value_of(shared), n_dropped)

    def note(self, kind: str, content: str, about: str) -> None:
        """Have the next checkpoint keep this. Raises `Misuse` for what is no entry, or a secret. Asks nobody."""
        self._ground.trail.noted(Draft(kind, content, about))

    def tests(self, outcomes: Mapping[str, bool]) -> None:
        """Tell which tests passed and which did not. Raises `Misuse` for a name that is none. Asks nobody."""
        for name, passed in outcomes.items():
            self._ground.trail.tested(name, passed=passed)

    def statistics(self) -> Operation[Statistics]:
        """The memory's counts, those of facts among them."""
        return self._ground.ask(GetStatistics())
