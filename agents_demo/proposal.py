"""From a task and a shown text to an edit: `old` is cut from that text, `new` is `old` with the rewrite.

This is all that an agent of the demo can do. It knows the task and what it was shown; so a text that is stale, cut
short, or not unique in the file makes its edit fail for real.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from agents_demo.fragment import Fragment, read_fragment
from agents_demo.rewrites import REWRITES, Change
from agents_demo.site import Site, alike, is_scope, sites_in
from agents_demo.syntax import Lines
from agents_demo.task import Task

MAX_NEIGHBOURS: Final = 50
"""The most lines that are added to `old` on either side."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Replace `old`, whole lines of the shown text without the last one's ending, by `new`."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class NotVisible:
    """The shown text does not hold the place, or not enough to tell which one it is. `reason` is for people."""

    reason: str


@dataclass(frozen=True, slots=True)
class AlreadyDone:
    """The place is in the shown text and has its new form."""


def propose(
    task: Task, shown_text: str, *, n_neighbours: int = 0, trusts_orphans: bool = True
) -> Proposal | NotVisible | AlreadyDone:
    """What to do about the task, going by the shown text alone.

    `old` holds the place's statement whole and `n_neighbours` lines on each side, and more while it is not unique in
    the shown text, as far as the lines there are the file's. A definition that is shown without the class around it is
    taken for the task's, unless `trusts_orphans` is false: then it may be one of the same name elsewhere.
    """
    fragment, lines = read_fragment(shown_text), Lines(shown_text)
    sites = sites_in(fragment.module, fragment.orphans if trusts_orphans else (), only=task.scope)
    found = alike(sites, task.scope, task.fingerprint)
    if len(found) != task.n_alike:
        return NotVisible(_why_not(task, sites, len(found)))
    site = found[task.ordinal]
    if site.kind is None:
        return AlreadyDone()
    change = REWRITES[site.kind].change(site.node, lines)
    if change is None:
        return NotVisible(
            f"what is shown of {task.scope!r} cannot be rewritten as {task.kind!r} any more: read it again"
        )
    return _cut(lines, fragment, _extent(site, change, lines), change, n_neighbours)


def _why_not(task: Task, sites: list[Site], n_found: int) -> str:
    if n_found:
        return (
            f"{n_found} of {task.n_alike} like places of {task.scope!r} are shown, so which is which cannot be told: "
            "expand it, or read the file in full"
        )
    seen = (
        "some of it is shown" if any(is_scope(site.scope, task.scope) for site in sites) else "nothing of it is shown"
    )
    return f"the place in {task.scope!r} is not in the shown text ({seen}): expand it, or read the file in full"


def _extent(site: Site, change: Change, lines: Lines) -> tuple[int, int]:
    """The first and last line that `old` must hold: a simple statement's, or the change's in a compound one."""
    first, last = lines.line_at(change.start), lines.line_at(max(change.start, change.end - 1))
    statement = site.statement
    if hasattr(statement, "body") or statement.end_lineno is None:
        return first, last
    return min(first, statement.lineno), max(last, statement.end_lineno)


def _cut(lines: Lines, fragment: Fragment, extent: tuple[int, int], change: Change, n_neighbours: int) -> Proposal:
    first, last = extent
    for n_added in range(MAX_NEIGHBOURS + 1):
        start, end = lines.block(first, last)
        if n_added >= n_neighbours and lines.text.count(lines.text[start:end]) == 1:
            break
        first -= _can_add(first - 1, lines, fragment)
        last += _can_add(last + 1, lines, fragment)
    start, end = lines.block(first, last)
    old = lines.text[start:end]
    return Proposal(old, old[: change.start - start] + change.text + old[change.end - start :])


def _can_add(number: int, lines: Lines, fragment: Fragment) -> bool:
    """Whether the line is surely one of the file's. In a fragment a comment might be a marker."""
    if not 1 <= number <= len(lines.lines) or number in fragment.skipped:
        return False
    return fragment.is_whole or not lines.lines[number - 1].lstrip().startswith("#")
