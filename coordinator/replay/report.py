"""What a replay found, as one document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from actors.thresholds.cost import BUCKETS, size_bucket
from coordinator.replay.choice import policy_document
from coordinator.replay.question import Question
from coordinator.replay.reference import NAIVE, NAIVE_MAP, PERFECT
from coordinator.replay.score import reference_of, score_of
from coordinator.replay.trial import Trial

_REFERENCES: Final = (PERFECT, NAIVE, NAIVE_MAP)


@dataclass(frozen=True, slots=True)
class Report:
    """The trials of a replay, oldest commit first, and where they are from; `history` is the id of that."""

    question: Question
    history: str
    origin: Mapping[str, Any]
    trials: Sequence[Trial]
    skipped: Counter[str]

    def document(self) -> dict[str, Any]:
        """All that is known; the figures of the first kind of query at the top, of all of them under `by_query`."""
        first, *_ = self.question.kinds
        by_query = {kind.name: self._found(kind.name) for kind in self.question.kinds}
        return {
            **by_query[first.name],
            "source": dict(self.origin),
            "query": first.name,
            "budget": self.question.budget,
            "vectors": "static" if self.question.model_folder else "none",
            "files": len(self.trials),
            "hunks": sum(trial.n_hunks for trial in self.trials),
            "tokens": sum(trial.total_tokens for trial in self.trials),
            "skipped": dict(sorted(self.skipped.items())),
            "by_query": by_query,
        }

    def _found(self, kind: str) -> dict[str, Any]:
        extensions = sorted({trial.extension for trial in self.trials})
        buckets = [size_bucket(trial.total_tokens) for trial in self.trials]
        return {
            **self._group(self.trials, kind),
            "by_extension": {
                extension: self._group([one for one in self.trials if one.extension == extension], kind)
                for extension in extensions
            },
            "by_size": {
                bucket: self._group(
                    [one for one, size in zip(self.trials, buckets, strict=True) if size == bucket], kind
                )
                for bucket in BUCKETS
                if bucket in buckets
            },
        }

    def _group(self, trials: Sequence[Trial], kind: str) -> dict[str, Any]:
        return {
            "modes": {mode: score_of(trials, kind, mode).document() for mode in self.question.modes},
            "references": {name: reference_of(trials, kind, name).shown_document() for name in _REFERENCES},
            "policy": policy_document(trials, kind),
        }
