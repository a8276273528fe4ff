"""The index of one tree on disk: an SQLite file that every agent of the node reads, and one at a time writes.

It holds which files were seen and as what, where their sections lie, the sections' words for BM25 (SQLite's FTS5), and
their vectors. No text: that is read from the tree. All of it follows from the tree, so an index that is damaged, or of
another version, is made anew and not repaired.

Readers see what was committed last and wait for nobody. docs/decisions/0020-an-index-is-a-file.md says why this is a
file and no actor.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors.runtime.errors import Busy, Corrupt, Misuse, Unavailable
from coordinator.folder import private_folder
from coordinator.retrieval.limit import MAX_WORDS_LOOKED_FOR

FORMAT: Final = 1
BUSY_S: Final = 5.0
MISSING_S: Final = 1.0
_PAUSE_S: Final = 0.01
TITLE_WEIGHT: Final = 2.0
ABOVE_WEIGHT: Final = 0.5
_KEPT_LOG_BYTES: Final = 16 * 2**20
_AT_ONCE: Final = 500
_MADE: Final = ".new"
_DAMAGED: Final = ("no such table", "no such column", "malformed", "Could not decode", "invalid fts5", "vtable", "fts5")
"""With these words SQLite tells of what a file holds; with others, of the disk."""
_FILE_KINDS: Final = (bytes, str, int, str, str, str, int)
_PLACE_KINDS: Final = (bytes, str, int, int, str)
_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS file (file_id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, stamp TEXT NOT NULL,"
    " looked_ns INTEGER NOT NULL, content_hash TEXT NOT NULL, model_id TEXT NOT NULL, left_out TEXT NOT NULL,"
    " n_secret INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS section (section_id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL,"
    " title TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL)",
    "CREATE INDEX IF NOT EXISTS section_of_file ON section (file_id)",
    "CREATE TABLE IF NOT EXISTS vector (section_id INTEGER PRIMARY KEY, numbers BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tally (name TEXT PRIMARY KEY, n INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE VIRTUAL TABLE IF NOT EXISTS word USING fts5(title, above, body,"
    " tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")",
)


class NoIndex(Unavailable):
    """There is nothing to search yet; the message says how that is changed."""

    code = "no_index"


class KnownFile(NamedTuple):
    """What the index knows of a file. `stamp` and `looked_ns` as in `tree`; `left_out` says why it has no sections."""

    path: str
    stamp: str
    looked_ns: int
    content_hash: str
    model_id: str
    left_out: str = ""
    n_secret: int = 0


class Row(NamedTuple):
    """A section as it is written: its words, and one signed byte for each number of its vector."""

    title: str
    first_line: int
    last_line: int
    title_words: str
    above_words: str
    body_words: str
    vector: bytes | None


class Place(NamedTuple):
    """Where a section lay when its file was indexed."""

    path: str
    title: str
    first_line: int
    last_line: int
    content_hash: str


class IndexFile:
    """The file at `path`. Usable from several threads, one at a time; a forked process opens it anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._opened: tuple[int, int] = (0, 0)
        self._lock = threading.RLock()

    @property
    def exists(self) -> bool:
        """Whether there is a file at all."""
        return self.path.is_file()

    @property
    def is_current(self) -> bool:
        """Whether it is there, and of this version."""
        return self.exists and self.facts().get("format") == str(FORMAT)

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None and self._opened[0] == os.getpid():
                connection.close()

    def begin_anew(self, first_id: int) -> None:
        """Put an empty index in the place of what is there; what it counted goes on. Only for who holds the lock.

        It is made beside it and taken over in one transaction, so that whoever searches meanwhile finds the one or the
        other. Sections are numbered from above `first_id`, which has to be higher than any number before: a search may
        hold some of these. Raises `Unavailable` where the file cannot be made, and `Busy` where another process writes.
        """
        with self._lock:
            made = IndexFile(self.path.with_name(f"{self.path.name}{_MADE}"))
            try:
                made._make(first_id, self._counted())
                self._become(made)
            finally:
                made.close()
                made._unlink()  # the disk may be full: what is half made takes room

    def _become(self, made: IndexFile) -> None:
        """Hold what `made` holds.

        The file stays the same one. Were another moved into its place, a reader that has the old one open could find
        the new one's log, which SQLite looks for by name, and read pages of both. Only a file that nobody can have
        open, because it is none of SQLite's, gives way.
        """
        self.close()
        try:
            self._copy(made)
        except (Corrupt, FileNotFoundError):
            self._unlink()  # with what lies beside a file that is gone
            made.path.rename(self.path)

    def _copy(self, made: IndexFile) -> None:
        give_up_at_s = time.monotonic() + BUSY_S

        def look(*_: int) -> None:  # SQLite would try without end
            if time.monotonic() > give_up_at_s:
                raise sqlite3.OperationalError("database is locked")

        if not self.exists:
            raise FileNotFoundError(self.path)
        with made._reading("read") as source, self._telling("written"), closing(_opened(self.path)) as target:
            source.backup(target, progress=look, sleep=_PAUSE_S)

    def _make(self, first_id: int, counted: Mapping[str, int]) -> None:
        """Make the file, whole in itself, without a log beside it."""
        self._unlink()
        private_folder(self.path.parent)
        os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
        with self.writing() as connection:
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('section', ?)", (first_id,))
            self._put_facts(connection, {"format": str(FORMAT), "generation": "0", "made": str(first_id)})
        self.count(counted)
        with self._reading("written") as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.close()

    def _unlink(self) -> None:
        for end in ("", "-wal", "-shm"):
            self.path.with_name(f"{self.path.name}{end}").unlink(missing_ok=True)

    def _counted(self) -> Mapping[str, int]:
        try:
            return self.tally() if self.is_current else {}
        except (Corrupt, Unavailable):
            return {}

    # Reading

    def facts(self) -> dict[str, str]:
        """What is known of the index as a whole, by name."""
        with self._reading("looked at") as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'fact'").fetchone():
                return {}
            return dict(_typed(connection.execute("SELECT name, value FROM fact"), (str, str)))

    def files(self) -> dict[str, KnownFile]:
        """All files that were seen, by path."""
        with self._reading("read") as connection:
            rows = connection.execute(
                "SELECT path, stamp, looked_ns, content_hash, model_id, left_out, n_secret FROM file"
            )
            return {
                one.path: one for one in (KnownFile(os.fsdecode(row[0]), *row[1:]) for row in _typed(rows, _FILE_KINDS))
            }

    def counts(self) -> dict[str, int]:
        """How many files are indexed, how many sections and vectors there are, and bytes on disk."""
        with self._reading("counted") as connection:
            (n_files,) = connection.execute("SELECT count(*) FROM file WHERE left_out = ''").fetchone()
            (n_sections,) = connection.execute("SELECT count(*) FROM section").fetchone()
            (n_vectors,) = connection.execute("SELECT count(*) FROM vector").fetchone()
        return {"files": n_files, "sections": n_sections, "vectors": n_vectors, "bytes": self._n_bytes()}

    def _n_bytes(self) -> int:
        parts = (self.path.with_name(f"{self.path.name}{end}") for end in ("", "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def n_sections_of(self, paths: Iterable[str]) -> int:
        """How many sections these files have in the index."""
        with self._reading("counted") as connection:
            counted = (
                connection.execute(
                    "SELECT count(*) FROM section JOIN file USING (file_id) WHERE path = ?", (os.fsencode(path),)
                ).fetchone()
                for path in paths
            )
            return sum(n for (n,) in counted)

    def tally(self) -> dict[str, int]:
        """What searches were counted as."""
        with self._reading("counted") as connection:
            return dict(_typed(connection.execute("SELECT name, n FROM tally ORDER BY name"), (str, int)))

    def best_by_words(self, words: Sequence[str], n_wanted: int) -> list[tuple[int, float]]:
        """The sections that hold any of `words`, by BM25 (Robertson & Zaragoza 2009), the best first, with scores.

        A title's words count twice, those of the headings above and of the path half. Of many words the rarest are
        looked for: the others cost most and say least.
        """
        with self._reading("searched") as connection:
            chosen = words if len(words) <= MAX_WORDS_LOOKED_FOR else _rarest(connection, words)
            if not chosen:
                return []
            any_of = " OR ".join('"{}"'.format(word.replace('"', '""')) for word in chosen)
            found = connection.execute(
                f"SELECT rowid, bm25(word, {TITLE_WEIGHT}, {ABOVE_WEIGHT}, 1.0) AS score FROM word"
                " WHERE word MATCH ? ORDER BY score LIMIT ?",
                (any_of, n_wanted),
            )
            return [(section_id, -score) for section_id, score in found]

    def places(self, section_ids: Iterable[int]) -> dict[int, Place]:
        """Where these sections lie; those that are gone are left out."""
        wanted = list(section_ids)
        found: dict[int, Place] = {}
        with self._reading("searched") as connection:
            for start in range(0, len(wanted), _AT_ONCE):
                part = wanted[start : start + _AT_ONCE]
                rows = connection.execute(
                    "SELECT section_id, path, title, first_line, last_line, content_hash FROM section JOIN file"
                    f" USING (file_id) WHERE section_id IN ({','.join('?' * len(part))})",
                    part,
                )
                found.update(
                    (row[0], Place(os.fsdecode(row[1]), *row[2:])) for row in _typed(rows, (int, *_PLACE_KINDS))
                )
        return found

    def all_places(self) -> list[Place]:
        """Where all sections lie, in the order of their numbers."""
        with self._reading("read") as connection:
            rows = connection.execute(
                "SELECT path, title, first_line, last_line, content_hash FROM section JOIN file USING (file_id)"
                " ORDER BY section_id"
            )
            return [Place(os.fsdecode(row[0]), *row[1:]) for row in _typed(rows, _PLACE_KINDS)]

    def vectors_after(self, section_id: int, n_numbers: int = 0) -> list[tuple[int, bytes]]:
        """The vectors of sections with higher numbers, in their order; a number is never given twice.

        All have `n_numbers`, or as many as the first, if that is 0. Raises `Corrupt` where one has not.
        """
        with self._reading("read") as connection:
            vectors = connection.execute(
                "SELECT section_id, numbers FROM vector WHERE section_id > ? ORDER BY section_id", (section_id,)
            ).fetchall()
        if any(type(numbers) is not bytes for _, numbers in vectors):
            raise self._damaged("a vector is no bytes")
        lengths = {len(numbers) for _, numbers in vectors} | ({n_numbers} if n_numbers else set())
        if len(lengths) > 1:
            raise self._damaged(f"vectors have {', '.join(map(str, sorted(lengths)[:3]))} numbers")
        return vectors

    # Writing

    @contextmanager
    def writing(self, busy_s: float = BUSY_S) -> Iterator[sqlite3.Connection]:
        """One transaction. Raises `Busy` where another process writes for longer than `busy_s` seconds."""
        with self._reading("written") as connection:
            connection.execute(f"PRAGMA busy_timeout={busy_s * 1000:.0f}")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def put_facts(self, facts: Mapping[str, str]) -> None:
        """Keep these facts of the index as a whole."""
        with self.writing() as connection:
            self._put_facts(connection, facts)

    def use_model(self, model_id: str) -> None:
        """Vectors are of this model from now on: those of another one go."""
        with self.writing() as connection:
            connection.execute("DELETE FROM vector")
            connection.execute("UPDATE file SET model_id = ''")
            self._put_facts(connection, {"model_id": model_id})

    def put(self, files: Sequence[tuple[KnownFile, Sequence[Row]]], gone: Iterable[str] = ()) -> None:
        """Take files in, in place of what is known of them, and forget those that are gone; all in one transaction."""
        with self.writing() as connection:
            for path in gone:
                _forget(connection, path)
            for file, rows in files:
                _forget(connection, file.path)
                _add(connection, file, rows)
            connection.execute("UPDATE fact SET value = value + 1 WHERE name = 'generation'")

    def touch(self, files: Sequence[KnownFile]) -> None:
        """These files were looked at again and are what they were."""
        if files:
            with self.writing() as connection:
                connection.executemany(
                    "UPDATE file SET stamp = ?, looked_ns = ? WHERE path = ?",
                    [(file.stamp, file.looked_ns, os.fsencode(file.path)) for file in files],
                )

    def count(self, counts: Mapping[str, int]) -> bool:
        """Add to the tally; False where somebody else writes just now: nothing waits for a count."""
        if not counts:
            return True
        try:
            with self.writing(0.0) as connection:
                connection.executemany(
                    "INSERT INTO tally VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = n + excluded.n",
                    sorted(counts.items()),
                )
        except Busy:
            return False
        return True

    @staticmethod
    def _put_facts(connection: sqlite3.Connection, facts: Mapping[str, str]) -> None:
        connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", sorted(facts.items()))

    # The connection

    @contextmanager
    def _reading(self, what: str) -> Iterator[sqlite3.Connection]:
        """The connection, for the block; SQLite's errors as ours."""
        with self._lock, self._telling(what):
            yield self._open()

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._explained(error, what) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError, TypeError) as error:  # the last two by what is in it
            raise self._damaged(str(error)) from error

    def _open(self) -> sqlite3.Connection:
        opened = os.getpid(), self._inode()
        if self._connection is None or opened != self._opened:
            self.close()
            self._connection, self._opened = _connected(self.path), opened
        return self._connection

    def _inode(self) -> int:
        """The file's. One that is not there may be about to be: another process makes it anew."""
        give_up_at_s = time.monotonic() + MISSING_S
        while True:
            try:
                return self.path.stat().st_ino
            except FileNotFoundError:
                if time.monotonic() > give_up_at_s:
                    self.close()
                    raise NoIndex(f"there is no index at {str(self.path)!r}: make it with `scentfield index`") from None
            time.sleep(_PAUSE_S)

    def _explained(self, error: sqlite3.OperationalError, what: str) -> Exception:
        said = str(error)
        if "locked" in said or "busy" in said:
            return Busy(f"the index {str(self.path)!r} could not be {what}, another process writes to it: try again")
        if said.startswith(_DAMAGED):
            return self._damaged(said)
        if said.startswith("no such module"):
            return Misuse(f"this Python's SQLite {sqlite3.sqlite_version} has no FTS5 ({said}): take a Python that has")
        return Unavailable(f"the index {str(self.path)!r} could not be {what} ({said}): make room, or look at the disk")

    def _damaged(self, said: str) -> Corrupt:
        return Corrupt(
            f"the index {str(self.path)!r} is damaged ({said}): make it anew with `scentfield index --rebuild`"
        )


def _opened(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there; one that is gone is not made anew."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def _connected(path: Path) -> sqlite3.Connection:
    connection = _opened(path)
    # What is lost with the machine is made anew: a commit need not wait for the disk.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"journal_size_limit={_KEPT_LOG_BYTES}"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _typed(rows: Iterable[Any], kinds: tuple[type, ...]) -> Iterator[Any]:
    """The rows. Raises `TypeError` for values of other types than were written."""
    for row in rows:
        if tuple(map(type, row)) != kinds:
            raise TypeError("a row has values of other types than were written")
        yield row


def _rarest(connection: sqlite3.Connection, words: Sequence[str]) -> list[str]:
    """The words that stand in the fewest sections, without those that stand in none."""
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.term USING fts5vocab('main', 'word', 'row')")
    found = [
        (connection.execute("SELECT doc FROM temp.term WHERE term = ?", (word,)).fetchone(), word) for word in words
    ]
    counted = sorted((row[0], word) for row, word in found if row is not None)
    return [word for _, word in counted[:MAX_WORDS_LOOKED_FOR]]


def _add(connection: sqlite3.Connection, file: KnownFile, rows: Sequence[Row]) -> None:
    added: Any = connection.execute(
        "INSERT INTO file (path, stamp, looked_ns, content_hash, model_id, left_out, n_secret) VALUES (?,?,?,?,?,?,?)",
        (os.fsencode(file.path), *file[1:]),
    )
    file_id = added.lastrowid
    for row in rows:
        added = connection.execute(
            "INSERT INTO section (file_id, title, first_line, last_line) VALUES (?,?,?,?)", (file_id, *row[:3])
        )
        section_id = added.lastrowid
        connection.execute("INSERT INTO word (rowid, title, above, body) VALUES (?,?,?,?)", (section_id, *row[3:6]))
        if row.vector is not None:
            connection.execute("INSERT INTO vector VALUES (?,?)", (section_id, row.vector))


def _forget(connection: sqlite3.Connection, path: str) -> None:
    known = connection.execute("SELECT file_id FROM file WHERE path = ?", (os.fsencode(path),)).fetchone()
    if known is None:
        return
    ids = [row[0] for row in connection.execute("SELECT section_id FROM section WHERE file_id = ?", known)]
    for table, key in (("word", "rowid"), ("vector", "section_id"), ("section", "section_id")):
        connection.executemany(f"DELETE FROM {table} WHERE {key} = ?", [(section_id,) for section_id in ids])
    connection.execute("DELETE FROM file WHERE file_id = ?", known)
