"""What `auto` would have chosen for real changes, learning as it goes, and what that cost beside any other choice.

Changes are taken oldest first. The mode of each is chosen by the costs of earlier commits alone, and only then are its
own outcomes learned: in a replay those of every mode are known. An outcome is a view of a file with all its edits; a
loss is one that took more than the view, be it a part or a failure.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from actors.thresholds.cost import CostKey, Outcomes, estimate, size_bucket
from actors.thresholds.name import extension_of
from actors.thresholds.replay_book import plus
from coordinator.reading.expected_cost import choose_mode
from coordinator.reading.policy import NOTHING_LEARNED, LearnedCost, Policy
from coordinator.replay.question import NONE
from coordinator.replay.score import ratio, rounded
from coordinator.replay.trial import Shown, Trial

AUTO: Final = "auto"
UNTRAINED: Final = "auto_untrained"
CHEAPEST: Final = "cheapest"
FULL: Final = "full"


def outcome_of(trial: Trial, shown: Shown) -> Outcomes:
    """A view of a file and its edits as one outcome to learn from."""
    return Outcomes(1, float(shown.extra_tokens > 0), shown.view_tokens, trial.total_tokens, shown.extra_tokens)


def key_of(trial: Trial, mode: str) -> CostKey:
    """What an outcome is learned for."""
    return CostKey(extension_of(trial.extension), mode, size_bucket(trial.total_tokens))


class Learner:
    """The costs that follow from the outcomes so far."""

    def __init__(self) -> None:
        self._seen: dict[CostKey, Outcomes] = {}

    def learn(self, trial: Trial, outcomes: dict[str, Shown]) -> None:
        """Take what each mode was worth."""
        for mode, shown in outcomes.items():
            key = key_of(trial, mode)
            self._seen[key] = plus(self._seen.get(key, Outcomes()), outcome_of(trial, shown))

    def policy_for(self, trial: Trial, modes: Iterable[str]) -> Policy:
        """What a reader would go by who opens this file."""
        keys = [key for key in (key_of(trial, mode) for mode in modes) if key in self._seen]
        return Policy(costs={(*key,): LearnedCost(self._seen[key].n, *estimate(key, self._seen[key])) for key in keys})


def chosen_modes(trials: Sequence[Trial], kind: str) -> Iterator[tuple[Trial, str]]:
    """Every trial, oldest first, with the mode that `auto` chooses by what came before it."""
    learner = Learner()
    for _, commit in groupby(trials, key=lambda trial: trial.at):
        changed = list(commit)
        for trial in changed:
            yield trial, _mode(learner.policy_for(trial, trial.by_kind[kind]), trial, kind)
        for trial in changed:
            learner.learn(trial, dict(trial.by_kind[kind]))


def _mode(policy: Policy, trial: Trial, kind: str) -> str:
    return choose_mode(
        policy,
        extension=extension_of(trial.extension),
        n_lines=trial.n_lines,
        total_tokens=trial.total_tokens,
        has_query=kind != NONE,
    ).mode


def policy_document(trials: Sequence[Trial], kind: str) -> dict[str, Any]:
    """What every way to choose a mode cost in tokens, per landed edit, beside `full` and beside the cheapest choice.

    `regret` is what it cost more than if for each file the cheapest mode had been known, as a share of that.
    """
    costs: defaultdict[str, int] = defaultdict(int)
    chosen: Counter[str] = Counter()
    for trial, mode in chosen_modes(trials, kind):
        outcomes = trial.by_kind[kind]
        chosen[mode] += 1
        costs[AUTO] += outcomes[mode].cost_tokens
        costs[UNTRAINED] += outcomes[_mode(NOTHING_LEARNED, trial, kind)].cost_tokens
        costs[CHEAPEST] += min(shown.cost_tokens for shown in outcomes.values())
        for name, shown in outcomes.items():
            costs[name] += shown.cost_tokens
    n_edits = sum(trial.n_hunks for trial in trials)
    ways = {way: _way(cost, n_edits, costs[FULL], costs[CHEAPEST]) for way, cost in costs.items()}
    return {**ways[AUTO], "edits": n_edits, "chosen": dict(sorted(chosen.items())), "ways": ways}


def _way(cost: int, n_edits: int, full: int, cheapest: int) -> dict[str, float]:
    return {
        "cost_share_of_full": ratio(cost, full),
        "regret": rounded(cost / cheapest - 1) if cheapest else 0.0,
        "tokens_an_edit": round(cost / n_edits, 1) if n_edits else 0.0,
    }
