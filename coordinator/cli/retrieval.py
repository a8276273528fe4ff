"""`scentfield index` and `scentfield search`: the tree's passages that answer a question. No coordinator is needed."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.embedding.source import STATIC
from actors.runtime.errors import Unavailable
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Part, Verbatim
from coordinator.cli.progress import progress
from coordinator.retrieval.answer import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from coordinator.retrieval.answer import Answer
    from coordinator.retrieval.indexer import Refreshed
    from coordinator.retrieval.model import Model
    from coordinator.retrieval.tree_retriever import TreeRetriever

_WAIT_S: Final = 600.0
_SHOWN_LINES: Final = 6
_WHOLE: Final = 1.0


def index(
    call: Invocation,
    path: Annotated[
        Path | None,
        typer.Argument(help="A folder of the tree; else the one around here.", exists=True, file_okay=False),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Begin anew, whatever there is.")] = False,
) -> Outcome:
    """Take a tree's files into its index, so that passages can be found: what has changed, or at first all of it.

    Example: scentfield index

    Files that git ignores, binary ones and those that are named like secrets are left out.
    """
    with open_retriever(call, path) as retriever, progress("indexing", _WHOLE) as advance:
        done = retriever.index(rebuild=rebuild, wait_s=_WAIT_S, told=advance)
        root = str(retriever.root)
    return Outcome(_document(root, done), [Line(line) for line in _lines(root, done)], _notes(done))


def search(
    call: Invocation,
    query: Annotated[str, typer.Argument(help="A question, or words.")],
    top_k: Annotated[int, typer.Option("--top-k", help="How many passages.", metavar="N")] = 5,
    level: Annotated[
        float, typer.Option(help="How much to leave out of each: 0.0 nothing, 1.0 most.", metavar="X")
    ] = 0.0,
    by: Annotated[Source, typer.Option(help="Look by words, by meaning, or both.")] = "both",
    whole: Annotated[bool, typer.Option("--whole", help="Print all of each passage, not its first lines.")] = False,
) -> Outcome:
    """Show the passages of the tree that answer a question best, by words and by meaning.

    Example: scentfield search "how long does a claim live?" --top-k 3
    """
    with open_retriever(call, None) as retriever:
        answer = retriever.search(query, top_k=top_k, level=level, by=by)
    parts = [part for place in range(len(answer.passages)) for part in _passage_parts(answer, place, whole=whole)]
    return Outcome(answer.to_dict(), parts or [Line("nothing was found")], answer.notes)


@contextmanager
def open_retriever(call: Invocation, path: Path | None) -> Iterator[TreeRetriever]:
    """What searches the tree that was named, or the one around here; what it counted is kept."""
    from coordinator.retrieval.opening import retriever_of  # needed by these commands only
    from coordinator.workspace import Workspace

    start = path or call.flags.root or Path.cwd()
    workspace = Workspace.discover(start, space=call.settings.space)
    retriever = retriever_of(call.settings, workspace, _actor(call))
    try:
        yield retriever
    finally:
        retriever.close()


def _actor(call: Invocation) -> Model | None:
    """The way to the embedding actor, for a model that no other process can have; None where nothing runs."""
    if call.settings.disabled or not call.settings.model.is_wanted or call.settings.model.model == STATIC:
        return None
    try:
        call.house.connect(call.settings)
    except Unavailable:
        return None  # the answer says by what it was looked for, and why
    from coordinator.embedding.connect import ray_embedder  # Ray is a slow import

    return ray_embedder(call.settings.namespace)


def _document(root: str, done: Refreshed) -> dict[str, Any]:
    return {
        "root": root,
        "n_files": done.n_files,
        "n_sections": done.n_sections,
        "n_vectors": done.n_vectors,
        "n_indexed": done.n_indexed,
        "n_gone": done.n_gone,
        "n_secret": done.n_secret,
        "left_out": done.left_out,
        "no_vectors": done.no_vectors,
        "took_s": round(done.took_s, 3),
    }


def _lines(root: str, done: Refreshed) -> list[str]:
    lines = [
        f"{root}: {done.n_files:,} files, {done.n_sections:,} sections, {done.n_vectors:,} with a vector",
        f"indexed {done.n_indexed:,} files, forgot {done.n_gone:,}, in {done.took_s:.1f} s",
    ]
    if done.left_out:
        lines.append("left out: " + ", ".join(f"{n:,} {why}" for why, n in done.left_out.items()))
    if done.n_secret:
        lines.append(f"left out: {done.n_secret:,} sections that seem to hold a secret")
    return lines


def _notes(done: Refreshed) -> list[str]:
    return [f"without vectors, so words alone will be looked for: {done.no_vectors}"] if done.no_vectors else []


def _passage_parts(answer: Answer, place: int, *, whole: bool) -> list[Part]:
    """Where a passage is and its first lines, or all of it."""
    one, source = answer.passages[place], answer.sources[place]
    title = f" {one.title}" if one.title else ""
    head = Line(f"{place + 1}. {one.path}:{one.first_line}-{one.last_line}{title} ({source})", "bold")
    text = one.text if one.text.endswith("\n") else f"{one.text}\n"
    if whole:
        return [head, Verbatim(text)]
    lines = text.splitlines()
    shown = [Line(f"    {line}") for line in lines[:_SHOWN_LINES]]
    n_more = len(lines) - len(shown)
    return [head, *shown, *([Line(f"    and {n_more} more lines (--whole)")] if n_more > 0 else [])]
