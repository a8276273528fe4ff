"""A record as a line for people: the virtual time, who, what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from coordinator.simulation.history import (
    Arrived,
    Committed,
    Finished,
    GivenUp,
    Happened,
    Heard,
    Mended,
    Message,
    Opened,
    Record,
    Replied,
    Sent,
    Stalled,
    Stopped,
    Torn,
    Troubled,
    Wrote,
)

_SHOWN_CHARS: Final = 400


def line_of(record: Record) -> str:
    """The record on one line."""
    return f"{record.at_s:12.6f}  {_who(record):<20}  {_what(record)}"


def _who(record: Record) -> str:
    match record:
        case Sent() | Heard() | GivenUp() | Wrote() | Happened():
            return record.who
        case Arrived() | Replied() | Committed() | Opened() | Troubled() | Stalled() | Stopped():
            return f"{record.actor}/{record.process}"
        case Torn() | Mended():
            return record.actor
    return "world"


def _what(record: Record) -> str:  # noqa: C901  # one line for each kind of record
    match record:
        case Sent():
            return f"call {record.call}: {_request(record)}"
        case Arrived(call=call):
            return f"call {call} arrives"
        case Replied(call=call, field_s=field_s, answers=answers):
            return f"answers call {call} at {field_s:.6f}: {_messages(answers)}"
        case Heard(call=call, answers=answers):
            return f"hears of call {call}: {_messages(answers)}"
        case GivenUp(call=call, why=why):
            return f"gives up call {call}: {why}"
        case Committed():
            return _commit(record)
        case Opened(epoch=epoch, seq=seq, field_s=field_s):
            return f"opens the store: epoch {epoch}, row {seq}, field time {field_s:.6f}"
        case Troubled(code=code):
            return f"stops serving: {code}"
        case Stalled(for_s=for_s):
            return f"stands still for {for_s:.3f} s"
        case Stopped(why=why):
            return f"is gone: {why}"
        case Torn(seq=seq):
            return f"row {seq} is torn; nobody was told of it"
        case Mended(seq=seq):
            return f"the operator cuts the store after row {seq}"
        case Wrote():
            return _write(record)
        case Happened(what=what):
            return what
        case Finished():
            return "the end"


def _request(sent: Sent) -> str:
    number = f"#{sent.number}" if sent.number else "unnumbered"
    gave_up = f", gave up {', '.join(map(str, sent.abandoned))}" if sent.abandoned else ""
    return (
        f"to {sent.actor}, {sent.session_id or 'nobody'} {number} "
        f"(received {sent.received_through}{gave_up}): {_messages(sent.commands)}"
    )


def _messages(messages: Iterable[Message]) -> str:
    return "; ".join(_message(message) for message in messages)


def _message(message: Message) -> str:
    verb, *fields = message
    if verb == "failed":  # the wording is for people and may hold paths of this machine
        return f"failed {fields[0]}"
    if verb == "register":
        name, _token, *rest = fields
        fields = [name, *rest]
    return f"{verb} {' '.join(_field(field) for field in fields)}".rstrip()[:_SHOWN_CHARS]


def _field(value: Any) -> str:
    match value:
        case float():
            return f"{value:.6g}"
        case list() | tuple():
            return f"[{', '.join(_field(one) for one in value)}]"
        case bytes():
            return f"<{len(value)} bytes>"
        case str():
            return value or "-"
    return str(value)


def _commit(row: Committed) -> str:
    clocks = f"epoch {row.epoch}, field time {row.field_s:.6f}, utc {row.utc_s:.3f}"
    if row.is_tick:
        return f"commits the clocks: {clocks}"
    facts = "; ".join(f"{type(event).__name__} {' '.join(_field(value) for value in event)}" for event in row.events)
    return f"commits row {row.seq} ({clocks}): {facts}"


def _write(wrote: Wrote) -> str:
    belief = "" if wrote.is_believed else " without believing that it may"
    outcome = "accepted" if wrote.is_accepted else "refused"
    return f"writes {wrote.path} in {wrote.space} with generation {wrote.generation}{belief}: {outcome}"
