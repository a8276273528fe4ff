"""`ctx_search`: find text in the files of the tree."""

from __future__ import annotations

import asyncio
from typing import Final

from pydantic import Field

from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator
from coordinator.gateway.search import search
from coordinator.gateway.tool.tool import Answer, Report, Tool, ToolInput, output_schema
from coordinator.gateway.wait import reported

_AT_MOST_S: Final = 10.0


class SearchInput(ToolInput):
    """What to look for, and where."""

    query: str = Field(max_length=400, description="words that stand on one line")
    glob: str = Field(default="", max_length=400, description="of paths: src/*.py")
    limit: int = Field(default=40, ge=1, le=200)


async def run(agent: AsyncCoordinator, given: SearchInput, report: Report) -> Answer:
    """Look through the files, in a thread. For half an hour, reads without a query of their own go by this one."""
    if not given.query.split():
        raise Misuse("search for what? Give words in query")
    looking = asyncio.to_thread(search, agent.root, given.query, glob=given.glob, limit=given.limit)
    found = await reported(looking, _AT_MOST_S, "looking through the files", report)
    agent.searched(given.query)
    lines = [f"{hit.path}:{hit.line}: {hit.text}" for hit in found.hits]
    if found.n_more:
        lines.append(f"and {found.n_more} more lines: add a word or a glob")
    if found.not_looked_at:
        lines.append(found.not_looked_at)
    rows = [{"path": hit.path, "line": hit.line, "text": hit.text} for hit in found.hits]
    document = {"hits": rows, "n_more": found.n_more, "n_files": found.n_files, "incomplete": bool(found.not_looked_at)}
    return Answer("\n".join(lines) or f"nothing in {found.n_files} files", document)


TOOL: Final = Tool(
    name="ctx_search",
    about="Find lines that hold all words of a query, in the tree's files (git's, or all but hidden ones).",
    input=SearchInput,
    output=output_schema(hits="array!", n_more="integer!", n_files="integer!", incomplete="boolean!"),
    run=run,
    changes=False,
)
