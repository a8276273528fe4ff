"""The client's messages in the words of the command line: they name arguments of Python, people here type options.

Only what our own messages say is changed, never what a person wrote: an intent or a path may hold any word.
"""

from __future__ import annotations

import re
from typing import Final

from coordinator.cli.outcome import span

MAX_WAIT_S: Final = 600.0
"""The longest wait that can be asked for; advice to wait for what takes longer would lead to a refusal."""

_OPTIONS: Final = (
    (re.compile(r"\bwait with wait_s\b"), "claim it with --wait SECONDS"),
    (re.compile(r"\bwith wait_s\b(?=\.$)"), "with --wait SECONDS"),
    (re.compile(r"^wait_s=(?=\S+ is not)"), "--wait "),
    (re.compile(r"\bpass create=True and an empty old text$"), "give --create and no --old"),
    (re.compile(r"\bpass create=True(?= to write a new file$)"), "give --create"),
    (
        re.compile(r"(?<= and )create=True overwrites nothing: edit it with old and new\b"),
        "--create overwrites nothing: edit it with --old and --new",
    ),
    (re.compile(r"\bleave old empty, or edit without create=True$"), "leave --old out, or edit without --create"),
    (re.compile(r"(?<=\bwithout )expect_hash$"), "--expect-hash"),
    (re.compile(r"\beven_if_alive\b"), "--even-if-alive"),
)
_FREE_IN: Final = re.compile(
    r"(?P<wait>, or wait (?:again|with wait_s))?: it is free at the earliest in (?P<s>\d+) s\b"
)
_SPAN: Final = re.compile(r"(?P<before>\b(?:holds|waits for) \S+(?: \(inside \S+\))? since )(?P<s>\d+) s\b")


def in_options(text: str) -> str:
    """A message with options for arguments and with spans of time as the tables show them."""
    text = _SPAN.sub(lambda found: found["before"] + span(float(found["s"])), _FREE_IN.sub(_free_in, text))
    for pattern, option in _OPTIONS:
        text = pattern.sub(option, text)
    return text


def _free_in(found: re.Match[str]) -> str:
    free_s = float(found["s"])
    advice = found["wait"] if found["wait"] and free_s <= MAX_WAIT_S else ""
    return f"{advice}: it is free at the earliest in {span(free_s)}"
