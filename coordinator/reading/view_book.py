"""What one agent was shown, and so what it can quote.

Pure record; whoever keeps it writes it down. For each path: the mode of the last whole-file view, the content's hash at
the last read, and the lines of that content that the agent has seen. Bounded: the path that was not recorded for the
longest time goes first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from coordinator.reading.mode import WHOLE_FILE_MODES
from coordinator.reading.shown import ShownLines
from coordinator.reading.view import View

MAX_PATHS: Final = 2_000
MAX_TAGS_PER_PATH: Final = 64
MAX_TAGS: Final = 4_096
MAX_ARMS: Final = 16


@dataclass(frozen=True, slots=True)
class SeenFile:
    """What an agent knows of one file.

    `last_mode` is empty until the file was read as a whole, `viewed_hash` is the content that this view showed; `shown`
    counts only for `content_hash`; `tags` are those of its views, oldest first. `arms` are the learned layers that the
    view in `last_mode` went without.
    """

    content_hash: str
    last_mode: str = ""
    shown: ShownLines = field(default_factory=ShownLines)
    tags: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    viewed_hash: str = ""


class ViewBook:
    """The files that one agent has read."""

    def __init__(self) -> None:
        self._files: dict[str, SeenFile] = {}  # in order of the last record, oldest first
        self._tags: dict[str, None] = {}  # of all views, also of files that are forgotten; oldest first

    def record(self, path: str, view: View, arms: tuple[str, ...] = ()) -> None:
        """Note that the agent was shown `view` of `path`, made without the learned layers `arms`."""
        seen = self._files.get(path)
        known = seen.shown if seen and seen.content_hash == view.content_hash else ShownLines()
        if seen and view.previous_hash == seen.content_hash:
            known = known.union(seen.shown.carried(view.kept))
        before = seen or SeenFile(view.content_hash)
        tags = [tag for tag in before.tags if tag != view.tag]
        is_whole = is_whole_file(view)
        self._put(
            path,
            SeenFile(
                content_hash=view.content_hash,
                last_mode=view.mode if is_whole else before.last_mode,
                shown=known.union(view.shown),
                tags=(*tags, view.tag)[-MAX_TAGS_PER_PATH:],
                arms=arms if is_whole else before.arms,
                viewed_hash=view.content_hash if is_whole else before.viewed_hash,
            ),
        )
        self._remember_tag(view.tag)

    def of(self, path: str) -> SeenFile | None:
        """What the agent knows of `path`; None if it never read it, or too long ago."""
        return self._files.get(path)

    def forget(self, path: str) -> None:
        """Drop what is known of `path`; the tags of its views stay in `all_tags`."""
        self._files.pop(path, None)

    def move(self, path: str, new_path: str) -> None:
        """The file is now called `new_path`; what is known of it goes along."""
        seen = self._files.pop(path, None)
        self.forget(new_path)
        if seen is not None:
            self._put(new_path, seen)

    def mark_shown(self, path: str, content_hash: str, lines: ShownLines) -> None:
        """Note lines that the agent saw otherwise, such as in the answer to a failed edit.

        If the content is another than the one last read, only these lines count from now on. `last_mode` stays.
        """
        seen = self._files.get(path, SeenFile(content_hash))
        known = seen.shown if seen.content_hash == content_hash else ShownLines()
        self._put(path, replace(seen, content_hash=content_hash, shown=known.union(lines)))

    def issued_tags(self, path: str) -> tuple[str, ...]:
        """The tags of the views of `path`, oldest first."""
        seen = self._files.get(path)
        return seen.tags if seen else ()

    @property
    def all_tags(self) -> tuple[str, ...]:
        """The last tags of any path, oldest first: a marker of one file must not end up in another either."""
        return tuple(self._tags)

    def to_plain(self) -> dict[str, Any]:
        """All of it as lists, strings and numbers, for callers that live for one command."""
        files = [
            [path, s.content_hash, s.last_mode, s.shown.to_plain(), list(s.tags), list(s.arms), s.viewed_hash]
            for path, s in self._files.items()
        ]
        return {"files": files, "tags": list(self._tags)}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> ViewBook:
        """Rebuild from `to_plain`, within the bounds. Raises `KeyError`, `TypeError` or `ValueError` for other data."""
        book = cls()
        for path, content_hash, last_mode, shown, tags, arms, viewed_hash in plain["files"]:
            kept_tags = tuple(str(tag) for tag in tags)[-MAX_TAGS_PER_PATH:]
            kept_arms = tuple(str(arm) for arm in arms)[:MAX_ARMS]
            lines = ShownLines.from_plain(shown)
            seen = SeenFile(str(content_hash), str(last_mode), lines, kept_tags, kept_arms, str(viewed_hash))
            book._put(path, seen)
        for tag in plain["tags"]:
            book._remember_tag(str(tag))
        return book

    def _put(self, path: str, seen: SeenFile) -> None:
        self._files.pop(path, None)
        self._files[path] = seen
        _drop_oldest(self._files, MAX_PATHS)

    def _remember_tag(self, tag: str) -> None:
        self._tags.pop(tag, None)
        self._tags[tag] = None
        _drop_oldest(self._tags, MAX_TAGS)


def is_whole_file(view: View) -> bool:
    """Whether this view stands for the whole file: it says what changed, or what there is."""
    return view.mode in WHOLE_FILE_MODES and (view.mode != "diff" or view.body != "")


def _drop_oldest(entries: dict[str, Any], limit: int) -> None:
    while len(entries) > limit:
        del entries[next(iter(entries))]
