"""A bar on standard error, where somebody looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Advance: TypeAlias = Callable[[float, str], None]
"""Hears how much is done by now, and what there is to say about it."""


@contextmanager
def progress(name: str, total: float) -> Iterator[Advance]:
    """A bar that is full at `total`; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _done, _note: None
        return
    # Rich takes a fifth of a second to import, and pipes do without it.
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total)
        yield lambda done, note: bar.update(task, completed=done, description=f"{name} ({note})" if note else name)
