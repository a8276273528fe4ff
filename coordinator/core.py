"""All that a coordinator can do for an agent, as operations that the sync and the async client share."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from actors.coordination.messages import Alive, Wanted
from actors.memory.messages import RecordRecall
from actors.quality_store.messages import EditQuality, GetEditQuality, GetStatistics, Statistics
from actors.runtime.errors import Misuse, ScentfieldError, Unavailable, UnknownAgent
from actors.scent_field import messages as field_messages
from actors.scent_field.messages import (
    Audit,
    Changes,
    Checked,
    ClaimEach,
    ClaimedEach,
    Deposited,
    FieldCounts,
    FieldView,
    Granted,
    Held,
    Losses,
    Noted,
    Released,
    answers_of,
)
from actors.sessions.messages import ListSessions, SessionList
from coordinator import giving
from coordinator.asking import Asker
from coordinator.close_desk import CloseDesk
from coordinator.close_work import MAX_ROWS, CloseWork, close_work
from coordinator.conversation import error_of
from coordinator.desk import Desk
from coordinator.domain import MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.editing.edited import Edited
from coordinator.editing.editor import Editor
from coordinator.editing.mover import Mover
from coordinator.editing.permit import EditPort
from coordinator.editing.refusal import Cause
from coordinator.editing.report import Outcome
from coordinator.editing.request import EditRequest
from coordinator.editing.undoer import Undoer
from coordinator.feedback.store_calls import AnswerCalls
from coordinator.heart import Heart, monotonic_s
from coordinator.identity import local_name
from coordinator.learning.learned import Learned
from coordinator.learning.policy_desk import PolicyDesk
from coordinator.memory.fact_calls import FactCalls
from coordinator.memory.ground import Ground
from coordinator.memory.handing import HandOver, hand_over
from coordinator.memory.lesson_desk import LessonDesk, names_of
from coordinator.memory.playbook_calls import PlaybookCalls
from coordinator.memory.session_trail import SessionTrail
from coordinator.memory.waking_calls import Waking, WakingCalls, WakingPort
from coordinator.reading.git_history import GitHistory
from coordinator.reading.mode import Wish
from coordinator.reading.reader import Reader, Reading, ReadPort
from coordinator.retrieval.answer import Answer
from coordinator.retrieval.indexer import Refreshed
from coordinator.retrieval.opening import retriever_of
from coordinator.retrieval.tree_retriever import By, TreeRetriever
from coordinator.session import AgentSession, beat, new_token, register, say_goodbye
from coordinator.settings import Settings
from coordinator.step import Operation, Transport, Work
from coordinator.tracing import TRACING
from coordinator.workspace import Workspace

if TYPE_CHECKING:
    from coordinator.embedding.embedder import Embedder

PathName = str | PathLike[str]
MAX_CLAIMS_A_CALL = 1_000
REPORT_TIMEOUT_S = 2.0
MISSES = frozenset((Cause.NOT_SHOWN, Cause.NEVER_THERE, Cause.CHANGED, Cause.AMBIGUOUS))
"""Edits that miss because their agent knew the file wrongly: what was shown with it did not help."""
_NO_MODEL = (
    "the embedding model is switched off: set model = 'static' under [embedding]; "
    "an agent that came through a gateway's URL has none"
)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who wants to register: a name, a parent session or none, and what keeps the session alive.

    `seat` is the process that it speaks for, as `local_name` spells it; empty if that is none.
    """

    name: str
    parent: str = ""
    kept_by: str = "heartbeat"
    seat: str = ""


class Core:
    """One agent in one workspace. All methods but the plain properties are operations to be driven."""

    def __init__(
        self,
        settings: Settings,
        workspace: Workspace,
        transport: Transport | None,
        identity: Identity,
        embedder: Embedder | None = None,
    ) -> None:
        TRACING.begin(settings.traces.config())
        self.settings = settings
        self.workspace = workspace
        self.transport = transport
        self.identity = identity
        self.session: AgentSession | None = None
        self.desk = Desk.set_up(workspace, settings.state_dir, blob_bytes=settings.blob_bytes)
        self._heart: Heart | None = None
        self._pid = os.getpid()
        self._is_closed = False
        asker = partial(Asker, timeout_s=settings.call_timeout_s, jitter=random.random)
        self._field = asker(SCENT_FIELD)
        self._quality = asker(QUALITY_STORE)
        self._thresholds = asker(THRESHOLDS)
        self._memory = asker(MEMORY)
        self.embedder = embedder
        self._retriever: TreeRetriever | None = None
        # Reports must not hold an agent up: they get a short time, and one that is late is dropped.
        report = partial(asker, timeout_s=min(REPORT_TIMEOUT_S, settings.call_timeout_s))
        self._memory_reports = report(MEMORY)
        self._quality_reports = report(QUALITY_STORE)
        self._thresholds_reports = report(THRESHOLDS)
        self._waking = Waking()
        self._trail = SessionTrail()
        self._uncounted: list[RecordRecall] = []
        self._quality_reports = report(QUALITY_STORE)
        self._lessons = LessonDesk(
            self._memory_reports, self._quality_reports, workspace.space, settings.holdout_share, monotonic_s
        )
        vectors_of = (lambda _: None) if embedder is None else embedder.try_rows
        self._close = CloseDesk(report(SCENT_FIELD), workspace.space, vectors_of, monotonic_s)
        read_port = ReadPort(
            report(SCENT_FIELD),
            self._quality_reports,
            PolicyDesk(self._thresholds_reports, monotonic_s),
            vectors_of=None if embedder is None else embedder.try_rows,
            history_of=GitHistory(workspace.root).of,
            holdout_share=settings.holdout_share,
        )
        self._reader = Reader(self.desk, read_port)
        port = EditPort(
            self._field,
            report(SCENT_FIELD),
            self._quality_reports,
            when_unavailable="warn" if settings.disabled else settings.when_unavailable,
            monotonic=monotonic_s,
        )
        self._editor = Editor(self.desk, port)
        self._mover = Mover(self.desk, port)
        self._undoer = Undoer(self.desk, port)

    @property
    def space(self) -> str:
        """The claim space."""
        return self.workspace.space

    def target(self, named: PathName) -> str:
        """The canonical target of what somebody named. Raises `BadTarget`."""
        return self.workspace.target(named)

    @property
    def learned(self) -> Learned:
        """What was learned from outcomes.

        Made for each use: if it were kept, a ring through its two functions would keep an agent that nobody holds any
        more, and its claims, until Python looks for rings.
        """
        return Learned(self._quality, self._thresholds, self._memory, current=self.current, asking=self._asking)

    @property
    def answers(self) -> AnswerCalls:
        """How questions went; made for each use, for the same reason."""
        reports, space = self._quality_reports, self.workspace.space
        return AnswerCalls(space, self._quality, reports, current=self.current, asking=self._asking)

    @property
    def playbook(self) -> PlaybookCalls:
        """Playbooks; made for each use, for the same reason."""
        return PlaybookCalls(self._ground())

    @property
    def facts(self) -> FactCalls:
        """Facts; the same."""
        return FactCalls(self._ground())

    @property
    def waking(self) -> WakingCalls:
        """Wakeups; the same."""
        own_tokens, holdout_share = self.settings.wakeup_tokens, self.settings.holdout_share
        port = WakingPort(self._thresholds_reports, self._quality_reports, self._waking, own_tokens, holdout_share)
        return WakingCalls(self._ground(), port)

    def _ground(self) -> Ground:
        current, asking = self.current, self._asking
        return Ground(
            self.workspace,
            self._memory,
            self._memory_reports,
            current,
            asking,
            self.embedder,
            self._waking.recalled,
            self._trail,
            self._uncounted,
        )

    @property
    def retriever(self) -> TreeRetriever:
        """What searches this tree; its index is made or opened when it is first asked."""
        if self._retriever is None:
            self._retriever = retriever_of(self.settings, self.workspace, self.embedder)
        return self._retriever

    def search(self, query: str, top_k: int, level: float, by: By) -> Operation[Answer]:
        """Passages of the tree; for half an hour, reads without a query of their own go by this one."""
        retriever = self.retriever
        answer: Answer = yield Work(lambda: retriever.search(query, top_k=top_k, level=level, by=by))
        self.searched(query)
        return answer

    def index(self, *, rebuild: bool) -> Operation[Refreshed]:
        """Bring the index of the tree to what the tree is now."""
        retriever = self.retriever
        done: Refreshed = yield Work(lambda: retriever.index(rebuild=rebuild))
        return done

    def register(self) -> Operation[AgentSession]:
        """Begin a session, and keep it alive in the background where heartbeats do that."""
        identity = self.identity
        session: AgentSession = yield from register(
            name=identity.name,
            parent=identity.parent,
            kept_by=identity.kept_by,
            ttl_s=self.settings.ttl_s,
            token=new_token(),
            now_s=monotonic_s(),
            timeout_s=self.settings.call_timeout_s,
            seat=identity.seat,
        )
        self.adopt(session)
        return session

    def adopt(self, session: AgentSession) -> None:
        """Go on with this session."""
        self._stop_heart()
        self.session = session
        self._pid = os.getpid()
        if session.kept_by == "heartbeat" and self.transport is not None:
            self._heart = Heart(session, self.transport, monotonic=monotonic_s, owner=self)
            self._heart.start()

    def _stop_heart(self) -> None:
        if self._heart is not None:
            self._heart.stop()
            self._heart = None

    def current(self) -> Operation[AgentSession]:
        """The session; begun on first use. Raises `UnknownAgent` if it has ended: register anew first."""
        if self._is_closed:
            raise Misuse("this coordinator is closed: connect again")
        session = self.session
        if session is not None and os.getpid() != self._pid:
            self.identity = Identity(local_name(), session.session_id, seat=local_name())
            session = None
        if session is None:
            session = yield from self.register()
        if session.end is not None:
            raise session.end
        self._waking.manifest.n_calls += 1
        return session

    def register_anew(self) -> Operation[str]:
        """After a session has ended: become a new agent of the same name; returns its identity."""
        session: AgentSession = yield from self.register()
        return session.session_id

    def close(self) -> Operation[int]:
        """Say goodbye: all claims are released at once; returns how many that were. Closing twice does no harm."""
        session, self.session = self.session, None
        self._stop_heart()
        self._is_closed = True
        retriever, self._retriever = self._retriever, None
        if retriever is not None:
            yield Work(retriever.close)
        if session is None or session.end is not None or os.getpid() != self._pid or session.kept_by == "decay":
            return 0
        session.held.clear()
        yield from self.waking.settle(session)
        yield from self.facts.settle(session)
        try:
            return (yield from say_goodbye(session, self.settings.call_timeout_s))
        except UnknownAgent:
            return 0  # it has ended already: a goodbye that was delivered twice, or a deadline that was missed

    def beat(self) -> Operation[Alive]:
        """One heartbeat now. Raises `UnknownAgent` with what was lost."""
        session: AgentSession = yield from self.current()
        return (yield from beat(session, monotonic_s(), self.settings.call_timeout_s))

    def validity(self) -> Callable[[Granted], bool]:
        """Tells of this session's claims, and of no later session's, whether they may be believed; asks nobody."""
        session, space = self.session, self.space
        if session is None:
            return lambda _: self.settings.disabled
        return lambda granted: session.holds(space, granted, monotonic_s())

    def claim(
        self, named: Sequence[PathName], *, shared: bool, wait_s: float, intent: str, any_of: bool
    ) -> Operation[Granted | Held]:
        """Ask for targets: all of them, or with `any_of` the first that is free."""
        targets = tuple(self.target(one) for one in named)
        if self.settings.disabled:
            return _granted_by_nobody(targets[:1] if any_of else targets)
        kind = field_messages.ClaimAny if any_of else field_messages.Claim
        command = kind(self.space, targets, "shared" if shared else "exclusive", wait_s, intent)
        session: AgentSession = yield from self.current()
        sent_at_s, newest_loss = monotonic_s(), session.newest_loss
        answer: Granted | Held = yield from self._field.request(session, command, wait_s=wait_s)
        if isinstance(answer, Granted):
            session.took_each(self.space, [answer], sent_at_s, newest_loss)
        return answer

    def close_to(self, answer: Granted | Held, intent: str) -> Operation[tuple[str, ...]]:
        """Who holds other files for something like the intent of a claim that was granted; nobody for a renewal."""
        if self.settings.disabled or isinstance(answer, Held) or answer.renewed:
            return ()
        return (yield from self._close.told(self._asking(), intent))

    def claim_each(
        self, targets: Sequence[str], *, shared: bool, intent: str
    ) -> Operation[list[Granted | Held | ScentfieldError]]:
        """Many independent claims, 1,000 a call and commit; targets have to be canonical already.

        What is wrong with one of them is its answer, and concerns no other.
        """
        if isinstance(targets, str):
            raise Misuse(f"claim_each takes a list of targets, not the text {targets[:80]!r}: put it into a list")
        mode = "shared" if shared else "exclusive"
        if self.settings.disabled:
            return [_granted_by_nobody((target,)) for target in targets]
        session: AgentSession = yield from self.current()
        sent_at_s, newest_loss = monotonic_s(), session.newest_loss
        answers: list[Any] = []
        for start in range(0, len(targets), MAX_CLAIMS_A_CALL):
            part = tuple(targets[start : start + MAX_CLAIMS_A_CALL])
            each: ClaimedEach = yield from self._field.request(session, ClaimEach(self.space, part, mode, intent))
            answers += answers_of(each, part)
        granted = [answer for answer in answers if type(answer) is Granted]
        session.took_each(self.space, granted, sent_at_s, newest_loss)
        return [error_of(answer) or answer for answer in answers]

    def release(self, named: Sequence[PathName], *, generation: int, done: bool) -> Operation[Released]:
        """Give targets back, or a whole claim by its generation."""
        targets = tuple(self.target(one) for one in named)
        if self.settings.disabled:
            return Released(len(targets), ())
        return (yield from self._release(targets, generation, done))

    def release_claim(self, granted: Granted, done: bool) -> Operation[Released]:
        """Give a whole claim back."""
        if self.settings.disabled:
            return Released(len(granted.targets), ())
        return (yield from self._release(granted.targets, granted.generation, done))

    def _release(self, targets: tuple[str, ...], generation: int, done: bool) -> Operation[Released]:
        session: AgentSession = yield from self.current()
        command = field_messages.Release(self.space, targets, generation, done)
        return (yield from giving.release(self._field, session, command))

    def transfer(self, generation: int, to_session: str, note: str) -> Operation[Granted | Held]:
        """Hand a claim over to another session."""
        session: AgentSession = yield from self.current()
        if "#" not in to_session:
            to_session = yield from self._named(to_session)
        command = field_messages.Transfer(self.space, generation, to_session, note)
        return (yield from giving.transfer(self._field, session, command))

    def hand_over(self, to_agent: str, note: str) -> Operation[HandOver]:
        """Hand all claims of this space over, after a checkpoint."""
        session: AgentSession = yield from self.current()
        to_session: str = to_agent if "#" in to_agent else (yield from self._named(to_agent))
        return (
            yield from hand_over(
                session,
                self.space,
                to_session,
                note,
                checkpoint=lambda: self.playbook.checkpoint([]),
                transfer=lambda generation: self.transfer(generation, to_session, note),
            )
        )

    def _named(self, name: str) -> Operation[str]:
        """The one live session of an agent that is called so. Raises `Misuse` if there is none, or more than one."""
        listed: SessionList = yield from self._ask(ListSessions(MAX_CLAIMS_A_CALL))
        found = [row.session_id for row in listed.rows if row.session_id.rpartition("#")[0] == name]
        if len(found) != 1:
            alive = f"{', '.join(found[:5])} are alive" if found else "nobody of that name is alive"
            raise Misuse(f"{name!r} does not name one agent ({alive}): give its agent_id, name#number; see sessions()")
        return found[0]

    def force_release(self, named: PathName, *, reason: str, even_if_alive: bool) -> Operation[Released]:
        """Take a target away from whoever holds it."""
        return self._change(field_messages.ForceRelease(self.space, self.target(named), reason, even_if_alive))

    def deposit(self, named: PathName, kind: str, intensity: float) -> Operation[Deposited]:
        """Leave a signal."""
        return self._change(field_messages.LeaveSignal(self.space, kind, self.target(named), intensity))

    def set_strictness(self, strictness: str) -> Operation[Noted]:
        """How this space treats edits of files that somebody else holds."""
        return self._change(field_messages.SetStrictness(self.space, strictness))

    def _change(self, command: Any) -> Operation[Any]:
        session: AgentSession = yield from self.current()
        return (yield from self._field.request(session, command))

    def sync(self, limit: int) -> Operation[FieldView]:
        """The strongest signals of the space."""
        return self._ask(field_messages.Sync(self.space, limit))

    def close_work(self, intent: str, n: int) -> Operation[list[CloseWork]]:
        """Who else holds claims for something like it. Waits for no model."""
        view: FieldView = yield from self.sync(MAX_ROWS)
        own, embedder = self._asking().session_id, self.embedder
        vectors_of = (lambda _: None) if embedder is None else embedder.try_rows
        found: list[CloseWork] = yield Work(lambda: close_work(intent, view.rows, own, vectors_of, n))
        return found

    def check(self, named: PathName, generation: int) -> Operation[Checked]:
        """Whether this session's claim with that generation covers a path; who holds it otherwise."""
        target = self.target(named)
        session: AgentSession = yield from self.current()
        command = field_messages.Check(self.space, target, generation, session.session_id)
        checked: Checked = yield from self._field.query(session, command)
        return checked

    def watch(self, version: int, timeout_s: float) -> Operation[Changes]:
        """The changes after a version, at once or when there are some."""
        return self._ask(field_messages.Watch(self.space, version, timeout_s), wait_s=timeout_s)

    def losses(self) -> Operation[Losses]:
        """The claims that this session lost, and who has them now."""
        session = self._asking()
        return self._field.query(session, field_messages.ListLosses(session.session_id))

    def audit(self) -> Operation[Audit]:
        """The last forced releases of the space."""
        return self._ask(field_messages.ListAudit(self.space))

    def sessions(self, limit: int) -> Operation[SessionList]:
        """Who is alive."""
        return self._ask(ListSessions(limit))

    def field_counts(self) -> Operation[FieldCounts]:
        """The field's gauges and counters."""
        return self._ask(field_messages.FieldStatistics())

    def record_edit(self, target: str, *, is_applied: bool, cause: str) -> Operation[None]:
        """Tell the coordinator of an edit that was made, or tried, by other means than ours; two seconds at most."""
        outcome = "success" if is_applied else "failure"
        edited = Edited(target, is_applied, cause, "")
        told = Outcome(edited, outcome, cause, self.desk.mode_of(target))
        session: AgentSession = yield from self.current()
        yield from self._editor.reports.send(session, target, told)

    def quality_statistics(self) -> Operation[Statistics]:
        """The quality store's counts."""
        return self._quality.query(self._asking(), GetStatistics())

    def edit_quality(self) -> Operation[EditQuality]:
        """The pairs of extension and mode, and how edits from them went."""
        return self._quality.query(self._asking(), GetEditQuality())

    def model(self) -> Embedder:
        """The way to the embedding model. Raises `Unavailable` if there is none."""
        if self.settings.disabled:
            raise Unavailable("SCENTFIELD_DISABLED is set: the embedding model was not asked")
        if self.embedder is None:
            raise Unavailable(_NO_MODEL)
        return self.embedder

    def wanted(self) -> tuple[Wanted, ...]:
        """Who waits for this session's claims, as its last heartbeat was told."""
        return () if self.session is None else self.session.wanted

    def _ask(self, command: Any, *, wait_s: float = 0.0) -> Operation[Any]:
        return self._field.query(self._asking(), command, wait_s=wait_s)

    def _asking(self) -> AgentSession:
        """Queries need no session of their own."""
        return self.session or AgentSession("", "", "decay", self.settings.ttl_s, 0.0)

    def read(self, named: PathName, wish: Wish) -> Operation[Reading]:
        """Show a file."""
        session: AgentSession | str = yield from self._reporting()
        reading: Reading = yield from self._reader.read(session, named, wish)
        self._trail.read(reading.path, reading.view.mode)
        return (yield from self._with_lessons(session, reading))

    def searched(self, text: str) -> None:
        """Note a search of this agent."""
        self.desk.focus.searched(text, time.time())

    def expand(self, named: PathName, unit: str) -> Operation[Reading]:
        """Show one unit of a file whole."""
        session: AgentSession | str = yield from self._reporting()
        reading: Reading = yield from self._reader.expand(session, named, unit)
        return (yield from self._with_lessons(session, reading, unit, f"{reading.path}:{unit}"))

    def _with_lessons(self, session: AgentSession | str, reading: Reading, *more: str) -> Operation[Reading]:
        """The reading, and beside it what has helped with this file before."""
        if isinstance(session, str):
            return reading
        yield from self._lessons.refresh(session)
        return replace(reading, lessons=self._lessons.lines(names_of(reading.path, more), reading.path))

    def lessons(self, granted: Granted) -> tuple[str, ...]:
        """What is known already of lessons about what was claimed. Asks nobody."""
        return self._lessons.lines([name for target in granted.targets for name in names_of(target)])

    def _reporting(self) -> Operation[AgentSession | str]:
        """The session, or why reading has to do without."""
        if self.settings.disabled or self.transport is None:
            return "switched off"
        try:
            return (yield from self.current())
        except Unavailable:
            return "no coordinator"
        except UnknownAgent as error:
            return f"your session has ended, register anew ({error.message})"

    def edit(self, named: PathName, request: EditRequest) -> Operation[Edited]:
        """Change a file."""
        session: AgentSession | None = yield from self._editing()
        edited: Edited = yield from self._editor.edit(session, named, request)
        cause = str(edited.cause)
        if edited.applied:
            self._trail.landed(edited.path)
        elif not edited:
            self._trail.failed(edited.path, cause)
        if session is None:
            return edited
        if edited.applied or cause in MISSES:
            yield from self._lessons.judged(session, edited.path, is_helpful=edited.applied)
        if edited:
            return edited
        return replace(edited, hints=(*edited.hints, *self._lessons.lines(names_of(edited.path, [cause]), edited.path)))

    def undo(self, named: PathName) -> Operation[Edited]:
        """Take back the newest edit of a file."""
        return (yield from self._undoer.undo((yield from self._editing()), named))

    def delete(self, named: PathName, expect_hash: str | None) -> Operation[Edited]:
        """Delete a file."""
        return (yield from self._mover.delete((yield from self._editing()), named, expect_hash))

    def move(self, named: PathName, new_name: PathName, expect_hash: str | None) -> Operation[Edited]:
        """Give a file another name."""
        return (yield from self._mover.move((yield from self._editing()), named, new_name, expect_hash))

    def _editing(self) -> Operation[AgentSession | None]:
        """The session; a dead one is an error here, never a way around the coordinator."""
        if self.settings.disabled or self.transport is None:
            return None
        try:
            return (yield from self.current())
        except Unavailable:
            if self.settings.when_unavailable == "refuse":
                raise
            return None


def _granted_by_nobody(targets: tuple[str, ...]) -> Granted:
    warning = "SCENTFIELD_DISABLED is set: nobody was asked"
    return Granted(0, targets, 0.0, "nobody", False, (), (warning,))


def named_list(named: PathName | Sequence[PathName]) -> list[PathName]:
    """One name or several, as a list. Raises `Misuse` for none."""
    names: list[PathName] = [named] if isinstance(named, (str, PathLike)) else _listed(named)
    if not names:
        raise Misuse("no target was named: name a file, a folder, a glob or a label")
    return names


def _listed(named: Sequence[PathName]) -> list[PathName]:
    try:
        return list(named)
    except TypeError:
        raise Misuse(f"a target is text or a path, or there are several in a list, not {named!r:.80}") from None
