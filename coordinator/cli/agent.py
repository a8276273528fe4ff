"""The agent that one command acts for: found again between calls, and gone with the command.

Its session lives by decay and is kept in a file (see `session_file`), as is what it has been shown. Nothing is asked
before a command needs it: queries need no session, and reading does without a coordinator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from actors.runtime.errors import ScentfieldError, Unavailable, UnknownAgent
from coordinator.cli.session_file import Block, KeptSession, SessionFolder, file_stem
from coordinator.client import NoTransport
from coordinator.core import Core, Identity
from coordinator.desk import BookFile, FocusFile
from coordinator.domain import DOMAINS
from coordinator.editing.file_lock import locked
from coordinator.folder import private_folder
from coordinator.heart import monotonic_s
from coordinator.identity import caller_names
from coordinator.reading.focus import Focus
from coordinator.session import AgentSession, beat, register
from coordinator.settings import Settings
from coordinator.step import Operation, Transport, drive
from coordinator.workspace import SETTINGS_FILE, Workspace

Value = TypeVar("Value")
Connect = Callable[[Settings], Transport]

KEPT_BY: Final = "decay"
_TELL_S: Final = 2.0


class ShellAgent:
    """Runs operations of a `Core` for a caller that lives for one command.

    `note` says something to the caller that is no part of the answer.
    """

    def __init__(self, settings: Settings, root: Path | None, connect: Connect, note: Callable[[str], None]) -> None:
        self.settings = settings
        self.workspace = Workspace.discover(Path.cwd() if root is None else root, space=settings.space)
        self._connect = connect
        self._note = note
        self._folder = SessionFolder(settings.state_dir, settings.namespace, self.workspace.space)
        self._name: str | None = None
        self._core: Core | None = None
        self.why_alone = ""

    @property
    def name(self) -> str:
        """Given, else that of the nearest process above which has a session here, else of the one that called."""
        if self._name is None:
            self._name = self.settings.agent or self._called_by()
        return self._name

    def _called_by(self) -> str:
        names = caller_names()
        return self._folder.nearest(names) or names[0]

    @property
    def agent_id(self) -> str:
        """The session's identity while there is one."""
        session = None if self._core is None else self._core.session
        return "" if session is None else session.session_id

    def target(self, named: str) -> str:
        """The canonical target of what was named here: relative names start at the current folder, if it is inside."""
        return self.workspace.target(named, cwd=self._here)

    def own_target(self, named: str) -> str:
        """The same for a file that is moved or deleted itself: no symlink."""
        return self.workspace.own_target(named, cwd=self._here)

    @property
    def _here(self) -> Path | None:
        here = Path.cwd()
        return here if here.is_relative_to(self.workspace.root) else None

    def targets(self, named: list[str]) -> list[str]:
        """The same for several."""
        return [self.target(one) for one in named]

    @property
    def transport(self) -> Transport:
        """The way to the actors. Raises `Unavailable`."""
        return self.core.transport or NoTransport()

    @property
    def core(self) -> Core:
        """What the operations are made of. Raises `Unavailable` if there is no coordinator."""
        if self._core is None:
            transport = None if self.settings.disabled else self._connect(self.settings)
            self._core = self._make_core(transport)
        return self._core

    def _make_core(self, transport: Transport | None) -> Core:
        return Core(self.settings, self.workspace, transport, Identity(self.name, "", KEPT_BY))

    def query(self, ask: Callable[[Core], Operation[Value]]) -> Value:
        """Carry out what needs no session."""
        return drive(ask(self.core), self.transport)

    def act(self, make: Callable[[Core], Operation[Value]]) -> Value:
        """Carry out what needs a session. Raises `Unavailable` if there is no coordinator."""
        if self.core.transport is None:
            return drive(make(self.core), self.transport)
        return self._act(make, self._begin())

    def _act(self, make: Callable[[Core], Operation[Value]], begun: tuple[KeptSession, Block]) -> Value:
        """Carry it out; a session that the coordinator does not know any more is begun anew, once."""
        try:
            with self._session(*begun) as session:
                return self._attempt(make, session)
        except _SessionIsOver as over:
            with self._session(*self._begin()) as session:
                self._note(f"{over}; registered anew as {session.session_id}, which holds nothing")
                return drive(make(self.core), self.transport)

    def _attempt(self, make: Callable[[Core], Operation[Value]], session: AgentSession) -> Value:
        try:
            return drive(make(self.core), self.transport)
        except UnknownAgent as error:
            if not self._is_over(session):
                raise
            raise _SessionIsOver(error.message) from error

    def _is_over(self, session: AgentSession) -> bool:
        """Whether it is this session that is unknown, and not another that the command was about."""
        try:
            drive(beat(session, monotonic_s(), self.settings.call_timeout_s), self.transport)
        except UnknownAgent:
            return True
        return False

    def _begin(self) -> tuple[KeptSession, Block]:
        """The kept session, or a new one, and request numbers for this process."""
        return self._folder.begin(self.name, self._register)

    @contextmanager
    def _session(self, kept: KeptSession, block: Block) -> Iterator[AgentSession]:
        """The session in use; its request numbers are given back on leaving."""
        session = self._resumed(kept, block)
        self.core.adopt(session)
        try:
            yield session
        except _SessionIsOver:
            self._folder.forget(kept)
            raise
        finally:
            self._folder.settle(kept, block, self._left(session))

    def _register(self, token: str) -> str:
        registering = register(
            name=self.name,
            parent="",
            kept_by=KEPT_BY,
            ttl_s=self.settings.ttl_s,
            token=token,
            now_s=monotonic_s(),
            timeout_s=self.settings.call_timeout_s,
            seat="" if self.settings.agent else self.name,
        )
        session_id = drive(registering, self.transport).session_id
        if self.settings.agent is None:
            self._note(f"you are {session_id}, the process that called; name yourself with --agent or SCENTFIELD_AGENT")
        if self.settings.space is None and not self._is_marked:
            self._note(
                f"no git repository and no {SETTINGS_FILE} here: the claim space {self.workspace.space} is the folder "
                f"{self.workspace.root} only; name another with --space"
            )
        return session_id

    @property
    def _is_marked(self) -> bool:
        """Whether something says that the root is one; else it is just the folder that was named."""
        root = self.workspace.root
        return (root / ".git").exists() or (root / SETTINGS_FILE).is_file()

    def _resumed(self, kept: KeptSession, block: Block) -> AgentSession:
        session = AgentSession(kept.session_id, kept.token, KEPT_BY, self.settings.ttl_s, 0.0)
        for domain, conversation in session.conversations.items():
            conversation.resume(kept.numbers(block, domain))
        return session

    def _left(self, session: AgentSession) -> dict[str, frozenset[int]]:
        """Tell what was given up, such as a wait that was interrupted; returns what could not be told."""
        if session.end is None and any(one.told() for one in session.conversations.values()):
            with suppress(ScentfieldError):
                drive(beat(session, monotonic_s(), _TELL_S), self.transport)
        return {domain: session.conversations[domain].told() for domain in DOMAINS}

    def at_desk(self, make: Callable[[Core], Operation[Value]]) -> Value:
        """Carry out what reads or writes files. Where there is no coordinator it goes on alone; `why_alone` says so.

        One command of an agent at a time: each adds to what the agent has been shown.
        """
        with self._files() as (file, focus_file):
            book, focus = file.load(), focus_file.load()
            begun = self._begin_or_go_alone()
            self.core.desk.book, self.core.desk.focus = book, focus
            try:
                return drive(make(self.core), self.transport) if begun is None else self._act(make, begun)
            finally:
                file.save(book)
                focus_file.save(focus)

    def focus(self, change: Callable[[Focus], None]) -> Focus:
        """What the agent works on, after `change`. Asks nobody."""
        with self._files() as (_, file):
            focus = file.load()
            change(focus)
            file.save(focus)
            return focus

    @contextmanager
    def _files(self) -> Iterator[tuple[BookFile, FocusFile]]:
        """The agent's files, which no other command of it touches meanwhile.

        A session is at home in a space, and so is what it works on; but what it has been shown are files of one tree.
        """
        stem = file_stem(self.name)
        folder = private_folder(self.settings.state_dir / "views" / self._folder.digest)
        tree = private_folder(folder / self.workspace.digest)
        with locked(folder / f"{stem}.lock", self.settings.call_timeout_s):
            yield BookFile(tree / f"{stem}.json"), FocusFile(folder / f"{stem}.focus.json")

    def _begin_or_go_alone(self) -> tuple[KeptSession, Block] | None:
        try:
            return None if self.core.transport is None else self._begin()
        except Unavailable as error:
            self.why_alone = error.message
            self._core = self._make_core(Unreachable(error))
            return None


class Unreachable:
    """Stands in where there is no coordinator: every call says so."""

    def __init__(self, why: Unavailable) -> None:
        self._why = why

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable`."""
        raise Unavailable(self._why.message)

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Raise `Unavailable`."""
        return self.call(domain, raw, timeout_s)

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable`."""
        raise Unavailable(self._why.message)


class _SessionIsOver(Exception):
    """The coordinator does not know this session any more."""
