"""The names of units side by side in a marker: `Parser,.parse,.next,helper,+3`.

A name is shortened to its last part where the one before tells the rest: after `Parser` and after `Parser.parse`,
`.next` is `Parser.next`. In a file where a name begins with a dot itself, as selectors do, none is shortened, since
`.next` could be either. A number with a plus is how many units there are beside those that are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

SEPARATOR: Final = ","
_MORE: Final = re.compile(r"\+[0-9]+")


def can_shorten(names: Iterable[str]) -> bool:
    """Whether the names of a file may be shortened: none of all its `names` could be taken for a short one."""
    return not any(name.startswith(".") for name in names)


def shortened(names: Iterable[str]) -> Iterator[str]:
    """`names`, each without what the one before tells; those of titles and selectors stay as they are."""
    before = ""
    for name in names:
        yield short_name(name, before)
        before = name


def short_name(name: str, before: str) -> str:
    """`name` without what the one before tells, if any ("" for none)."""
    around, _, last = name.rpartition(".")
    is_title = not around or "-" in around or around.startswith(".")
    return name if is_title or not before or _whole(f".{last}", before) != name else f".{last}"


def join_names(names: Sequence[str], n_more: int = 0) -> str:
    """Names that are shortened already, and how many there are beside them."""
    return SEPARATOR.join([*names, f"+{n_more}"] if n_more else names)


def split_names(text: str) -> Iterator[str]:
    """The names that a marker tells, whole; what begins with a dot also as it stands, since it may be called so."""
    before = ""
    for name in text.split(SEPARATOR):
        if not name or _MORE.fullmatch(name):
            continue
        yield name
        if name.startswith(".") and before:
            name = _whole(name, before)
            yield name
        before = name


def _whole(short: str, before: str) -> str:
    return (before.rpartition(".")[0] or before) + short
