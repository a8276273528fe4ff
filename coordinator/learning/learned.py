"""What was learned and from how much, as operations that the sync and the async client share."""

from __future__ import annotations

from collections.abc import Callable

from actors.quality_store.evidence import Evidence
from actors.quality_store.messages import (
    AccountCounted,
    ForgetOutcomes,
    GetEvidence,
    GetLedger,
    GetReadQuality,
    GetSavings,
    LedgerPage,
    OutcomesGone,
    ReadQuality,
    RecordAccount,
    Savings,
)
from actors.runtime.errors import Misuse
from actors.runtime.layer_switch import GetLayers, LayerList, LayerNow, SwitchLayer
from actors.thresholds.event import ReplayRow
from actors.thresholds.messages import (
    Bundle,
    ExportBundle,
    Forgotten,
    GetLearning,
    GetStatistics,
    ImportBundle,
    Imported,
    Learning,
    RankingCounted,
    RankingEvidence,
    RecordRanking,
    RecordReplay,
    ReplayCounted,
    ResetLearning,
    Statistics,
)
from coordinator.asking import Asker
from coordinator.domain import MEMORY, QUALITY_STORE, THRESHOLDS
from coordinator.learning.layer import DOMAIN_OF
from coordinator.session import AgentSession
from coordinator.step import Operation


class Learned:
    """Asks the quality store and the thresholds; `current` gives the session that may change something."""

    def __init__(
        self,
        quality: Asker,
        thresholds: Asker,
        memory: Asker,
        *,
        current: Callable[[], Operation[AgentSession]],
        asking: Callable[[], AgentSession],
    ) -> None:
        self._quality = quality
        self._thresholds = thresholds
        self._memory = memory
        self._current = current
        self._asking = asking

    def read_quality(self) -> Operation[ReadQuality]:
        """How often reads bounce, by extension."""
        return self._quality.query(self._asking(), GetReadQuality())

    def savings(self, n_days: int) -> Operation[Savings]:
        """The read ledger's sheets of the last days, and of all months."""
        return self._quality.query(self._asking(), GetSavings(n_days))

    def evidence(self, n_days: int) -> Operation[Evidence]:
        """What the read ledger's newest days add up to."""
        return self._quality.query(self._asking(), GetEvidence(n_days))

    def tell(self, account: RecordAccount) -> Operation[AccountCounted]:
        """Tell the ledger what another state actor says of itself. Needs no session: it only repeats."""
        return self._quality.query(self._asking(), account)

    def ledger(self, from_day: int, max_records: int) -> Operation[LedgerPage]:
        """Closed days of the read ledger, from a day on (counted from the epoch)."""
        return self._quality.query(self._asking(), GetLedger(from_day, max_records))

    def learning(self) -> Operation[Learning]:
        """What was learned, as rows for people."""
        return self._thresholds.query(self._asking(), GetLearning())

    def statistics(self) -> Operation[Statistics]:
        """The thresholds' counts."""
        return self._thresholds.query(self._asking(), GetStatistics())

    def export(self) -> Operation[Bundle]:
        """What may be shared."""
        return self._thresholds.query(self._asking(), ExportBundle())

    def merge(self, text: bytes) -> Operation[Imported]:
        """Merge what others have learned. Raises `Misuse` for a bundle that cannot be used; nothing is merged then."""
        session: AgentSession = yield from self._current()
        imported: Imported = yield from self._thresholds.request(session, ImportBundle(text))
        return imported

    def layers(self) -> Operation[tuple[LayerList, ...]]:
        """Which learned layers there are, which are off, and who has switched them, by the actors that serve them."""
        found = []
        for asker in (self._quality, self._thresholds, self._memory):
            told: LayerList = yield from asker.query(self._asking(), GetLayers())
            found.append(told)
        return tuple(found)

    def switch_layer(self, layer: str, reason: str, *, is_on: bool) -> Operation[LayerNow]:
        """Switch a learned layer on or off for everybody. Raises `Misuse` for one that does not exist."""
        domain = DOMAIN_OF.get(layer)
        if domain is None:
            raise Misuse(f"unknown layer {layer[:80]!r}: give one of {', '.join(sorted(DOMAIN_OF))}")
        asker = {QUALITY_STORE: self._quality, THRESHOLDS: self._thresholds, MEMORY: self._memory}[domain]
        session: AgentSession = yield from self._current()
        now: LayerNow = yield from asker.request(session, SwitchLayer(layer, is_on, reason))
        return now

    def forget_outcomes(self, extension: str) -> Operation[OutcomesGone]:
        """Forget what failed edits and bounces have made `full`: of an extension, or with "" all of it."""
        session: AgentSession = yield from self._current()
        gone: OutcomesGone = yield from self._quality.request(session, ForgetOutcomes(extension))
        return gone

    def record_ranking(self, rows: tuple[RankingEvidence, ...]) -> Operation[RankingCounted]:
        """Tell what a replay says of the weights by which pieces are ranked."""
        session: AgentSession = yield from self._current()
        counted: RankingCounted = yield from self._thresholds.request(session, RecordRanking(rows))
        return counted

    def reset(self, extension: str) -> Operation[Forgotten]:
        """Forget what was learned of an extension, or with "" all of it."""
        session: AgentSession = yield from self._current()
        forgotten: Forgotten = yield from self._thresholds.request(session, ResetLearning(extension))
        return forgotten

    def record_replay(self, history: str, rows: tuple[ReplayRow, ...]) -> Operation[ReplayCounted]:
        """Let this be what replays say of a history. Raises `Misuse` for what cannot be; nothing has changed then."""
        session: AgentSession = yield from self._current()
        counted: ReplayCounted = yield from self._thresholds.request(session, RecordReplay(history, rows))
        return counted
