"""What the scent field answers, as rows of the page. Pure; `now_s` are the sender's monotonic seconds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from actors.scent_field.messages import AuditLine, ClaimRow, FieldRow, FieldView, RefusalRow, WaiterRow
from actors.scent_field.trail import DEAD_BELOW
from actors.sessions.messages import SessionList
from coordinator.page.table import Row, Table


def signal_rows(view: FieldView, half_lives_s: Mapping[str, float], now_s: float) -> Table:
    """One row a (kind, target). `dead_at` is when it has faded below 0.05: its intensity follows from that."""
    return {f"{row.kind}\t{row.target}": _signal(row, half_lives_s[row.kind], now_s) for row in view.rows}


def _signal(row: FieldRow, half_life_s: float, now_s: float) -> Row:
    left_s = half_life_s * math.log2(max(row.intensity, DEAD_BELOW) / DEAD_BELOW)
    return {
        "kind": row.kind,
        "target": row.target,
        "agent": row.agents[0] if row.agents else "",
        "n_agents": len(row.agents),
        "dead_at": _at(now_s + left_s),
        "since_at": _at(now_s - row.age_s),
        "intent": row.intent,
    }


def claim_rows(rows: tuple[ClaimRow, ...], now_s: float) -> Table:
    """One row a claim. `ends_at` is told only where no heartbeat keeps it: else it lives as long as its holder."""
    return {
        str(row.number): {
            "targets": list(row.targets),
            "n_more": row.n_more_targets,
            "holder": row.holder,
            "generation": row.generation,
            "mode": row.mode,
            "kept_by": row.kept_by,
            "since_at": _at(now_s - row.age_s),
            "progress_at": _at(now_s - row.idle_s),
            "ends_at": _at(now_s + row.expires_in_s) if row.kept_by == "decay" else None,
            "intent": row.intent,
        }
        for row in rows
    }


def waiter_rows(rows: tuple[WaiterRow, ...], now_s: float) -> Table:
    """One row a request that waits; `place` counts from 1."""
    return {
        str(row.ticket): {
            "place": place,
            "targets": list(row.targets),
            "n_more": row.n_more_targets,
            "waiter": row.waiter,
            "mode": row.mode,
            "any_of": row.any_of,
            "since_at": _at(now_s - row.age_s),
            "until_at": _at(now_s + row.left_s),
            "intent": row.intent,
        }
        for place, row in enumerate(rows, 1)
    }


def refusal_rows(rows: tuple[RefusalRow, ...], now_s: float) -> Table:
    """One row for the same asker, target and reason, however often."""
    return {
        str(row.number): {
            "asker": row.asker,
            "target": row.target,
            "n_more": row.n_more,
            "reason": row.reason,
            "holder": row.holder,
            "intent": row.intent,
            "n_times": row.n_times,
            "last_at": _at(now_s - row.ago_s),
        }
        for row in rows
    }


def agent_rows(listed: SessionList, now_s: float) -> Table:
    """One row a live session."""
    return {
        row.session_id: {"parent": row.parent, "kept_by": row.kept_by, "since_at": _at(now_s - row.age_s)}
        for row in listed.rows
    }


def audit_rows(lines: tuple[AuditLine, ...]) -> Table:
    """One row for each target that was taken away."""
    return {f"{line.at_utc_s}\t{line.target}\t{line.generation}\t{line.from_session}": line._asdict() for line in lines}


def total_rows(view: FieldView, n_claims_left_out: int, n_waiters_left_out: int, n_agents: int) -> Table:
    """What there is in all, and how much of it is not shown."""
    counts: dict[str, Any] = {
        "n_claims": view.n_claims,
        "n_waiters": view.n_waiters,
        "n_agents": n_agents,
        "strictness": view.strictness,
        "n_signals_left_out": view.n_left_out,
        "n_claims_left_out": n_claims_left_out,
        "n_waiters_left_out": n_waiters_left_out,
    }
    return {"field": counts}


def _at(point_s: float) -> float:
    return round(point_s, 2)
