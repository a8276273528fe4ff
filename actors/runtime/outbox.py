"""What one state actor tells the others, in order, each note applied once.

The sender numbers its notes for each receiver from 1 and journals them with what caused them; its shell delivers what
is committed, again and again, until the receiver has it. The receiver journals how far it has applied each source, with
the effects (`received`), so that a note that arrives twice does nothing the second time. A note says what happened and
knows no receiver's vocabulary: domains do not import each other.

A note's number is its place in the queue after what was sent, so numbers have no gaps: when a queue is full, the oldest
note goes that cannot have been delivered, and those behind it move up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, NamedTuple

from actors.runtime.decoder import FROM_OUTSIDE
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.event_table import EventTable

MAX_DELIVERY: Final = 200
"""Notes in one delivery, and the most that may be on their way. It may grow; less, and a drop could renumber some."""
MAX_DELIVERY_CHARS: Final = 1_000_000
"""Text in one delivery, so that it is far below what a request may hold; a note alone is too."""
MAX_QUEUE: Final = 10_000

BOUNCE: Final = "bounce"
EDIT_FAILURE: Final = "edit_failure"
EDIT_SUCCESS: Final = "edit_success"
CLEAN_COMPRESSED: Final = "clean_compressed"
WASTED_FULL: Final = "wasted_full"
TOPICS: Final = (BOUNCE, EDIT_FAILURE, EDIT_SUCCESS, CLEAN_COMPRESSED, WASTED_FULL)


class Note(NamedTuple):
    """One thing that came of a read or an edit.

    `topic` is one of `TOPICS`; `mode` the mode of the view that it is about, which showed `n_tokens` of the file's
    `n_total_tokens`; `n_extra_tokens` is what was paid on top of it, for a failed call or a second read.
    """

    topic: str
    session_id: str
    space: str
    path: str
    extension: str
    mode: str
    n_tokens: int
    n_total_tokens: int
    n_extra_tokens: int
    at_utc_s: float


class Deliver(NamedTuple):
    """Notes `number - len(notes) + 1` to `number` of a source; those that were applied before are passed over.

    `source` is the sender's domain and the id of its store, `domain@store_id`, so that a store that begins anew counts
    anew. Without notes it says that there are none up to `number` any more: go on from there.
    """

    source: str
    number: int
    notes: tuple[Note, ...]


class Delivered(NamedTuple):
    """All notes of the source up to `number` have been applied, now or before."""

    number: int


class NotePut(NamedTuple):
    """There is one more note for a receiver, after all others."""

    receiver: str
    note: Note


class NotesSent(NamedTuple):
    """The receiver has all notes up to `number`."""

    receiver: str
    number: int


class NotesDropped(NamedTuple):
    """There were too many notes: `n_notes` from `first` on are lost, and those behind them have their numbers now."""

    receiver: str
    first: int
    n_notes: int


EVENTS: Final = EventTable(
    {10: NotePut, 11: NotesSent, 12: NotesDropped},
    relaxed=(NotePut, NotesSent, NotesDropped),  # a note is as durable as what caused it, in the same commit
)


class Pending(NamedTuple):
    """The notes that are next for a receiver; the last of them has `number`."""

    number: int
    notes: tuple[Note, ...]


@dataclass(slots=True)
class _Queue:
    n_put: int = 0
    n_sent: int = 0
    n_dropped: int = 0
    notes: deque[Note] = field(default_factory=deque)

    @property
    def last(self) -> int:
        return self.n_sent + len(self.notes)


class OutboxCount(NamedTuple):
    """Notes for one receiver so far; those put and neither sent nor dropped wait."""

    receiver: str
    n_put: int
    n_sent: int
    n_dropped: int
    n_waiting: int


class Outbox:
    """The sender's notes, one bounded queue for each receiver. Which receivers there are is the domain's matter.

    `record` journals an event and hands it to `evolve`. `max_queue` bounds a queue; above `MAX_DELIVERY`.
    """

    def __init__(self, record: Callable[[Any], None], *, max_queue: int = MAX_QUEUE) -> None:
        if max_queue <= MAX_DELIVERY:
            raise ValueError(f"max_queue={max_queue} must be over {MAX_DELIVERY}, which may be on their way")
        self._record = record
        self._max_queue = max_queue
        self._queues: dict[str, _Queue] = {}

    @property
    def receivers(self) -> list[str]:
        """All that notes were ever put for, by name."""
        return sorted(self._queues)

    def put(self, receiver: str, note: Note) -> None:
        """Queue a note; of too many, the oldest goes that cannot be on its way."""
        self._record(NotePut(receiver, _bounded(note)))
        queue = self._queues[receiver]
        n_over = len(queue.notes) - self._max_queue
        if n_over > 0:
            self._record(NotesDropped(receiver, queue.n_sent + MAX_DELIVERY + 1, n_over))

    def pending(self, receiver: str, limit: int = MAX_DELIVERY) -> Pending:
        """The first notes that are not known to be sent, `limit` at most, which is `MAX_DELIVERY` at most.

        Fewer, but one at least, if their texts are long.
        """
        queue = self._queues.get(receiver) or _Queue()
        notes = tuple(_no_longer(islice(queue.notes, min(limit, MAX_DELIVERY)), MAX_DELIVERY_CHARS))
        return Pending(queue.n_sent + len(notes), notes)

    def sent(self, receiver: str, through: int) -> None:
        """The receiver has all notes up to `through`. Raises `Misuse` for a number that was never put."""
        queue = self._queues.get(receiver) or _Queue()
        if through > queue.last:
            raise Misuse(f"note {through} for {receiver!r} was never put: the last one is {queue.last}")
        if through > queue.n_sent:
            self._record(NotesSent(receiver, through))

    def is_behind(self, receiver: str) -> bool:
        """Whether a whole delivery waits for the receiver."""
        return receiver in self._queues and len(self._queues[receiver].notes) >= MAX_DELIVERY

    def counts(self) -> tuple[OutboxCount, ...]:
        """What became of the notes, by receiver."""
        return tuple(
            OutboxCount(receiver, queue.n_put, queue.n_sent, queue.n_dropped, len(queue.notes))
            for receiver, queue in sorted(self._queues.items())
        )

    def evolve(self, event: NotePut | NotesSent | NotesDropped) -> None:
        """Apply one of this module's events."""
        queue = self._queues.setdefault(event.receiver, _Queue())
        match event:
            case NotePut(_, note):
                queue.n_put += 1
                queue.notes.append(note)
            case NotesSent(_, number):
                for _ in range(number - queue.n_sent):
                    queue.notes.popleft()
                queue.n_sent = number
            case NotesDropped(_, first, n_notes):
                queue.n_dropped += n_notes
                for _ in range(n_notes):
                    del queue.notes[first - queue.n_sent - 1]

    def rows(self) -> Iterator[list[Any]]:
        """The state: for each receiver its counts, then its notes in order."""
        for receiver, queue in sorted(self._queues.items()):
            yield [receiver, queue.n_put, queue.n_sent, queue.n_dropped]
            for note in queue.notes:
                yield [receiver, list(note)]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`, in their order."""
        match row:
            case [receiver, n_put, n_sent, n_dropped]:
                self._queues[receiver] = _Queue(n_put, n_sent, n_dropped)
            case [receiver, fields]:
                self._queues[receiver].notes.append(Note._make(fields))

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` if a note is neither sent nor dropped nor here."""
        for count in self.counts():
            if count.n_put != count.n_sent + count.n_dropped + count.n_waiting:
                raise InvariantBroken(f"the notes of an outbox do not add up: {count}")


def _bounded(note: Note) -> Note:
    """The note with counts that cross the wire, whatever was added up: one that is refused stops all behind it."""
    return note._replace(
        n_tokens=_clamped(note.n_tokens),
        n_total_tokens=_clamped(note.n_total_tokens),
        n_extra_tokens=_clamped(note.n_extra_tokens),
    )


def _clamped(count: int) -> int:
    return max(-FROM_OUTSIDE.max_number, min(count, FROM_OUTSIDE.max_number))


def _no_longer(notes: Iterable[Note], max_chars: int) -> Iterator[Note]:
    """The first notes whose texts fit, and the first in any case."""
    n_chars = 0
    for number, note in enumerate(notes):
        n_chars += sum(len(text) for text in note if isinstance(text, str))
        if number and n_chars > max_chars:
            return
        yield note
