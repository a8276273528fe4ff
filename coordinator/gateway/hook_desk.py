"""`/api/v1/hook`: what coding agents' hooks ask and tell, for the agent that the client is.

A write is claimed before it is made, unless somebody else holds the file; the claim stays until the session ends or the
agent gives it back. A client whose MCP session is served here acts as the same agent.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from actors.runtime.errors import BadTarget, Misuse, ScentfieldError, UnknownAgent
from actors.scent_field.messages import Checked, FieldView, Granted, Guard, Guarded, Held
from coordinator.answer import NotGranted
from coordinator.conversation import Conversation, value_of
from coordinator.core import Core
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.gateway.mcp_site import HOOK_PREFIX, McpSite
from coordinator.gateway.party import agent_name
from coordinator.gateway.tool.agent import field_text
from coordinator.step import Operation, Transport, drive_async
from coordinator.workspace import Workspace

Value = TypeVar("Value")
_MAX_TEXT: Final = 4_096


class HookReport(BaseModel):
    """One event of a client, as its hook tells it. `paths` are absolute."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    what: Literal["before", "after", "failed", "start", "end", "sub_end"]
    client: str = Field(pattern=r"^[a-z][a-z0-9-]{0,63}$")
    session: str = Field(min_length=1, max_length=_MAX_TEXT)
    agent: str = Field(default="", max_length=128)
    sub_agent: str = Field(default="", max_length=_MAX_TEXT)
    seat: str = Field(default="", max_length=128)
    root: str = Field(max_length=_MAX_TEXT)
    paths: list[str] = Field(default_factory=list, max_length=256)
    cause: Literal["", "never_there", "ambiguous"] = ""
    strictness: Literal["", "observe", "warn", "deny"] = ""

    @property
    def key(self) -> str:
        """Which client's session this is."""
        return f"{HOOK_PREFIX}{self.client} {self.session}"

    @property
    def sub_name(self) -> str:
        """The sub-agent's name, if one of them called."""
        return agent_name(self.sub_agent) if self.sub_agent else ""


class HookDesk:
    """Answers hooks for the parties of an MCP site."""

    def __init__(self, site: McpSite, transport: Transport, timeout_s: float) -> None:
        self._site = site
        self._transport = transport
        self._timeout_s = timeout_s

    async def answer(self, request: Request) -> Response:
        """Serve one request."""
        try:
            report = HookReport.model_validate_json(await request.body())
            return JSONResponse(await self._carried_out(report))
        except ValidationError as error:
            return JSONResponse({"error": f"this is no report of a hook: {error.error_count()} faults"}, 400)
        except ScentfieldError as error:
            return JSONResponse({"error": error.message}, 400 if isinstance(error, Misuse) else 503)

    async def _carried_out(self, report: HookReport) -> dict[str, Any]:
        if report.what == "end":
            await self._site.unhook(report.key)
            return {}
        party = self._site.hooked(report.key, report.agent or report.client, report.seat, report.root)
        if report.what == "sub_end":
            if report.sub_name and party.speaks_for(report.sub_name):
                await party.leave(report.sub_name)
            return {}
        try:
            return await self._by(await party.core(report.sub_name), report)
        except UnknownAgent as error:  # it was given up meanwhile, and hears so once
            told = await self._by(await party.core(report.sub_name), report)
            return told | {"text": f"{error.message}. {told.get('text', '')}".strip()}

    async def _by(self, core: Core, report: HookReport) -> dict[str, Any]:
        if report.what == "start":
            view: FieldView = await self._do(core.sync(15))
            return {"text": field_text(view, _agent_id(core))}
        targets = _targets(core.workspace, report.paths)
        if report.what == "before":
            return await self._before(core, targets, report.strictness)
        cause = "applied" if report.what == "after" else report.cause
        for target in targets if cause else ():
            await self._do(core.record_edit(target, is_applied=report.what == "after", cause=cause))
        return {}

    async def _before(self, core: Core, targets: list[str], strictness: str) -> dict[str, Any]:
        """Leave to write these files, with a claim of each that is not held yet; or who is in the way."""
        if not targets:
            return {}
        guarded = await self._guarded(core, targets, strictness)
        if guarded.conflicts:
            return _in_the_way(Held("claimed", guarded.conflicts, guarded.n_more, _NEXT_STEP, ()), guarded.strictness)
        unclaimed = [target for target in targets if not await self._is_own(core, target)]
        if not unclaimed:
            return {}
        claim = core.claim(unclaimed, shared=False, wait_s=0.0, intent="edit", any_of=False)
        answer: Granted | Held = await self._do(claim)
        return _in_the_way(answer, guarded.strictness) if isinstance(answer, Held) else {}

    async def _guarded(self, core: Core, targets: list[str], strictness: str) -> Guarded:
        question = Guard(core.space, tuple(targets), (), (_agent_id(core),), (), 0, "hook", strictness)
        stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
        raw = await self._transport.call_async(SCENT_FIELD, stranger.unnumbered([question]), self._timeout_s)
        told: Guarded = value_of(stranger.answers(raw, 1)[0])
        return told

    async def _is_own(self, core: Core, target: str) -> bool:
        checked: Checked = await self._do(core.check(target, 0))
        return checked.holder == _agent_id(core)

    async def _do(self, operation: Operation[Value]) -> Value:
        return await drive_async(operation, self._transport)


_NEXT_STEP: Final = "Take other work, or wait until it is free and try again."


def _in_the_way(held: Held, strictness: str) -> dict[str, Any]:
    """What the agent is told; where it is not refused, no claim is taken either."""
    message = NotGranted(held).message
    if strictness == "deny":
        return {"is_refused": True, "text": f"Nothing was written. {message}"}
    return {"text": message} if strictness == "warn" else {}


def _agent_id(core: Core) -> str:
    return "" if core.session is None else core.session.session_id


def _targets(workspace: Workspace, paths: list[str]) -> list[str]:
    """The files inside the tree. Others are nobody's claim here, and no target can spell the rest."""
    found = []
    for path in paths:
        try:
            found.append(workspace.target(workspace.root / path))
        except BadTarget:
            continue
    return list(dict.fromkeys(found))
