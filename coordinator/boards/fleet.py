"""The board for whoever runs agents: who is there, what they hold and wait for, and what they do."""

from __future__ import annotations

from typing import Final

from coordinator.boards.board import GOOD_AT_ZERO, Board, Query, Row, Step, graph, number
from coordinator.boards.expression import now, or_zero, per_minute, within

_NOW: Final = Row(
    "Now",
    (
        number("Agents", "Sessions that are alive.", now("sessions")),
        number("Claims", "Claims that block others, those in their lock delay included.", now("leases")),
        number(
            "Waiting",
            "Requests that wait for a target that somebody holds.",
            now("waiters"),
            steps=(Step(None, "green"), Step(1, "yellow"), Step(20, "red")),
        ),
        number(
            "Duplicate work prevented, last day",
            "Times an agent was kept from work that a live agent was doing already.",
            within("1d", "duplicate_work_prevented_total"),
        ),
        number(
            "State actors that do not serve",
            "All four are needed: scent field, quality store, thresholds, memory.",
            'count(scentfield_up{instance=~"$instance"} == 0) or vector(0)',
            steps=GOOD_AT_ZERO,
        ),
        number(
            "Alerts",
            "Alerts of this product's rules that fire now.",
            'count(ALERTS{alertname=~"Scentfield.*",alertstate="firing"}) or vector(0)',
            steps=GOOD_AT_ZERO,
        ),
    ),
)
_AGENTS: Final = Row(
    "Agents",
    (
        graph(
            "Agents that are alive",
            "Sessions over all claim spaces.",
            Query(now("sessions", "instance"), "{{instance}}"),
        ),
        graph(
            "Coming and going, a minute",
            "`goodbye` is an orderly end; `expired` an agent that fell silent, `parent` one that went with its parent.",
            Query(per_minute("sessions_registered_total"), "began"),
            Query(per_minute("sessions_ended_total", "cause"), "ended: {{cause}}"),
        ),
        graph(
            "Claim spaces",
            "One for each repository that agents work in.",
            Query(now("spaces", "instance"), "{{instance}}"),
        ),
    ),
)
_CLAIMS: Final = Row(
    "Claims",
    (
        graph(
            "Claims and waiting requests",
            "Many waiting for few claims: agents want the same files. Give them other tasks, or smaller targets.",
            Query(now("leases"), "claims"),
            Query(now("waiters"), "waiting"),
        ),
        graph(
            "Answers to requests, a minute",
            "`held` counts every request that was refused, also the same one asked again.",
            Query(per_minute("claims_granted_total"), "granted"),
            Query(per_minute("claims_renewed_total"), "renewed"),
            Query(per_minute("claims_rejected_total"), "held"),
            Query(per_minute("claims_transferred_total"), "handed over"),
        ),
        graph(
            "How claims end, a minute",
            "`released` is the usual end. `expired` and `faded` are holders that fell silent, `idle` one that rested "
            "while others waited, `forced` an operator's word.",
            Query(per_minute("claims_ended_total", "cause"), "{{cause}}"),
            stacked=True,
        ),
        graph(
            "How waiting ends, a minute",
            "`timed_out` and `withdrawn` got nothing for their wait.",
            Query(per_minute("waits_queued_total"), "queued"),
            Query(per_minute("waits_ended_total", "cause"), "{{cause}}"),
        ),
        graph(
            "Duplicate work prevented, an hour",
            "Once for each asking session, target and claim; not counted if waiting got it the target in the end.",
            Query(within("1h", "duplicate_work_prevented_total", "instance"), "{{instance}}"),
        ),
        graph(
            "Changes refused, an hour",
            "Of targets that somebody else held, by the git guard or by an agent's hook.",
            Query(or_zero(within("1h", "changes_refused_total", "source")), "{{source}}"),
        ),
        graph(
            "Claims of each coordinator",
            "Claims that block others, by the coordinator that keeps them.",
            Query(now("leases", "instance"), "{{instance}}"),
        ),
        graph(
            "Callers that watch",
            "Calls that wait for the field to change; they cost nothing while nothing does.",
            Query(now("watchers", "instance"), "{{instance}}"),
        ),
        graph(
            "Handed over, an hour",
            "Claims that their holders gave to another agent.",
            Query(within("1h", "claims_transferred_total"), "claims"),
        ),
    ),
)
_SIGNALS: Final = Row(
    "Signals",
    (
        graph(
            "Signals that have not faded",
            "`stuck` is trouble that agents had with a file, `hot` where work goes on; `done` and `avoid` are notes.",
            Query(now("signals", "kind"), "{{kind}}"),
            width=12,
            stacked=True,
        ),
        graph(
            "Signals left, a minute",
            "By agents and by their work, without claims.",
            Query(per_minute("signals_deposited_total", "instance"), "{{instance}}"),
            width=12,
        ),
    ),
)
_WORK: Final = Row(
    "Work",
    (
        graph(
            "Reads by mode, a minute",
            "Views of files that agents were shown.",
            Query(per_minute("reads_total", "mode"), "{{mode}}"),
            stacked=True,
        ),
        graph(
            "Edits by outcome, a minute",
            "`applied`, `already_applied`, `create`, `deleted`, `moved` and `undone` are successes; the others say why "
            "an edit was refused.",
            Query(per_minute("edit_outcomes_total", "cause"), "{{cause}}"),
            stacked=True,
        ),
        graph(
            "Memory in use, a minute",
            "Wakeups that sessions began with, recalls of facts, checkpoints of playbooks.",
            Query(per_minute("wakeups_total"), "wakeups"),
            Query(per_minute("recalls_total"), "recalls"),
            Query(per_minute("playbook_turns_total"), "checkpoints"),
        ),
    ),
)

FLEET: Final = Board(
    "fleet",
    "Scentfield: fleet",
    "Who is there, what they hold and wait for, and what they do.",
    (_NOW, _AGENTS, _CLAIMS, _SIGNALS, _WORK),
)
