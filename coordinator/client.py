"""`Coordinator`: what a Python agent holds in its hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from actors.coordination.messages import Alive, Wanted
from actors.quality_store.evidence import Evidence
from actors.quality_store.messages import EditQuality, OutcomesGone, ReadQuality, Savings, Statistics
from actors.runtime.errors import Misuse, ScentfieldError, Unavailable
from actors.runtime.layer_switch import LayerList, LayerNow
from actors.scent_field.messages import (
    Audit,
    Changes,
    Checked,
    FieldCounts,
    FieldView,
    Granted,
    Held,
    Loss,
    Released,
)
from actors.sessions.messages import SessionList
from actors.thresholds.event import ReplayRow
from actors.thresholds.messages import Forgotten, Imported, Learning, ReplayCounted
from coordinator.answer import Claimed, NotGranted
from coordinator.close_work import CloseWork
from coordinator.core import Core, Identity, PathName, named_list
from coordinator.editing.edited import Edited
from coordinator.editing.request import EditRequest, replacements_of
from coordinator.efficacy.told import Efficacy, efficacy
from coordinator.feedback.handle import AnswerHandle
from coordinator.http_transport import HttpTransport, token_for
from coordinator.identity import local_name
from coordinator.memory.handing import HandOver
from coordinator.memory.handle import FactHandle, PlaybookHandle
from coordinator.reading.budget import Budget
from coordinator.reading.mode import Wish
from coordinator.reading.reader import Reading
from coordinator.retrieval.answer import Answer
from coordinator.retrieval.indexer import Refreshed
from coordinator.retrieval.passage import Passage
from coordinator.retrieval.tree_retriever import By
from coordinator.settings import Settings
from coordinator.step import Operation, Transport, drive
from coordinator.waking.layout import Wakeup
from coordinator.workspace import Workspace

if TYPE_CHECKING:
    from actors.embedding.messages import DuplicateTexts, SimilarTexts, Vectors
    from actors.embedding.status import Status as EmbeddingStatus
    from coordinator.embedding.embedder import Embedder

Value = TypeVar("Value")
_WAY_S: Final = 0.05


def connect_core(
    settings: Settings | None,
    root: PathName | None,
    agent: str | None,
    parent: str,
    kept_by: str,
    task: str = "",
    url: str = "",
) -> Core:
    """Find the coordinator, at a gateway's `url` or over Ray, and set up an agent with a task.

    Raises `Unavailable` and says what to do.
    """
    if root is not None and not Path(root).exists():
        raise Misuse(f"there is no folder {str(root)!r} to work in: name the root of the files that agents share")
    settings = settings or Settings.load(start=None if root is None else Path(root))
    transport: Transport | None = None
    embedder: Embedder | None = None
    if url and not settings.disabled:
        # It brings arrays along, which whoever does without the model does without.
        from coordinator.embedding.gateway_line import gateway_embedder

        token = token_for(url, settings.state_dir)
        transport = HttpTransport(url, token)
        # A hot path that asks the model waits for its answer as long as it says, and hardly longer.
        embedder = gateway_embedder(HttpTransport(url, token, slack_s=_WAY_S)) if settings.model.is_wanted else None
    elif not settings.disabled:
        # Ray is a slow import and not needed by whoever does without it.
        from coordinator.cluster import attach
        from coordinator.embedding.connect import ray_embedder
        from coordinator.ray_transport import RayTransport

        attach(settings)
        transport = RayTransport(settings.namespace)
        embedder = ray_embedder(settings.namespace) if settings.model.is_wanted else None
    workspace = Workspace.discover(Path.cwd() if root is None else root, space=settings.space)
    identity = Identity(agent or settings.agent or local_name(), parent, kept_by, local_name())
    core = Core(settings, workspace, transport, identity, embedder)
    core.desk.focus.work_on(task)
    return core


class Coordinator:
    """One agent's connection: claims, signals, views and edits in one workspace.

    Usable from several threads, in drivers, Ray tasks and Ray actors. While it is open, a background thread keeps the
    session alive, also while the agent thinks; it dies with the process, and then the claims end within the TTL.
    Closing it, or a normal exit, releases everything at once. Pickled to another process it becomes a child of this
    agent.
    """

    def __init__(self, core: Core) -> None:
        self._core = core

    @classmethod
    def connect(
        cls,
        url: str = "",
        *,
        agent: str | None = None,
        root: PathName | None = None,
        settings: Settings | None = None,
        parent: str = "",
        kept_by: str = "heartbeat",
        task: str = "",
    ) -> Coordinator:
        """Connect and register as `agent` in the workspace around `root` (default: the current folder).

        Through the gateway at `url` (`http://127.0.0.1:7464`), without Ray in this process, or over Ray if it is empty.

        `parent` makes this agent a child: never blocked by its parent's claims. `task` is as in `work_on`. Raises
        `Unavailable` if no coordinator is running, `Misuse` for a name that cannot be used.
        """
        coordinator = cls(connect_core(settings, root, agent, parent, kept_by, task, url))
        if coordinator._core.transport is not None:
            coordinator._do(coordinator._core.register())
        return coordinator

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        core, transport = self._core, self._core.transport
        url = transport.url if isinstance(transport, HttpTransport) else ""
        return (_reconnect, (core.settings, str(core.workspace.root), core.space, self.agent_id, url))

    def __repr__(self) -> str:
        return f"Coordinator({self.agent_id or 'no session'}, space={self._core.space!r})"

    def _do(self, operation: Operation[Value]) -> Value:
        transport = self._core.transport
        return drive(operation, NoTransport() if transport is None else transport)

    @property
    def agent_id(self) -> str:
        """The session's identity, `name#incarnation`; empty before it has one."""
        session = self._core.session
        return "" if session is None else session.session_id

    @property
    def space(self) -> str:
        """The claim space."""
        return self._core.space

    @property
    def root(self) -> Path:
        """The workspace's root; targets are relative to it."""
        return self._core.workspace.root

    @property
    def wanted(self) -> tuple[Wanted, ...]:
        """Who waits for this agent's claims, as its last heartbeat was told."""
        return self._core.wanted()

    @property
    def playbook(self) -> PlaybookHandle:
        """What this agent found worth keeping, and what all agents of the space did."""
        return PlaybookHandle(self._core.playbook, self._do)

    @property
    def facts(self) -> FactHandle:
        """What the agents of this space know."""
        return FactHandle(self._core.facts, self._do)

    @property
    def answers(self) -> AnswerHandle:
        """How good all agents' answers were, and what feedback strategies achieved; for `QualityFeedbackLoop`."""
        return AnswerHandle(self._core.answers, self._do)

    def wakeup(
        self, task: str = "", *, profile: str = "default", max_tokens: int | None = None, category: str = ""
    ) -> Wakeup:
        """What to begin with: facts in chunks, the most salient first, and the task; within the profile's token cap.

        `profile` is `claude`, `gpt`, `gemini`, `default`, or one of the setting `wakeup_tokens`; how much stands at the
        beginning is learned for each from what is recalled after. Raises `Misuse`, `Unavailable`.
        """
        return self._do(self._core.waking.wakeup(task, profile, max_tokens, category))

    def claim(
        self, targets: PathName | Sequence[PathName], *, shared: bool = False, wait_s: float = 0.0, intent: str = ""
    ) -> Claimed | NotGranted:
        """Claim files, folders (`src/`), globs (`src/**/*.py`) or labels (`task:login`): all of them, or none.

        Returns `Claimed` (true) or `NotGranted` (false), which says who holds what and what to do. With `wait_s` it
        queues up, first come first served. Claiming the same again renews it and keeps the generation. In a `with`
        block it is released at the end; one that was not granted raises `ClaimRefused` there. Raises `BadTarget`,
        `UnknownAgent` if this session has ended, `Unavailable` if nobody could answer. With an `intent`, `close_work`
        of what is returned says who holds other targets for something like it.
        """
        names = named_list(targets)
        asked = self._core.claim(names, shared=shared, wait_s=wait_s, intent=intent, any_of=False)
        return self._own(self._do(asked), intent)

    def claim_any(
        self, targets: Sequence[PathName], *, shared: bool = False, wait_s: float = 0.0, intent: str = ""
    ) -> Claimed | NotGranted:
        """Claim the first of these targets that is free, in one step."""
        names = named_list(targets)
        asked = self._core.claim(names, shared=shared, wait_s=wait_s, intent=intent, any_of=True)
        return self._own(self._do(asked), intent)

    def claim_each(
        self, targets: Sequence[str], *, shared: bool = False, intent: str = ""
    ) -> list[Claimed | NotGranted | ScentfieldError]:
        """Many independent claims, 1,000 a call and commit; the targets must be canonical already.

        Each answer stands for itself: what is wrong with one target is returned in its place, as an error, not raised.
        """
        answers = self._do(self._core.claim_each(targets, shared=shared, intent=intent))
        is_valid, release = self._core.validity(), self._give_back
        return [
            Claimed(one, is_valid, release)
            if isinstance(one, Granted)
            else NotGranted(one)
            if isinstance(one, Held)
            else one
            for one in answers
        ]

    def _own(self, answer: Granted | Held, intent: str) -> Claimed | NotGranted:
        if isinstance(answer, Held):
            return NotGranted(answer)
        close = self._do(self._core.close_to(answer, intent))
        return Claimed(answer, self._core.validity(), self._give_back, self._core.lessons(answer), close)

    def _give_back(self, granted: Granted, done: bool) -> Released:
        return self._do(self._core.release_claim(granted, done))

    def release(
        self, targets: PathName | Sequence[PathName] = (), *, generation: int = 0, done: bool = False
    ) -> Released:
        """Give back targets, or with `generation` a whole claim; `done` leaves a DONE signal.

        The answer says what was not released, and why.
        """
        names = [] if generation and not targets else named_list(targets)
        return self._do(self._core.release(names, generation=generation, done=done))

    def transfer(self, generation: int, to_agent: str, *, note: str = "") -> Granted | NotGranted:
        """Hand the claim with this generation over to another live agent; returns what that agent holds now.

        `to_agent` is its `agent_id`, or its name if that is unique. The note stands where the claim's intent stood.
        """
        answer = self._do(self._core.transfer(generation, to_agent, note))
        return NotGranted(answer) if isinstance(answer, Held) else answer

    def hand_over(self, to_agent: str, *, note: str = "") -> HandOver:
        """Make a checkpoint and hand over all claims of this space; what is returned tells the other agent of both.

        `to_agent` is its `agent_id`, or its name if that is unique; it can go on with `playbook.resume`. Claims that
        somebody waits for in its way stay here, in `kept`.
        """
        return self._do(self._core.hand_over(to_agent, note))

    def force_release(self, target: PathName, *, reason: str, even_if_alive: bool = False) -> Released:
        """Take a target away from whoever holds it; refused while the holder is alive unless told otherwise.

        Leaves an audit line with `reason`.
        """
        return self._do(self._core.force_release(target, reason=reason, even_if_alive=even_if_alive))

    def deposit(self, target: PathName, kind: str, *, intensity: float = 1.0) -> float:
        """Leave a signal, HOT, STUCK, DONE or AVOID; returns its intensity now. It decays with its half-life."""
        return self._do(self._core.deposit(target, kind, intensity)).intensity

    def set_strictness(self, strictness: str) -> None:
        """How this space treats an edit of a file that somebody else holds: `observe`, `warn` or `deny`."""
        self._do(self._core.set_strictness(strictness))

    def sync(self, *, limit: int = 15) -> FieldView:
        """The live field: the strongest signals first, claims among them, and how many rows were left out."""
        return self._do(self._core.sync(limit))

    def close_work(self, intent: str, *, n: int = 5) -> list[CloseWork]:
        """Who else holds claims for something like this intent, the nearest first: ask before beginning the same thing.

        Near by words, and by meaning where the embedding model is ready.
        """
        return self._do(self._core.close_work(intent, n))

    def check(self, path: PathName, generation: int = 0) -> Checked:
        """Whether this agent's claim with that generation still covers the path; if not, why, and who holds it now."""
        return self._do(self._core.check(path, generation))

    def watch(self, version: int, *, timeout_s: float = 30.0) -> Changes:
        """What has changed after `version` (from `sync` or the last `watch`); waits for something to change."""
        return self._do(self._core.watch(version, timeout_s))

    def losses(self) -> tuple[Loss, ...]:
        """The claims that this session lost without its doing, why, and who has them now."""
        return self._do(self._core.losses()).losses

    def heartbeat(self) -> Alive:
        """Say that this agent is alive, now; the background thread does so by itself."""
        return self._do(self._core.beat())

    def register_anew(self) -> str:
        """After the session has ended (`UnknownAgent`): begin a new one; returns its identity. Nothing is held."""
        return self._do(self._core.register_anew())

    def audit(self) -> Audit:
        """The last forced releases of this space."""
        return self._do(self._core.audit())

    def sessions(self, *, limit: int = 100) -> SessionList:
        """Who is alive."""
        return self._do(self._core.sessions(limit))

    def statistics(self) -> tuple[FieldCounts, Statistics]:
        """Counts of the field and of the quality store."""
        return self._do(self._core.field_counts()), self._do(self._core.quality_statistics())

    def efficacy(self) -> Efficacy:
        """How edits and reads went, what was learned, and what it was worth, as the stores tell it."""
        return self._do(efficacy(self._core))

    def edit_quality(self) -> EditQuality:
        """How edits went, by extension and mode of the view that they were made from."""
        return self._do(self._core.edit_quality())

    def read_quality(self) -> ReadQuality:
        """How often compressed views were followed by a whole read, by extension."""
        return self._do(self._core.learned.read_quality())

    def savings(self, *, n_days: int = 30) -> Savings:
        """Tokens sent, saved, and lost again to second reads and failed edits, by day and by month."""
        return self._do(self._core.learned.savings(n_days))

    def evidence(self, *, n_days: int = 30) -> Evidence:
        """What the ledger says of the newest days: how edits ended, and each learned layer beside its holdout."""
        return self._do(self._core.learned.evidence(n_days))

    def layers(self) -> tuple[LayerList, ...]:
        """Which learned layers there are, which are off, and who has switched them, by the actors that serve them."""
        return self._do(self._core.learned.layers())

    def switch_layer(self, layer: str, *, on: bool, reason: str = "") -> LayerNow:
        """Switch a learned layer on or off, for everybody; `reason` is one line that is kept with who did it."""
        return self._do(self._core.learned.switch_layer(layer, reason, is_on=on))

    def forget_outcomes(self, extension: str = "") -> OutcomesGone:
        """Forget what failed edits and bounces have made `full`: of files with an extension, or all of it."""
        return self._do(self._core.learned.forget_outcomes(extension))

    def learning(self) -> Learning:
        """What was learned from outcomes, and from how many."""
        return self._do(self._core.learned.learning())

    def export_learning(self) -> bytes:
        """What was learned as JSON, to be shared: kinds of files, client profiles and numbers, nothing else."""
        return self._do(self._core.learned.export()).text

    def import_learning(self, text: bytes) -> Imported:
        """Merge what others have exported; twice is as good as once. Raises `Misuse`, and then nothing was merged."""
        return self._do(self._core.learned.merge(text))

    def reset_learning(self, extension: str = "") -> Forgotten:
        """Forget what was learned of one extension, or all of it."""
        return self._do(self._core.learned.reset(extension))

    def record_replay(self, history: str, rows: Sequence[ReplayRow]) -> ReplayCounted:
        """Let this be what replays say of a history, as `scentfield replay --learn` does; twice is as good as once."""
        return self._do(self._core.learned.record_replay(history, tuple(rows)))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, one row each; waits for the model. Raises `Unavailable` if there is none, and why."""
        return self._core.model().embed(texts)

    def similar(self, query: str, texts: Sequence[str], *, n_wanted: int = 10) -> SimilarTexts:
        """The texts nearest to `query` in meaning, nearest first. Raises as `embed`."""
        return self._core.model().similar(query, texts, n_wanted)

    def near_duplicates(self, texts: Sequence[str]) -> DuplicateTexts:
        """The texts that say what an earlier one says. Raises as `embed`."""
        return self._core.model().near_duplicates(texts)

    def embedding_status(self) -> EmbeddingStatus:
        """Whether the embedding model is ready, and why not. Raises `Unavailable` where it is switched off."""
        return self._core.model().status()

    def work_on(self, task: str) -> None:
        """Say what this agent is working on: reads that give no query go by it. "" for nothing in particular."""
        self._core.desk.focus.work_on(task)

    def searched(self, text: str) -> None:
        """Say what this agent has just searched for: for half an hour, reads go by it where there is no task."""
        self._core.searched(text)

    def read(self, path: PathName, mode: str = "auto", *, query: str = "", budget: Budget | None = None) -> Reading:
        """Show a file: `auto`, `full`, `lines:N-M`, `diff`, `signatures`, `map`, `units` or `entropy`.

        `units` and `entropy` prefer what speaks of `query`, and keep to `budget`: tokens if it is a whole number, a
        share of the file's with a point (0.25). Other modes look at neither.
        Works without a coordinator too, and says so. Raises `BadTarget`, and `Misuse` for an unknown mode, a binary
        file, or one that is not there.
        """
        return self._do(self._core.read(path, Wish(mode, query, budget)))

    def expand(self, path: PathName, unit: str) -> Reading:
        """Show one unit of a file whole: `function`, `Class.method`, or `L10-42`."""
        return self._do(self._core.expand(path, unit))

    def search(self, query: str, *, top_k: int = 10, level: float = 0.0, by: By = "both") -> Answer:
        """The passages of the tree that answer `query` best, by words and by meaning, as the tree is now.

        `level` runs from 0.0, passages whole, to 1.0, a fifth of their tokens. Its notes say where words alone were
        looked for, or files are not in the index yet. Raises `Misuse` for a query without a word; `Unavailable` where
        the tree has to be indexed first.
        """
        return self._do(self._core.search(query, top_k, level, by))

    def retrieve(self, query: str, *, top_k: int = 10, level: float = 0.0) -> list[Passage]:
        """The passages of `search`: so an agent is a `Retriever` for a feedback loop."""
        return list(self.search(query, top_k=top_k, level=level).passages)

    def index(self, *, rebuild: bool = False) -> Refreshed:
        """Bring the tree's index to what the tree is now, or with `rebuild` make it anew; says what was left out.

        Searches do so by themselves where little has changed. Raises `Busy` where another process is at it.
        """
        return self._do(self._core.index(rebuild=rebuild))

    def edit(
        self,
        path: PathName,
        old: str = "",
        new: str = "",
        *,
        edits: Sequence[tuple[str, str]] | None = None,
        expect_hash: str | None = None,
        create: bool = False,
    ) -> Edited:
        """Replace `old`, which must occur exactly once, by `new`; with `create` write a new file.

        `edits` instead of `old` and `new` makes several replacements at once, all or none: (old, new) for each, 100 at
        most, every `old` looked for in the file as it is before the call.
        Claims the file for the edit's duration unless this agent holds it. Returns `Edited`: true if the file is as
        wanted, else with the cause and the evidence, and `failed_edit` says which of `edits` it is about. Raises
        `UnknownAgent` if this session has ended, `Unavailable`, and `Misuse` for a request that no file could meet.
        """
        request = EditRequest(str(path), old, new, expect_hash, create, replacements_of(edits))
        return self._do(self._core.edit(path, request))

    def delete(self, path: PathName, *, expect_hash: str | None = None) -> Edited:
        """Delete a file, under a claim as `edit`; `undo` brings it back. Folders and symlinks are refused.

        Returns and raises as `edit`, and `BadTarget` for what is no file.
        """
        return self._do(self._core.delete(path, expect_hash))

    def move(self, path: PathName, new_path: PathName, *, expect_hash: str | None = None) -> Edited:
        """Move or rename a file, under a claim on both paths; nothing is overwritten, and `undo` moves it back.

        What this agent has seen of the file goes along. Returns and raises as `delete`.
        """
        return self._do(self._core.move(path, new_path, expect_hash))

    def undo(self, path: PathName) -> Edited:
        """Take back the newest edit, move or deletion of a file, unless it was changed since.

        A second undo brings it back.
        """
        return self._do(self._core.undo(path))

    def close(self) -> int:
        """Say goodbye: everything is released at once; returns how many claims that were."""
        return self._do(self._core.close())


class NoTransport:
    """Stands in where Scentfield is switched off: nothing is ever asked."""

    def call(self, domain: str, raw: bytes, timeout_s: float) -> bytes:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable`."""
        raise Unavailable(f"SCENTFIELD_DISABLED is set: {domain} was not asked")

    async def call_async(self, domain: str, raw: bytes, timeout_s: float) -> bytes:
        """Raise `Unavailable`."""
        return self.call(domain, raw, timeout_s)

    def describe(self, domain: str, timeout_s: float) -> dict[str, Any]:  # noqa: ARG002  # the protocol's signature
        """Raise `Unavailable`."""
        raise Unavailable(f"SCENTFIELD_DISABLED is set: {domain} was not asked")


def _reconnect(settings: Settings, root: str, space: str, parent: str, url: str) -> Coordinator:
    """What unpickling does: a child of the agent that was pickled, with a session and a token of its own."""
    folder = Path(root) if Path(root).is_dir() else Path.cwd()
    return Coordinator.connect(
        url, agent=local_name(), root=folder, settings=settings.model_copy(update={"space": space}), parent=parent
    )
