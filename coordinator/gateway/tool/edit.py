"""`ctx_edit`: change a file exactly, and take a change back."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator
from coordinator.editing.edited import Edited
from coordinator.gateway.tool.tool import Answer, Report, Strict, Tool, ToolInput, output_schema

_MAX_TEXT: Final = 1_000_000


class Replacement(Strict):
    """One text and what takes its place."""

    old: str = Field(max_length=_MAX_TEXT)
    new: str = Field(max_length=_MAX_TEXT)


class EditInput(ToolInput):
    """What to change."""

    path: str = Field(max_length=4_096)
    old: str = Field(default="", max_length=_MAX_TEXT, description="text that occurs exactly once")
    new: str = Field(default="", max_length=_MAX_TEXT)
    edits: list[Replacement] = Field(default_factory=list, max_length=100, description="several, all or none")
    create: bool = Field(default=False, description="write a new file of `new`")
    undo: bool = Field(default=False, description="take back the newest edit instead")
    expect_hash: str = Field(default="", max_length=128, description="refuse if the file is another")


async def run(agent: AsyncCoordinator, given: EditInput, _report: Report) -> Answer:
    """Edit, or undo."""
    edited = await (_undo(agent, given) if given.undo else _edit(agent, given))
    notes = [*edited.warnings, *edited.hints]
    text = "\n".join([edited.message, *notes, *([edited.evidence] if edited.evidence else [])])
    return Answer(text, edited.to_dict(), is_error=not edited)


async def _undo(agent: AsyncCoordinator, given: EditInput) -> Edited:
    if given.old or given.new or given.edits or given.create:
        raise Misuse("undo takes back what was written and takes a path only: leave out old, new, edits and create")
    return await agent.undo(given.path)


async def _edit(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.edit(
        given.path,
        given.old,
        given.new,
        edits=[(one.old, one.new) for one in given.edits] or None,
        expect_hash=given.expect_hash or None,
        create=given.create,
    )


TOOL: Final = Tool(
    name="ctx_edit",
    about=(
        "Replace text in a file, exactly and atomically; or create a file. Claims the file meanwhile: refused while "
        "somebody else holds it. A miss shows what the file says and who changed it."
    ),
    input=EditInput,
    output=output_schema(path="string!", applied="boolean!", cause="string!", message="string!", content_hash="string"),
    run=run,
)
