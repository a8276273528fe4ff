"""A scent field and a quality store with real mailboxes and files, on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from actors.coordination.factory import make_coordination
from actors.coordination.messages import SCHEMA as FIELD_SCHEMA
from actors.memory.factory import make_memory
from actors.memory.messages import SCHEMA as MEMORY_SCHEMA
from actors.quality_store.factory import make_quality_store
from actors.quality_store.messages import SCHEMA as QUALITY_SCHEMA
from actors.runtime.compaction import compact
from actors.runtime.journal import Journal, Recover
from actors.runtime.kernel import Kernel
from actors.runtime.mailbox import Mailbox
from actors.runtime.outbox import Deliver
from actors.runtime.settings import MailboxLimits
from actors.runtime.store import Store, sqlite_url
from actors.runtime.wire import decode_reply, encode_request
from actors.scent_field.messages import Claim
from actors.sessions.messages import Register
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import SCHEMA as THRESHOLDS_SCHEMA
from coordinator.store.place import StorePlace
from coordinator.story.subject import AgentSubject, Subject, TargetSubject
from coordinator.story.telling import Story, tell

FIELD, QUALITY, THRESHOLDS, MEMORY = "scent_field", "quality_store", "thresholds", "memory"
SCHEMAS = {FIELD: FIELD_SCHEMA, QUALITY: QUALITY_SCHEMA, THRESHOLDS: THRESHOLDS_SCHEMA, MEMORY: MEMORY_SCHEMA}
MACHINES: dict[str, Callable[[], Any]] = {
    FIELD: make_coordination,
    QUALITY: make_quality_store,
    THRESHOLDS: lambda: make_thresholds(origin="0" * 16),
    MEMORY: make_memory,
}
EPOCH_S = 1_700_000_000.0


class Past:
    """Things that happen, at `now_s` seconds after the epoch of the test; then `story` tells them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now_s = 0.0
        self.n_folds = 0
        self.numbers: dict[tuple[str, str], int] = {}
        self.written: list[str] = []
        self.mailboxes = {domain: self._mailbox(domain) for domain in (FIELD, QUALITY)}

    def _mailbox(self, domain: str) -> Mailbox:
        self.written.append(domain)

        def open_journal(recover: Recover) -> Journal:
            return Journal.open(self._store(domain), new_store_id=f"id-{domain}", recover=recover)

        mailbox = Mailbox(open_journal=open_journal, make_machine=MACHINES[domain], limits=MailboxLimits())
        mailbox.open()
        mailbox.turn(monotonic_s=0.0, wall_s=EPOCH_S)
        return mailbox

    def _store(self, domain: str) -> Store:
        return Store(sqlite_url(self.folder / f"{domain}.sqlite3"), f"ns.{domain}")

    def wait(self, seconds: float) -> None:
        """Let time pass, in beats of half a second."""
        until_s = self.now_s + seconds
        while self.now_s < until_s:
            self.now_s = min(until_s, self.now_s + 0.5)
            for mailbox in self.mailboxes.values():
                self._beat(mailbox)

    def _beat(self, mailbox: Mailbox) -> None:
        mailbox.turn(monotonic_s=self.now_s, wall_s=EPOCH_S + self.now_s)

    def send(self, domain: str, session: str, command: Any, *, free: bool = False) -> list[Any]:
        """Send one command; the list has its answer once there is one."""
        number = 0 if free else self.numbers.get((domain, session), 0) + 1
        if not free:
            self.numbers[domain, session] = number
        answers: list[Any] = []
        envelope = (
            session,
            f"the secret token of {session}",
            number,
            max(0, number - 1),
            (),
            (SCHEMAS[domain].wire_of(command),),
        )
        if domain not in self.mailboxes:
            self.mailboxes[domain] = self._mailbox(domain)
        mailbox = self.mailboxes[domain]
        mailbox.deliver(encode_request([envelope]), lambda raw: answers.extend(decode_reply(raw, SCHEMAS[domain])[0]))
        self._beat(mailbox)
        return answers

    def register(self, name: str, parent: str = "") -> str:
        incarnation = self.numbers.get(("", ""), 0) + 1
        self.numbers["", ""] = incarnation
        session = f"{parent.rpartition('#')[0] + '/' if parent else ''}{name}#{incarnation}"
        answers = self.send(
            FIELD, "", Register(name, f"the secret token of {session}", parent, "heartbeat", 30.0), free=True
        )
        assert answers[0].session_id == session, answers
        return session

    def claim(self, session: str, *targets: str, wait_s: float = 0.0, mode: str = "exclusive", intent: str = "") -> Any:
        return self.send(FIELD, session, Claim("home", targets, mode, wait_s, intent))

    def carry(self) -> None:
        """Take the quality store's notes to the field, as the courier does."""
        outbox = self.mailboxes[QUALITY].outbox
        assert outbox is not None
        pending = outbox.pending(FIELD)
        self.send(FIELD, "", Deliver(f"{QUALITY}@id-{QUALITY}", pending.number, pending.notes), free=True)
        self.mailboxes[QUALITY].confirm_sent(FIELD, pending.number)

    def fold(self, domain: str) -> None:
        """Fold the journal so far into a snapshot."""
        self.mailboxes[domain].flush()
        with closing(self._store(domain)) as store:
            self.n_folds += 1
            compact(store, Kernel(MACHINES[domain]()), run=f"fold {self.n_folds}")

    def places(self) -> Iterator[StorePlace]:
        for domain in self.written:
            with closing(self._store(domain)) as store:
                yield StorePlace(domain, store, MACHINES[domain])

    def story(self, about: str, **rest: Any) -> Story:
        """The story of an agent (`ann#1`, `ann#`) or of a target in the space `home`."""
        return self.story_of(AgentSubject(about) if "#" in about else TargetSubject("home", about), **rest)

    def story_of(self, subject: Subject, **rest: Any) -> Story:
        for mailbox in self.mailboxes.values():
            mailbox.flush()
        return tell(list(self.places()), subject, **rest)

    def told(self, about: str, **rest: Any) -> list[tuple[str, str, str]]:
        """The same as (agent, what, what it follows from), causes by what they are."""
        return self.named(self.story(about, **rest))

    def named(self, story: Story) -> list[tuple[str, str, str]]:
        """Its facts as (agent, what, what it follows from)."""
        named = {fact.ref: fact.what for fact in story.facts}
        return [(fact.agent, fact.what, " ".join(named.get(ref, ref) for ref in fact.causes)) for fact in story.facts]

    def close(self) -> None:
        for mailbox in self.mailboxes.values():
            if mailbox.journal is not None:
                mailbox.journal.close()


@pytest.fixture
def past(tmp_path: Path) -> Iterator[Past]:
    made = Past(tmp_path)
    yield made
    made.close()
