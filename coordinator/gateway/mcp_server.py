"""The MCP server: tools, the field as a resource, and prompts, for whichever party calls.

An expected "no" is an answer; what could not be done is a result with `isError`, which says what to do next. Only what
does not exist is a protocol error.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Final, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp_types import Tool as ToolDefinition

from actors.runtime.errors import Misuse, ScentfieldError, UnknownAgent
from coordinator.gateway import resource
from coordinator.gateway.instruction import INSTRUCTIONS, PROMPTS
from coordinator.gateway.party import Party
from coordinator.gateway.tool import agent as agent_tool
from coordinator.gateway.tool import compress, edit, knowledge, metrics, read, search
from coordinator.gateway.tool.tool import Answer, Report, Tool

Context: TypeAlias = ServerRequestContext[Any, Any]
PartyOf: TypeAlias = Callable[[Context], Party]

TOOLS: Final[dict[str, Tool]] = {
    tool.name: tool
    for tool in (read.TOOL, edit.TOOL, agent_tool.TOOL, search.TOOL, knowledge.TOOL, compress.TOOL, metrics.TOOL)
}
_NEXT_STEP: Final = {
    "unavailable": "This is no permission. Try again; if it stays so, have `scentfield status` looked at.",
    "busy": "Try again in a moment.",
}
_log = logging.getLogger(__name__)


def make_server(party_of: PartyOf) -> Server[Any]:
    """A server that finds the party of each call by `party_of`, which raises `Misuse` where none can be had."""
    handlers = _Handlers(party_of)
    return Server(
        "scentfield",
        version=version("scentfield"),
        title="Scentfield",
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


class _Handlers:
    """One method for each request that a client may send."""

    def __init__(self, party_of: PartyOf) -> None:
        self._party_of = party_of

    async def list_tools(self, _context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[definition(tool) for tool in TOOLS.values()])

    async def call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:80]!r}: there are {', '.join(TOOLS)}")
        try:
            answer = await self._called(context, tool, params.arguments or {})
        except ScentfieldError as error:
            answer = _failed(error)
        except Exception as error:  # a bug of ours must not look like an answer, nor end the session
            _log.exception("the tool %s failed", tool.name)
            answer = Answer(
                f"{tool.name} failed by a fault of its own ({type(error).__name__}); it is logged", {}, True
            )
        structured = None if answer.is_error and not answer.document else _sendable(answer.document)
        text = TextContent(type="text", text=_sendable(answer.text))
        return CallToolResult(content=[text], structured_content=structured, is_error=answer.is_error)

    async def _called(self, context: Context, tool: Tool, given: dict[str, Any]) -> Answer:
        arguments = tool.arguments(given)
        party = self._party_of(context)
        if getattr(arguments, "action", "") == "leave":
            n_released = await party.leave(arguments.agent)
            return Answer(f"{arguments.agent} has left; {n_released} claims released", {"agent": arguments.agent})
        agent = await party.agent(arguments.agent)
        try:
            return await tool.run(agent, arguments, _reporter(context))
        except UnknownAgent:
            await party.agent(arguments.agent)  # begins it anew, and raises what it lost and who it is now
            raise

    async def list_resources(self, _context: Context, _params: PaginatedRequestParams | None) -> ListResourcesResult:
        return ListResourcesResult(
            resources=[
                Resource(uri=uri, name=one.name, description=one.about, mime_type=one.media_type)
                for uri, one in resource.RESOURCES.items()
            ]
        )

    async def list_resource_templates(
        self, _context: Context, _params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        return ListResourceTemplatesResult(
            resource_templates=[
                ResourceTemplate(uri_template=uri, name=one.name, description=one.about, mime_type=one.media_type)
                for uri, one in resource.TEMPLATES.items()
            ]
        )

    async def read_resource(self, context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        if not resource.is_known(uri):
            known = ", ".join((*resource.RESOURCES, *resource.TEMPLATES))
            raise MCPError(INVALID_PARAMS, f"there is no resource {uri[:200]!r}: there are {known}")
        try:
            text = await self._read(self._party_of(context), uri)
        except ScentfieldError as error:
            code = INVALID_PARAMS if isinstance(error, Misuse) else INTERNAL_ERROR
            raise MCPError(code, _failed(error).text) from error
        contents = TextResourceContents(uri=uri, mime_type=resource.media_type(uri), text=_sendable(text))
        return ReadResourceResult(contents=[contents])

    async def _read(self, party: Party, uri: str) -> str:
        agent = await party.agent()
        try:
            return await resource.read(agent, uri)
        except UnknownAgent:
            await party.agent()  # as for a tool
            raise

    async def list_prompts(self, _context: Context, _params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(
            prompts=[
                Prompt(
                    name=name,
                    description=one.about,
                    arguments=[PromptArgument(name=one.argument, description=one.argument_about, required=True)],
                )
                for name, one in PROMPTS.items()
            ]
        )

    async def get_prompt(self, _context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        prompt = PROMPTS.get(params.name)
        if prompt is None:
            raise MCPError(INVALID_PARAMS, f"there is no prompt {params.name[:80]!r}: there are {', '.join(PROMPTS)}")
        given = (params.arguments or {}).get(prompt.argument, "")
        if not given:
            raise MCPError(INVALID_PARAMS, f"the prompt {params.name} needs {prompt.argument}: {prompt.argument_about}")
        text = prompt.text.replace("{0}", given)
        message = PromptMessage(role="user", content=TextContent(type="text", text=text))
        return GetPromptResult(description=prompt.about, messages=[message])


def definition(tool: Tool) -> ToolDefinition:
    """The tool as a client is told of it."""
    return ToolDefinition(
        name=tool.name,
        description=tool.about,
        input_schema=tool.input_schema(),
        output_schema=tool.output,
        annotations=None if tool.changes else ToolAnnotations(read_only_hint=True),
    )


def _reporter(context: Context) -> Report:
    async def report(so_far: float, at_most: float, what: str) -> None:
        await context.session.report_progress(so_far, at_most, what)

    return report


def _sendable(value: Any) -> Any:
    """The value with what is not Unicode spelled out: names of files are bytes, and an answer is UTF-8 or none."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {_sendable(name): _sendable(one) for name, one in value.items()}
        case list() | tuple():
            return [_sendable(one) for one in value]
    return value


def _failed(error: ScentfieldError) -> Answer:
    step = _NEXT_STEP.get(error.code, "")
    return Answer(f"{error.message}. {step}" if step else error.message, {}, is_error=True)
