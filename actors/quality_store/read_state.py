"""What is known of reads: counts, each agent's trail, how kinds of files and single files bounce.

Changes by facts only, which say all that was decided; no limit is asked here.
"""

from __future__ import annotations

from actors.quality_store.arm import holds_out, layers_of
from actors.quality_store.bounce_rate import BounceRates
from actors.quality_store.cause import FAILURE
from actors.quality_store.event import (
    AgentForgotten,
    EditTried,
    ExtensionForgotten,
    FilesForgotten,
    MemoryMoved,
    PathsForgotten,
    ReadRecorded,
    ViewShown,
)
from actors.quality_store.ledger import (
    N_BOUNCE_TOKENS,
    N_BOUNCES,
    N_CLEAN,
    N_READS,
    N_RETRIES,
    N_RETRY_TOKENS,
    N_SAVED,
    N_TOKENS,
    N_VIEWS,
    N_WASTED,
    Ledger,
)
from actors.quality_store.mode import FULL
from actors.quality_store.path import extension_of, label_of
from actors.quality_store.path_memory import PathMemory
from actors.quality_store.tally import Tally
from actors.quality_store.trail import Retry, Trail, Trails
from actors.quality_store.trial import HELD_OUT, TREATED, Counts
from actors.quality_store.window import View, Where
from actors.runtime.errors import InvariantBroken
from actors.runtime.holdout import utc_day


class ReadState:
    """All shelves of the reads; the ledger is shared with whoever closes its days."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.reads = Tally(width=3)
        self.sources = Tally()
        self.trails = Trails()
        self.rates = BounceRates()
        self.paths = PathMemory()
        self.evictions = Tally()

    def read_recorded(self, fact: ReadRecorded) -> None:
        """Apply a read of before the ledger."""
        self.reads.add((fact.label, fact.mode), 1, fact.n_tokens, fact.n_total_tokens)
        if fact.source:
            self.sources.add((fact.source, ""))

    def view_shown(self, fact: ViewShown) -> None:
        """Apply a view, and what it decided."""
        label = label_of(extension_of(fact.path))
        row = self.reads.place((label, fact.mode), fact.max_rows)
        self.reads.add(row, 1, fact.n_tokens, fact.n_total_tokens)
        if fact.source:
            self.sources.add((fact.source, ""))
        n_saved = fact.n_total_tokens - fact.n_tokens if fact.is_read else 0
        for line in self.ledger.lines(fact.at_utc_s, (label, fact.mode, fact.arm), fact.max_rows):
            line[N_VIEWS] += 1
            line[N_READS] += fact.is_read
            line[N_TOKENS] += fact.n_tokens
            line[N_SAVED] += n_saved
        if fact.is_read:
            self._follow(fact, self.trails.use(fact.session_id))

    def _follow(self, fact: ViewShown, trail: Trail) -> None:
        """The read ends some views, and begins to be watched itself."""
        trail.n_reads += 1
        where = (fact.space, fact.path)
        n_bounces = self._bounce(fact, trail) if fact.is_bounce else 0
        for view in trail.take_clean(fact.n_clean):
            self._count(fact, view, N_CLEAN)
        for view, is_wasted in zip(trail.take_unused(len(fact.wasted)), fact.wasted, strict=True):
            if is_wasted:
                self._count(fact, view, N_WASTED)
        self.rates.read(extension_of(fact.path), utc_day(fact.at_utc_s), n_bounces)
        file = trail.file(where)
        if fact.is_retry and file.retry is not None:
            self._charge(fact, file.retry, n_retries=0)
        number, n_tokens = trail.n_reads, fact.n_tokens
        file.retry = None
        file.view = View(number, *where, fact.mode, fact.arm, n_tokens, fact.n_total_tokens, fact.layers)
        self._try(fact, file.view, Counts(1, 0, fact.n_total_tokens, n_tokens))
        if fact.mode != FULL:
            self.paths.read(where, fact.at_utc_s)
        if fact.is_watched:
            (trail.fulls if fact.mode == FULL else trail.compressed).append(file.view)

    def _bounce(self, fact: ViewShown, trail: Trail) -> int:
        """The agent's views of the file bounce; the read is charged once, to the newest of them."""
        bounced = trail.take_file((fact.space, fact.path))
        for view in bounced:
            self._count(fact, view, N_BOUNCES)
            self._try(fact, view, Counts(n_losses=1))
        self._count(fact, bounced[-1], N_BOUNCE_TOKENS, fact.n_tokens)
        self._try(fact, bounced[-1], Counts(n_cost_tokens=fact.n_tokens))
        self.paths.bounce((fact.space, fact.path), len(bounced), fact.at_utc_s)
        return len(bounced)

    def _count(self, fact: ViewShown, view: View, column: int, amount: int = 1) -> None:
        key = (label_of(extension_of(view.path)), view.mode, view.arm)
        for line in self.ledger.lines(fact.at_utc_s, key, fact.max_rows):
            line[column] += amount

    def _charge(self, fact: ViewShown | EditTried, retry: Retry, *, n_retries: int) -> None:
        key = (label_of(extension_of(fact.path)), retry.mode, retry.arm)
        for line in self.ledger.lines(fact.at_utc_s, key, fact.max_rows):
            line[N_RETRIES] += n_retries
            line[N_RETRY_TOKENS] += fact.n_tokens
        self._try(fact, retry, Counts(n_losses=n_retries, n_cost_tokens=fact.n_tokens))

    def _try(self, fact: ViewShown | EditTried, about: View | Retry, counts: Counts) -> None:
        """Count for the trials of the layers that had a say in a view, or were held out where they would have had one.

        The unit is the file, as it is for the holdout: its path, whatever the space.
        """
        for layer in layers_of(about.layers):
            side = HELD_OUT if holds_out(about.arm, layer) else TREATED
            self.ledger.day_evidence(fact.at_utc_s).trials.add(
                layer, side, about.path if isinstance(about, View) else fact.path, counts, fact.max_units
            )

    def edit_tried(self, fact: EditTried) -> None:
        """Apply an edit: it needed the views that it was made from, and a failure needs another read."""
        trail, where = self.trails.use(fact.session_id), (fact.space, fact.path)
        trail.use(where)
        if fact.is_success:
            trail.file(where).edited_at = trail.n_reads
        if fact.signal == FAILURE:
            view = trail.last_view(where, fact.mode)
            layers = "" if view is None else view.layers
            retry = trail.file(where).retry = Retry(trail.n_reads, fact.mode, fact.arm, layers)
            trail.take_file(where)
            self._charge(fact, retry, n_retries=1)

    def files_forgotten(self, fact: FilesForgotten) -> None:
        """Apply the end of some files of an agent."""
        self.evictions.add(("file", "evicted"), fact.n_files)
        self.trails.get(fact.session_id).forget_files(fact.n_files)

    def agent_forgotten(self, fact: AgentForgotten) -> None:
        """Apply the end of an agent."""
        self.evictions.add(("agent", "evicted"))
        self.trails.forget(fact.session_id)

    def paths_forgotten(self, fact: PathsForgotten) -> None:
        """Apply the end of some files of the path memory."""
        self.evictions.add(("path", fact.reason), fact.n_quiet + fact.n_bounced)
        self.paths.forget(fact.n_quiet, fact.n_bounced)

    def memory_moved(self, fact: MemoryMoved) -> None:
        """Apply a move: the path memory knows the same file by its new name."""
        self.paths.move(*fact)

    def extension_forgotten(self, fact: ExtensionForgotten) -> None:
        """Apply the end of an extension's counts."""
        self.evictions.add(("extension", "evicted"))
        self.rates.forget(fact.extension)

    def of_extension(self, extension: str) -> tuple[list[str], list[Where]]:
        """The extensions and files whose bounces are remembered: of an extension, or for "" all."""
        rates = [name for name, _ in self.rates.items() if extension in ("", name)]
        return rates, self.paths.of_extension(extension)

    def forget(self, extension: str) -> None:
        """Apply that the bounces of an extension are forgotten, or for "" all."""
        rates, files = self.of_extension(extension)
        for name in rates:
            self.rates.forget(name)
        self.paths.drop(files)

    def check_invariants(self) -> None:
        """Trails and ledger are in order; the ledger counts no more reads than views."""
        self.trails.check_invariants()
        self.ledger.check_invariants()
        n_views = sum(row.n_views for row in self.ledger.totals.ledger_rows())
        if n_views > sum(row[2] for row in self.reads.rows()):
            raise InvariantBroken(f"the ledger has {n_views} views, more than were counted")
