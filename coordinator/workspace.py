"""One checked-out tree: where its root is, which claim space it belongs to, and how its paths are spelled.

The client's half of canonical targets: links, case and the working folder need a disk to look at, which the state
machine does not have. Nothing here writes.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from actors.runtime.errors import BadTarget
from actors.scent_field.target import (
    MAX_RAW_CHARS,
    Target,
    TargetKind,
    canonical,
    escape,
    is_plain,
    parse_segment,
    parse_target,
)

SETTINGS_FILE = "scentfield.toml"
_LABEL = re.compile(r"[a-z][a-z0-9_-]*:")
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_FOLDER_ENDS = ("", ".", "..")


class Workspace:
    """A tree of files that agents work on; targets are relative to its `root`.

    `space` names the claim space: given, else made from the git directory that all work trees of a repository share, so
    that their claims meet; without git from the root. A root below the top of its work tree has a space of its own,
    because its targets are spelled from another root. `case_insensitive` is found by looking unless it is given.
    Files below folders that are `closed`, named in lower case, cannot be reached.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        space: str | None = None,
        case_insensitive: bool | None = None,
        closed: frozenset[str] = frozenset(),
    ) -> None:
        self.root = Path(os.path.realpath(root))
        self._root_text = str(self.root).rstrip("/")
        self.space = space if space is not None else _space_of(self.root)
        self._given_case_insensitive = case_insensitive
        self._closed = closed

    @classmethod
    def discover(cls, start: str | os.PathLike[str], *, space: str | None = None) -> Workspace:
        """The workspace around `start`: its nearest parent with `.git` or scentfield.toml in it, else `start`."""
        here = Path(os.path.realpath(start))
        here = here if here.is_dir() else here.parent
        marked = (at for at in (here, *here.parents) if (at / ".git").exists() or (at / SETTINGS_FILE).is_file())
        return cls(next(marked, here), space=space)

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r}, space={self.space!r})"

    @property
    def digest(self) -> str:
        """A name for what is kept of this very tree; work trees that share the space differ in it."""
        return hashlib.sha256(f"{self.space}\0{self.root}".encode("utf-8", "surrogatepass")).hexdigest()[:16]

    @cached_property
    def case_insensitive(self) -> bool:
        """Whether `README` and `readme` are one file here. Looked up once, by the names that are there."""
        if self._given_case_insensitive is not None:
            return self._given_case_insensitive
        return _ignores_case(self.root)

    def target(self, text_or_path: str | os.PathLike[str], *, cwd: str | os.PathLike[str] | None = None) -> str:
        """The canonical text of what somebody named.

        Relative input starts at the root, or at `cwd`. Links are followed as far as the path exists; an existing folder
        becomes a folder target. A string may be a label or a glob; names in it that exist as written are taken
        literally (`app/[id]`), and a `PathLike` is literal as a whole. Raises `BadTarget` for what is empty, malformed,
        over 4096 characters or outside the root, also by a link.
        """
        text = os.fspath(text_or_path)
        _check_raw(text)
        if cwd is None and self._is_as_written(text):
            return text
        is_literal = not isinstance(text_or_path, str)
        if not is_literal and _LABEL.match(text):
            return canonical(text).text
        start = self.root if cwd is None else self.root / cwd
        head, tail = _split_at_wildcard(start, text, is_literal=is_literal)
        resolved = os.path.realpath(start / head)
        found = self._relative(text, Path(resolved))
        is_folder = text.split("/")[-1] in _FOLDER_ENDS or (not tail and _is_folder(resolved))
        spelled = "/".join((*([escape(found)] if found else []), *tail)) or "."
        return self._folded(canonical(f"./{spelled}/" if is_folder else f"./{spelled}"))

    def named_target(self, path: str) -> str:
        """The target of a path below the root that is taken as it is, as git does: literally, no link is followed.

        Raises `BadTarget` for a name that no target can spell.
        """
        if is_plain(path) and not self.case_insensitive:
            return path
        return self._folded(canonical(f"./{escape(unicodedata.normalize('NFC', path))}"))

    def own_target(self, named: str | os.PathLike[str], *, cwd: str | os.PathLike[str] | None = None) -> str:
        """The target of a file that is moved or deleted itself. Raises `BadTarget` as `target`, and for a symlink."""
        target = self.target(named, cwd=cwd)
        at = self.root / (cwd or "") / named
        if os.path.islink(at):  # noqa: PTH114 -- Path.is_symlink raises for a name that is too long
            raise BadTarget(
                f"{_shown(os.fspath(named))} is a symlink, to {str(at.readlink())!r}: name the file itself; a link is "
                "moved or deleted by other means"
            )
        return target

    def _is_as_written(self, text: str) -> bool:
        """Whether this is the target of a file already: nearly all are, and need no look at the folders above the root.

        A name that is not there cannot be a link, nor can what would be below it.
        """
        if not is_plain(text) or self.case_insensitive:
            return False
        at, mode = self._root_text, 0
        try:
            for name in text.split("/"):
                at = f"{at}/{name}"
                mode = os.lstat(at).st_mode
                if stat.S_ISLNK(mode):
                    return False
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return not stat.S_ISDIR(mode)

    def path(self, target_text: str) -> Path:
        """Where the file of this target is, or would be created: absolute and inside the root.

        On a case-insensitive root, and for names that are not NFC on disk, existing files are found under their real
        names. Raises `BadTarget` for a target that is not a file or is closed, and where a link on the way leads
        elsewhere.
        """
        target = parse_target(target_text)
        if target.kind is not TargetKind.FILE:
            raise BadTarget(f"the target {target_text!r} is a {target.kind}, not a file: name one file in it")
        closed = next((name for name in target.parts if name.casefold() in self._closed), None)
        if closed is not None:
            raise BadTarget(f"the target {target_text!r} lies in {closed!r}, which is closed here: name another file")
        path = self.root
        for name in target.parts:
            path = path / self._name_on_disk(path, name)
        resolved = Path(os.path.realpath(path))
        if resolved != path:
            self._refuse_link(target_text, resolved)
        return path

    def _refuse_link(self, target_text: str, resolved: Path) -> None:
        if not resolved.is_relative_to(self.root):
            raise BadTarget(f"the target {target_text!r} leads out of the root by a link, to {str(resolved)!r}")
        real = self.target(resolved)
        raise BadTarget(f"the target {target_text!r} is reached by a link: claim what it leads to, {real!r}")

    def _relative(self, text: str, resolved: Path) -> str:
        n_above = len(self.root.parts)
        above = list(map(self._same_name, resolved.parts[:n_above]))
        if above != list(map(self._same_name, self.root.parts)):
            raise BadTarget(
                f"the target {_shown(text)} leads to {_shown(str(resolved))}, outside the root {str(self.root)!r}: "
                "name something inside it, or start where the right root is"
            )
        return unicodedata.normalize("NFC", "/".join(resolved.parts[n_above:]))

    def _same_name(self, part: str) -> str:
        return _key(part, fold=True) if self.case_insensitive else part

    def _folded(self, target: Target) -> str:
        if not self.case_insensitive:
            return target.text
        return canonical("./" + _key(target.text, fold=True).removeprefix("./")).text

    def _name_on_disk(self, folder: Path, name: str) -> str:
        if not self.case_insensitive and (name.isascii() or os.path.lexists(folder / name)):
            return name
        wanted = _key(name, fold=self.case_insensitive)
        alike = sorted(other for other in _names_in(folder) if _key(other, fold=self.case_insensitive) == wanted)
        return name if name in alike or not alike else alike[0]


def _is_folder(path: str) -> bool:
    return os.path.isdir(path)  # noqa: PTH112 -- Path.is_dir raises for a name that is too long


def _check_raw(text: object) -> None:
    if not isinstance(text, str):
        raise BadTarget(f"the target is {type(text).__name__}, not text: decode it with os.fsdecode")
    if not text:
        raise BadTarget("the target is empty: name a file, a folder, a glob or a label such as 'task:login'")
    if len(text) > MAX_RAW_CHARS:
        raise BadTarget(f"the target {_shown(text)} has {len(text)} characters: {MAX_RAW_CHARS} are the most")
    if "\0" in text:
        raise BadTarget(f"the target {_shown(text)} holds a NUL character: no path has one")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise BadTarget(f"the target {_shown(text)} holds broken Unicode ({error.reason}): no path has it") from error


def _split_at_wildcard(start: Path, text: str, *, is_literal: bool) -> tuple[str, list[str]]:
    """The literal path that a target begins with, and its segments from the first wildcard on."""
    if is_literal:
        return text, []
    top = "/" if text.startswith("/") else ""
    at = start / top
    segments = [segment for segment in text.split("/") if segment]
    for index, segment in enumerate(segments):
        name = segment if os.path.lexists(at / segment) else parse_segment(segment, is_first=index == 0)
        if not isinstance(name, str):
            return top + "/".join(segments[:index]), segments[index:]
        segments[index] = name
        at = at / name
    return top + "/".join(segments), []


def _names_in(folder: Path) -> Iterable[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 -- the names are wanted, not paths
    except OSError:
        return ()


def _key(name: str, *, fold: bool) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold() if fold else name)


def _ignores_case(root: Path) -> bool:
    """Looks for one existing name in its other case; False where no name has letters."""
    cased = (root / name for name in sorted(_names_in(root)) if name != name.swapcase())
    path = next(cased, root)
    other = path.with_name(path.name.swapcase()) if path.name else path
    try:
        return other.name != path.name and other.samefile(path)
    except OSError:
        return False


def _space_of(root: Path) -> str:
    top = next((at for at in (root, *root.parents) if (at / ".git").exists()), None)
    if top is None:
        return _space_name(root.name, str(root))
    shared = _common_directory(top / ".git")
    below = root.relative_to(top).as_posix()
    name = shared.parent.name if shared.name == ".git" else shared.name
    return _space_name(name, str(shared) if below == "." else f"{shared}\0{below}")


def _common_directory(dot_git: Path) -> Path:
    """The git directory that all work trees share (gitrepository-layout: `gitdir:` files and `commondir`)."""
    git_directory = dot_git
    if dot_git.is_file():
        pointer = dot_git.read_text("utf-8", "surrogateescape").removeprefix("gitdir:").strip()
        git_directory = dot_git.parent / pointer
    commondir = git_directory / "commondir"
    if commondir.is_file():
        git_directory = git_directory / commondir.read_text("utf-8", "surrogateescape").strip()
    return Path(os.path.realpath(git_directory))


def _space_name(name: str, identity: str) -> str:
    digest = hashlib.sha256(identity.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return f"{_UNSAFE.sub('-', name)[:40] or 'root'}-{digest}"


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."
