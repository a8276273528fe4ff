"""Diaries, journals and deeds as one history that the simulation's checker reads.

A request counts as arrived when it was sent and its reply as sent when it was heard, which is the earliest and the
latest that it can have been: whoever judges by that blames nobody for what nobody can know.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from coordinator.chaos.diary import SUFFIX, read_diary
from coordinator.chaos.follower import THE_PROCESS
from coordinator.chaos.nemesis import Deed
from coordinator.chaos.plan import KILL_ACTOR, KILL_AGENT, KILL_CLUSTER, STOP_ACTOR
from coordinator.domain import DOMAINS
from coordinator.simulation.call import Call, answers_of, sent
from coordinator.simulation.history import (
    Arrived,
    Committed,
    Finished,
    GivenUp,
    Happened,
    Heard,
    History,
    Opened,
    Record,
    Replied,
    Stopped,
    Wrote,
)

KILLED: Final = "is killed"
GOES_ON: Final = "goes on"
AWAY: Final = "is certainly not there from now on"
BACK: Final = "may be there again"
SURPRISED: Final = "is surprised: "
EDITED: Final = "edited: "


def account_of(diaries: Path, rows: Iterable[Committed], deeds: Sequence[Deed], ended_at_s: float) -> History:
    """All that happened, in the order of its times; a row stands before the replies of its moment."""
    numbers = itertools.count(1)
    records: list[Record] = [Opened(0.0, domain, THE_PROCESS, 1, 0, 0.0) for domain in DOMAINS]
    records += rows
    for deed in deeds:
        records += _of_deed(deed)
    for file in sorted(diaries.glob(f"*{SUFFIX}")):
        records += _of_diary(file, numbers)
    records.append(Finished(ended_at_s))
    return sorted(records, key=_moment)


def _moment(record: Record) -> tuple[float, int]:
    return record.at_s, 1 if isinstance(record, (Replied, Heard, Finished)) else 0


def _of_deed(deed: Deed) -> Iterator[Record]:
    kind, whom, at_s, until_s, sure_s = deed
    if kind in (KILL_ACTOR, KILL_CLUSTER, STOP_ACTOR):
        yield Stopped(at_s, whom, THE_PROCESS, "stopped" if kind == STOP_ACTOR else "killed")
        yield Opened(until_s, whom, THE_PROCESS, 1, 0, 0.0)
        yield from _absence(whom, *(sure_s or (at_s, until_s)))
    else:
        yield Happened(at_s, whom, KILLED if kind == KILL_AGENT else "is stopped")
        if kind != KILL_AGENT:
            yield Happened(until_s, whom, GOES_ON)


def _absence(whom: str, from_s: float, until_s: float) -> Iterator[Record]:
    if from_s < until_s:
        yield Happened(from_s, whom, AWAY)
        yield Happened(until_s, whom, BACK)


def _of_diary(file: Path, numbers: Iterator[int]) -> Iterator[Record]:
    name = file.name.removesuffix(SUFFIX)
    calls: dict[int, tuple[int, str]] = {}
    for line in read_diary(file):
        if line["what"] == "sent":
            calls[line["call"]] = (next(numbers), line["domain"])
        number, actor = calls.get(line.get("call", 0), (0, ""))
        yield from _of_line(name, number, actor, line)


def _of_line(name: str, number: int, actor: str, line: dict[str, Any]) -> Iterator[Record]:
    at_s = line["at_s"]
    match line["what"]:
        case "sent":
            yield sent(Call(number, name, actor, bytes.fromhex(line["raw"]), _nobody), at_s)
            yield Arrived(at_s, actor, THE_PROCESS, number)
        case "heard":
            answers = answers_of(bytes.fromhex(line["raw"]))
            yield Replied(at_s, actor, THE_PROCESS, 0.0, number, answers)
            yield Heard(at_s, name, number, answers)
        case "gave_up":
            yield GivenUp(at_s, name, number, line["why"])
        case "wrote":
            yield Wrote(
                at_s,
                name,
                line["session_id"],
                line["space"],
                line["path"],
                line["generation"],
                line["is_believed"],
                line["is_accepted"],
            )
        case "surprise":
            yield Happened(at_s, name, f"{SURPRISED}{line['message']}")
        case "edited":
            yield Happened(at_s, name, f"{EDITED}{line['path']} {line['place']} {line['count']}")


def _nobody(_call: Call, _reply: bytes | None) -> None:
    """The call is over."""
