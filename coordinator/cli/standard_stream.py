"""The standard streams as a shell may leave them: closed, or with a full disk behind them."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Final

from actors.runtime.errors import ScentfieldError

_STREAMS: Final = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_RDONLY))


class OutputLost(ScentfieldError):
    """The answer could not be written; the command itself was carried out."""

    code = "output_lost"


def open_missing_streams() -> None:
    """Put a stream that fails when it is used in the place of each that is closed, for which Python has None.

    Else the next file that is opened, a store's for example, would get the number of that stream.
    """
    for name, mode, wrong_way in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, wrong_way), mode))


@contextlib.contextmanager
def standard_output() -> Iterator[IO[str]]:
    """Standard output, to be written to within. Raises `OutputLost` if that fails; a closed pipe is left to others."""
    try:
        yield sys.stdout
    except BrokenPipeError:
        raise
    except OSError as error:
        _let_go(sys.stdout)
        raise OutputLost(
            f"what was asked for is done, but standard output cannot be written ({error.strerror or error}): make "
            "room, or send it elsewhere, and ask again"
        ) from error


@contextlib.contextmanager
def standard_error() -> Iterator[IO[str]]:
    """Standard error, to be written to within; where that fails there is nobody left to be told."""
    try:
        yield sys.stderr
    except OSError:
        _let_go(sys.stderr)


def _let_go(stream: IO[str]) -> None:
    """Lead it nowhere, or Python tries to write at its end what is left, and fails there."""
    with contextlib.suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
