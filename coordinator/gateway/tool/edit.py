"""`ctx_edit`: change a file exactly, make, move or delete one, and take a change back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, Literal

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
    """What to do with which file."""

    path: str = Field(max_length=4_096)
    action: Literal["edit", "create", "move", "delete", "undo"] = "edit"
    old: str = Field(default="", max_length=_MAX_TEXT, description="(edit) text that occurs exactly once")
    new: str = Field(default="", max_length=_MAX_TEXT, description="(edit) its replacement; (create) the file")
    edits: list[Replacement] = Field(default_factory=list, max_length=100, description="(edit) several, all or none")
    to: str = Field(default="", max_length=4_096, description="(move) new path")
    expect_hash: str = Field(default="", max_length=128, description="refuse if the file is another")


async def run(agent: AsyncCoordinator, given: EditInput, _report: Report) -> Answer:
    """Carry one action out."""
    _check(given)
    edited = await _ACTIONS[given.action](agent, given)
    notes = [*edited.warnings, *edited.hints]
    text = "\n".join([edited.message, *notes, *([edited.evidence] if edited.evidence else [])])
    return Answer(text, edited.to_dict(), is_error=not edited)


def _check(given: EditInput) -> None:
    """Raise `Misuse` for what the action does not take: it would be dropped in silence."""
    taken = _TAKEN[given.action]
    extra = [
        name for name in ("old", "new", "edits", "to", "expect_hash") if getattr(given, name) and name not in taken
    ]
    if extra:
        raise Misuse(f"{given.action} does not take {', '.join(extra)}: it takes path, {', '.join(taken) or 'no more'}")
    if given.action == "move" and not given.to:
        raise Misuse("move needs to: the new path")


async def _edit(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.edit(
        given.path,
        given.old,
        given.new,
        edits=[(one.old, one.new) for one in given.edits] or None,
        expect_hash=given.expect_hash or None,
    )


async def _create(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.edit(given.path, "", given.new, create=True)


async def _move(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.move(given.path, given.to, expect_hash=given.expect_hash or None)


async def _delete(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.delete(given.path, expect_hash=given.expect_hash or None)


async def _undo(agent: AsyncCoordinator, given: EditInput) -> Edited:
    return await agent.undo(given.path)


_ACTIONS: Final[dict[str, Callable[[AsyncCoordinator, EditInput], Awaitable[Edited]]]] = {
    "edit": _edit,
    "create": _create,
    "move": _move,
    "delete": _delete,
    "undo": _undo,
}
_TAKEN: Final[dict[str, tuple[str, ...]]] = {
    "edit": ("old", "new", "edits", "expect_hash"),
    "create": ("new",),
    "move": ("to", "expect_hash"),
    "delete": ("expect_hash",),
    "undo": (),
}

TOOL: Final = Tool(
    name="ctx_edit",
    about=(
        "Replace text in a file, exactly and atomically; create, move or delete one; undo. Claims the file meanwhile: "
        "refused while somebody else holds it. A miss shows what the file says and who changed it."
    ),
    input=EditInput,
    output=output_schema(path="string!", applied="boolean!", cause="string!", message="string!", content_hash="string"),
    run=run,
)
