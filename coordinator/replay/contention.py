"""What it costs an agent that another one changes a file under its hands, with and without the rules for that.

    python -m coordinator.replay.contention --limit 300 click:py=DIR ripgrep:rs=DIR

Two changes to one file that follow each other in a history stand for two agents at work at the same time: the one reads
the file, the other changes it, and then the first makes its edits. Two questions, each with its rule and without:

* It *reads again* before it edits, automatically. `changed_by_other` gives it the file whole, or the diff since then.
* It does *not* read again. `hot` has given it the file whole at its first read, because the other was at work on it.

Before anything was learned: the usual view is the whole file up to 400 lines, else its map. The costs are those of the
replay's agent; what it was shown and is so no more, it quotes, and fails.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from actors.quality_store.path import extension_of, label_of
from actors.quality_store.source import EXPLICIT
from actors.runtime.errors import ScentfieldError
from coordinator.reading.contention import fresh_mode
from coordinator.reading.grammar import outline_of
from coordinator.reading.line_diff import diff_lines
from coordinator.reading.mode import Mode
from coordinator.reading.policy import choose_base_mode
from coordinator.reading.render import render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import SourceText, decode
from coordinator.reading.unit import LineRange
from coordinator.reading.view import View
from coordinator.reading.view_book import SeenFile
from coordinator.replay.agent import Agent, Replayed
from coordinator.replay.change import Change
from coordinator.replay.git_repository import GitRepository
from coordinator.replay.history import History
from coordinator.replay.table import Project

_USAGE: Final = 2
_FULL: Final = Mode("full")


class Contended(NamedTuple):
    """One pair of changes, or the sums of several, in tokens.

    `n_mixed`: the second change needs lines that the first one wrote or took away. `n_compressed`: the usual view is
    not the whole file, so that `hot` would act; the last two are the sums over these.
    """

    n_pairs: int = 0
    n_mixed: int = 0
    again_usual: int = 0
    again_fresh: int = 0
    n_compressed: int = 0
    once_usual: int = 0
    once_hot: int = 0

    def plus(self, other: Contended) -> Contended:
        """Both together."""
        return Contended(*map(sum, zip(self, other, strict=True)))


def pairs_of(changes: Iterable[Change]) -> Iterator[tuple[Change, Change]]:
    """Each change with the one to the same file before it, if its text was another then."""
    before: dict[str, Change] = {}
    for change in changes:
        first = before.get(change.path)
        before[change.path] = change
        if first is not None and first.before != change.before:
            yield first, change


def contend(first: Change, second: Change) -> Contended:
    """What the edits of `second` cost whoever has read the file as it was before `first`."""
    return _Bench(first, second).contended()


class _Bench:
    """One file before the first change and after it."""

    def __init__(self, first: Change, second: Change) -> None:
        self._path = second.path
        self._old, new = decode(first.before), decode(second.before)
        self._now = Replayed(new, self._path, outline_of(new, self._path))
        self._mode = Mode(choose_base_mode(len(self._old.lines))[0])
        self._needed = [hunk.needed(len(self._now.lines)) for hunk in second.hunks]
        self._kept = diff_lines(self._old.lines, new.lines).kept

    def contended(self) -> Contended:
        usual = self._seen(self._mode)
        again = self._view(self._mode).tokens + self._edited(self._view(self._mode).shown, ())
        mixed = self._stale(ShownLines.up_to(len(self._old.lines)))
        is_compressed = usual.mode != "full"
        return Contended(
            1,
            bool(mixed),
            again,
            self._fresh(usual),
            is_compressed,
            self._once(usual) if is_compressed else 0,
            self._once(self._seen(_FULL)) if is_compressed else 0,
        )

    def _fresh(self, seen: View) -> int:
        """The automatic read by `changed_by_other`, and the edits after it."""
        book = SeenFile(seen.content_hash, seen.mode, seen.shown)
        mode = fresh_mode(book, self._now.source, self._old, self._mode.name)
        view = render(self._now.source, mode, path=self._path, why=EXPLICIT, previous=self._old)
        known = view.shown.union(self._carried(seen.shown)) if view.mode == "diff" else view.shown
        return view.tokens + self._edited(known, ())

    def _once(self, seen: View) -> int:
        """The read before the other's change, and the edits after it."""
        return seen.tokens + self._edited(self._carried(seen.shown), self._stale(seen.shown))

    def _edited(self, known: ShownLines, stale: Sequence[LineRange]) -> int:
        """What the edits cost an agent that knows these lines, and takes the `stale` places for what they were.

        Of the rest it knows the names and the holes that the usual view would show it now.
        """
        agent = Agent(self._now, self._view(self._mode), known)
        for lines in self._needed:
            if lines in stale:
                agent.edit_as_believed(lines)
            else:
                agent.edit(lines)
        return agent.extra_tokens

    def _carried(self, shown: ShownLines) -> ShownLines:
        """The lines of today that were shown as they still are."""
        parts = (
            (max(first, old) - old + new, min(last, old + size - 1) - old + new)
            for old, new, size in self._kept
            for first, last in shown.ranges
        )
        return ShownLines.of(parts)

    def _stale(self, shown: ShownLines) -> list[LineRange]:
        """The needed places in which something is not as it was shown."""
        told = [now for was, now in self._changed() if shown.contains(*was)]
        return [lines for lines in self._needed if any(_is_hit(lines, now) for now in told)]

    def _changed(self) -> Iterator[tuple[LineRange, LineRange]]:
        """What the first change did: the lines before and after; where it added some, those that they came between."""
        n_old, n_new = len(self._old.lines), len(self._now.lines)
        for (old, new, size), (after, new_after, _) in pairwise([(0, 0, 1), *self._kept, (n_old + 1, n_new + 1, 1)]):
            was, now = (old + size, after - 1), (new + size, new_after - 1)
            if was[0] > was[1] and now[0] <= now[1]:
                yield (max(1, after - 1), min(after, n_old)), now
            elif was[0] <= was[1]:
                yield was, now

    def _seen(self, mode: Mode) -> View:
        return self._view(mode, self._old)

    def _view(self, mode: Mode, source: SourceText | None = None) -> View:
        return render(source or self._now.source, mode, path=self._path, why=EXPLICIT)


def _is_hit(lines: LineRange, changed: LineRange) -> bool:
    """Whether a place holds some of the changed lines; where they are gone, both sides of where they were."""
    first, last = changed
    return lines[0] <= last and first <= lines[1] if first <= last else lines[0] < first <= lines[1]


def main(arguments: Sequence[str]) -> int:
    """Print the table of docs/replay.md; returns the exit code."""
    parser = ArgumentParser(prog="python -m coordinator.replay.contention", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("projects", nargs="+", metavar="NAME:EXTENSION=DIR")
    parser.add_argument("--limit", type=int, default=300, help="the newest commits of each, so many at most")
    asked = parser.parse_args(arguments)
    try:
        rows = [_row(Project.parse(text), asked.limit) for text in asked.projects]
    except ScentfieldError as error:
        sys.stderr.write(f"error: {error.message}\n")
        return _USAGE
    head = ("project", "pairs", "mixed", "reads again", "of these compressed", "does not read again")
    lines = [head, ("---",) * len(head), *rows]
    sys.stdout.write("".join(f"| {' | '.join(line)} |\n" for line in lines))
    return 0


def _row(project: Project, limit: int) -> tuple[str, ...]:
    changes = History(GitRepository(project.folder), "HEAD", limit).changes()
    wanted = (change for change in changes if label_of(extension_of(change.path)) == project.extension)
    sums = Contended()
    for first, second in pairs_of(wanted):
        sums = sums.plus(contend(first, second))
    return (
        f"{project.name}, `.{project.extension}`",
        str(sums.n_pairs),
        str(sums.n_mixed),
        _share(sums.again_fresh, sums.again_usual),
        str(sums.n_compressed),
        _share(sums.once_hot, sums.once_usual),
    )


def _share(with_rule: int, usual: int) -> str:
    return f"{with_rule / usual:.0%} of {usual}" if usual else "-"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
