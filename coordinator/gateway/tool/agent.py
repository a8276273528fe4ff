"""`ctx_agent`: claims, signals, and who else is at work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Literal

from pydantic import Field

from actors.runtime.errors import Misuse
from actors.scent_field.messages import FieldRow, FieldView, Granted
from coordinator.aio import AsyncCoordinator
from coordinator.answer import AsyncClaimed, NotGranted
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema
from coordinator.gateway.wait import reported

Action = Literal[
    "claim",
    "claim_any",
    "renew",
    "release",
    "check",
    "transfer",
    "hand_over",
    "deposit",
    "sync",
    "watch",
    "heartbeat",
    "leave",
]
MAX_WAIT_S: Final = 600.0


class AgentInput(ToolInput):
    """What to do, and with what."""

    action: Action
    targets: list[str] = Field(
        default_factory=list, max_length=256, description="files, folders/, globs src/**/*.py, labels task:login"
    )
    intent: str = Field(default="", max_length=400, description="(claim) why, for those who are refused")
    wait_s: float = Field(default=0.0, ge=0.0, le=MAX_WAIT_S, description="(claim, watch) wait your turn so long")
    shared: bool = Field(default=False, description="(claim) others may share it")
    generation: int = Field(default=0, ge=0, description="a claim's number (release, check, transfer)")
    done: bool = Field(default=False, description="(release) the work is finished")
    to: str = Field(default="", max_length=200, description="(transfer, hand_over) agent id")
    note: str = Field(default="", max_length=400, description="(transfer, hand_over) for the next holder")
    kind: Literal["", "HOT", "STUCK", "DONE", "AVOID"] = Field(default="", description="(deposit)")
    intensity: float = Field(default=1.0, gt=0.0, le=3.0)
    version: int = Field(default=0, ge=0, description="(watch) from sync")


async def run(agent: AsyncCoordinator, given: AgentInput, report: Report) -> Answer:
    """Carry one action out."""
    return await _ACTIONS[given.action](agent, given, report)


async def _claim(agent: AsyncCoordinator, given: AgentInput, report: Report) -> Answer:
    ask = agent.claim_any if given.action == "claim_any" else agent.claim
    asked = ask(_named(given), shared=given.shared, wait_s=given.wait_s, intent=given.intent)
    if not given.wait_s:  # nothing to tell of on the way, and a task of its own is a twentieth of what a claim costs
        return _claimed(agent, await asked)
    return _claimed(agent, await reported(asked, given.wait_s, "waiting for its turn", report))


def _claimed(agent: AsyncCoordinator, answer: AsyncClaimed | NotGranted) -> Answer:
    document = {"agent": agent.agent_id, **answer.to_dict()}
    if isinstance(answer, NotGranted):
        return Answer(f"NOT GRANTED. {answer.message}", document)
    what = "renewed" if answer.renewed else "granted"
    signals = [f"{one.kind} on {one.target} by {one.agent}" for one in answer.signals]
    notes = "".join(f"\n{note}" for note in (*signals, *answer.lessons, *answer.close_work, *answer.warnings))
    return Answer(
        f"{what} to {agent.agent_id}: {', '.join(answer.targets)} (generation {answer.generation}){notes}", document
    )


async def _release(agent: AsyncCoordinator, given: AgentInput, _report: Report) -> Answer:
    if not given.targets and not given.generation:
        raise Misuse("release what? Give targets, or the generation of a claim")
    released = await agent.release(given.targets, generation=given.generation, done=given.done)
    kept = [one._asdict() for one in released.not_released]
    not_released = "".join(f"\nnot released: {one['target']}: {one['why']}" for one in kept)
    document = {"agent": agent.agent_id, "n_released": released.n_released, "not_released": kept}
    return Answer(f"{released.n_released} released{not_released}", document, is_error=not released)


async def _check(agent: AsyncCoordinator, given: AgentInput, _report: Report) -> Answer:
    checked = await agent.check(_one(given), given.generation)
    document = {"agent": agent.agent_id, **checked._asdict()}
    if checked.holds:
        return Answer(f"yes, you hold {_one(given)} (generation {checked.holder_generation})", document)
    held = f"; {checked.holder} holds it since {checked.age_s:.0f} s" if checked.holder else ""
    return Answer(f"no: {checked.why or 'nobody holds it'}{held}", document)


async def _transfer(agent: AsyncCoordinator, given: AgentInput, _report: Report) -> Answer:
    if not given.generation or not given.to:
        raise Misuse("transfer needs generation (of your claim) and to (an agent id, see sync)")
    answer = await agent.transfer(given.generation, given.to, note=given.note)
    if isinstance(answer, Granted):
        document = {"agent": agent.agent_id, "granted": True, "targets": list(answer.targets)}
        return Answer(f"{given.to} holds {', '.join(answer.targets)} now (generation {answer.generation})", document)
    return Answer(f"NOT TRANSFERRED. {answer.message}", {"agent": agent.agent_id, **answer.to_dict()})


async def _hand_over(agent: AsyncCoordinator, given: AgentInput, _report: Report) -> Answer:
    if not given.to:
        raise Misuse("hand_over needs to (an agent id, see sync): all that you hold goes there")
    handed = await agent.hand_over(given.to, note=given.note)
    kept = (
        "" if handed else f"\n{len(handed.kept)} claims stay with you, as somebody is in the way: transfer them later"
    )
    return Answer(handed.text + kept, {"agent": agent.agent_id, **handed.to_dict()}, is_error=not handed)


async def _deposit(agent: AsyncCoordinator, given: AgentInput, _report: Report) -> Answer:
    if not given.kind:
        raise Misuse("deposit needs kind: HOT, STUCK, DONE or AVOID")
    intensity = await agent.deposit(_one(given), given.kind, intensity=given.intensity)
    document = {"agent": agent.agent_id, "intensity": intensity}
    return Answer(f"{given.kind} on {_one(given)} is {intensity:.2f} now", document)


async def _sync(agent: AsyncCoordinator, _given: AgentInput, _report: Report) -> Answer:
    view = await agent.sync()
    return Answer(field_text(view, agent.agent_id), field_document(view, agent.agent_id))


async def _watch(agent: AsyncCoordinator, given: AgentInput, report: Report) -> Answer:
    asked = agent.watch(given.version, timeout_s=given.wait_s)
    seen = await reported(asked, given.wait_s, "waiting for a change", report)
    lines = [f"{one.what} {one.target} {one.agent} {one.detail}".rstrip() for one in seen.changes]
    missed = ["some changes were missed: sync"] if seen.resync else []
    document = {"agent": agent.agent_id, "version": seen.version, "resync": seen.resync}
    return Answer("\n".join([*missed, *lines]) or "nothing has changed", document | {"rows": lines})


async def _heartbeat(agent: AsyncCoordinator, _given: AgentInput, _report: Report) -> Answer:
    alive = await agent.heartbeat()
    lost = [f"lost {', '.join(one.targets)}: {one.reason}" for one in alive.losses]
    wanted = [f"{one.waiter} waits for {one.target}" for one in alive.wanted]
    text = "\n".join([f"you are {agent.agent_id}, alive", *lost, *wanted])
    return Answer(text, {"agent": agent.agent_id, "rows": [*lost, *wanted]})


def field_text(view: FieldView, agent_id: str) -> str:
    """The field for a model: a line each, strongest first."""
    lines = [f"you are {agent_id}; {view.n_claims} claimed, {view.n_waiters} waiting (version {view.version})"]
    lines += [_row(row) for row in view.rows]
    return "\n".join(lines if not view.n_left_out else [*lines, f"and {view.n_left_out} weaker rows"])


def field_document(view: FieldView, agent_id: str) -> dict[str, Any]:
    """The same for programs."""
    plain = view._asdict() | {"rows": [row._asdict() for row in view.rows]}
    return {"agent": agent_id, **plain}


def _row(row: FieldRow) -> str:
    if row.kind != "CLAIMED":
        return f"{row.kind} {row.target} {row.intensity:.2f} by {', '.join(row.agents)}"
    intent = f" to {row.intent}" if row.intent else ""
    return f"CLAIMED {row.target} by {', '.join(row.agents)} since {row.age_s:.0f} s, idle {row.idle_s:.0f} s{intent}"


def _named(given: AgentInput) -> list[str]:
    if not given.targets:
        raise Misuse(f"{given.action} needs targets: files, folders/, globs or labels like task:login")
    return given.targets


def _one(given: AgentInput) -> str:
    if len(given.targets) != 1:
        raise Misuse(f"{given.action} needs one target in targets, not {len(given.targets)}")
    return given.targets[0]


_ACTIONS: Final[dict[str, Callable[[AsyncCoordinator, AgentInput, Report], Awaitable[Answer]]]] = {
    "claim": _claim,
    "claim_any": _claim,
    "renew": _claim,
    "release": _release,
    "check": _check,
    "transfer": _transfer,
    "hand_over": _hand_over,
    "deposit": _deposit,
    "sync": _sync,
    "watch": _watch,
    "heartbeat": _heartbeat,
}

TOOL: Final = Tool(
    name="ctx_agent",
    about=(
        "Work beside other agents. claim before you change something: all targets or none; a refusal says who holds "
        "it, since when, why. claim_any: the first that is free. release when done. sync: who does what now."
    ),
    input=AgentInput,
    output=output_schema(
        agent="string!", granted="boolean", generation="integer", conflicts="array", next_step="string"
    ),
    run=run,
)
