"""What a tree looks like from outside: which files there are to index, and by what a changed one is known.

A stamp says that a file is likely what it was; that it is so, its content hash says. Files that are named like secrets
are left out, whatever they hold.
"""

from __future__ import annotations

import fnmatch
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from coordinator.file_list import is_behind_link, listed_files

SETTLED_NS: Final = 2_000_000_000
"""A file that changed so shortly before it was looked at may change again without a new stamp, on a coarse clock."""
_SECRET_NAMES: Final = (
    ".env", ".env.*", "*.env", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.asc", "*.gpg",
    "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd",
    ".git-credentials", ".dockercfg", "credentials", "credentials.*", "secret.*", "secrets.*", "*.tfstate",
    "*.tfstate.*", "*.tfvars",
)  # fmt: skip
_EXAMPLES: Final = (".example", ".sample", ".template", ".dist")
_SOURCES: Final = (".py", ".pyi", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".md", ".rst", ".html", ".txt")
_SECRET_FOLDERS: Final = frozenset({".ssh", ".gnupg", ".aws"})


class Sight(NamedTuple):
    """A file as a look at the tree shows it; `newest_ns` is when it last changed, by the file system's clock."""

    path: str
    stamp: str
    n_bytes: int
    newest_ns: int

    def is_settled(self, looked_ns: int) -> bool:
        """Whether a look at `looked_ns`, when it had this stamp, can be trusted."""
        return self.newest_ns + SETTLED_NS < looked_ns


class Look(NamedTuple):
    """The regular files of a tree by path, and how many more there are than may be indexed."""

    files: list[Sight]
    n_over: int


def look(root: Path, max_files: int) -> Look:
    """Look at the tree; `root` is spelled without links.

    Raises `Unavailable` in a repository whose git does not say what is ignored.
    """
    folders: dict[str, bool] = {}
    seen = [
        sight
        for path in listed_files(root, max_walked=max_files, must_ignore=True)
        for sight in _seen(root, path, folders)
    ]
    return Look(seen[:max_files], max(0, len(seen) - max_files))


def _seen(root: Path, path: str, folders: dict[str, bool]) -> Iterator[Sight]:
    """The file, if it is one and not behind a link; `folders` remembers which are."""
    folder = path.rpartition("/")[0]
    if folder not in folders:
        folders[folder] = is_behind_link(root / path)
    if folders[folder]:
        return
    try:
        about = os.lstat(root / path)
    except OSError:
        return
    if stat.S_ISREG(about.st_mode):
        stamp = f"{about.st_size}-{about.st_mtime_ns}-{about.st_ctime_ns}-{about.st_ino}"
        yield Sight(path, stamp, about.st_size, max(about.st_mtime_ns, about.st_ctime_ns))


def is_named_like_secret(path: str) -> bool:
    """Whether a file of this name usually holds keys or passwords; examples and source code do not."""
    pure = PurePosixPath(path.lower())
    if _SECRET_FOLDERS.intersection(pure.parts[:-1]):
        return True
    if pure.name.endswith((*_EXAMPLES, *_SOURCES)):
        return False
    return any(fnmatch.fnmatchcase(pure.name, pattern) for pattern in _SECRET_NAMES)
