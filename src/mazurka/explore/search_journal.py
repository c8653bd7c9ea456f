"""The journal of a search on disk: a search that is killed at any moment can be resumed from it.

One SQLite database (WAL mode) per program, strategy and settings; a transaction per batch, so that after ``kill -9``
it holds a prefix of the records: strategies can restart from every prefix. Records are stored unchanged, numbers as
numbers, bytes as bytes. A lock on a file beside it excludes a second process; the system releases it whenever its
holder ends.

A damaged database is an error that names it, and never overwritten. If writing fails later (a full disk, a removed
folder) the search goes on without a journal, and :attr:`SearchJournal.trouble` says so.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.explore.strategy import JournalRecord

_VERSION: Final = "9"
_WIDTH: Final = 7

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value);
CREATE TABLE IF NOT EXISTS learnt (number INTEGER PRIMARY KEY, kind TEXT, width INTEGER, a, b, c, d, e, f, g);
CREATE TABLE IF NOT EXISTS failures (number INTEGER PRIMARY KEY, schedule TEXT UNIQUE);
"""


class SearchJournal:
    """An unfinished search on disk; open it with :func:`open_journal`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: int) -> None:
        self.path = path
        self.trouble = ""
        self.executions = 0
        self._connection = connection
        self._lock = lock
        self._closed = False
        row = connection.execute("SELECT value FROM facts WHERE name = 'executions'").fetchone()
        if row is not None:
            self.executions = int(row[0])

    def get_meta(self, name: str) -> str:
        """A caller's metadata ("" if there is none)."""
        row = self._connection.execute("SELECT value FROM facts WHERE name = ?", (f"user:{name}",)).fetchone()
        return "" if row is None else str(row[0])

    def set_meta(self, name: str, value: str) -> None:
        """Keep a caller's metadata with the search."""
        self._try([("INSERT OR REPLACE INTO facts VALUES (?, ?)", [(f"user:{name}", value)])])

    def records(self) -> Iterator[JournalRecord]:
        """All records, in order."""
        try:
            for kind, width, *operands in self._connection.execute(
                "SELECT kind, width, a, b, c, d, e, f, g FROM learnt ORDER BY number"
            ):
                yield (kind, *operands[:width])
        except sqlite3.DatabaseError as error:
            raise _damaged(self.path, error) from None

    def failures(self) -> list[tuple[str, ...]]:
        """Schedules that led to failures."""
        found = self._connection.execute("SELECT schedule FROM failures ORDER BY number").fetchall()
        return [tuple(text.split()) for (text,) in found]

    def add(self, records: Iterable[JournalRecord], executions: int) -> None:
        """Write the records since the last batch, in one transaction."""
        records = list(records)
        reset = max((place for place, row in enumerate(records) if row[0] == "reset"), default=-1)
        records = records[max(reset, 0) :]
        padded = [(row[0], len(row) - 1, *row[1:], *[None] * (_WIDTH - len(row) + 1)) for row in records]
        statements: list[tuple[str, list[tuple[object, ...]]]] = [
            ("INSERT INTO learnt (kind, width, a, b, c, d, e, f, g) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", padded),
            ("INSERT OR REPLACE INTO facts VALUES (?, ?)", [("executions", executions)]),
        ]
        if reset >= 0:
            statements.insert(0, ("DELETE FROM learnt", [()]))
        self._try(statements)

    def add_failure(self, schedule: tuple[str, ...]) -> None:
        """Write a failing schedule immediately."""
        self._try([("INSERT OR IGNORE INTO failures (schedule) VALUES (?)", [(" ".join(schedule),)])])

    def forget_records(self) -> None:
        """Delete the records, as the search starts again; its failures stay."""
        self._try([("DELETE FROM learnt", [()])])

    def _try(self, statements: list[tuple[str, list[tuple[object, ...]]]]) -> None:
        if self.trouble or self._closed:
            return
        try:
            with self._connection:
                for text, operands in statements:
                    self._connection.executemany(text, operands)
        except sqlite3.Error as error:
            self.trouble = f"the search can't be saved in {self.path} ({error}); it goes on without a journal"

    def leave(self) -> None:
        """Close the lock in a child of the process that holds it, so that it is released when the parent ends."""
        os.close(self._lock)
        self._closed = True

    def close(self, *, finished: bool = False) -> None:
        """Close the database; remove it if the search is finished and has no failures."""
        if self._closed:
            return
        self._closed = True
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()
        if finished:
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{self.path}{suffix}")
        os.close(self._lock)


def open_journal(folder: Path, program: str, strategy: str, settings: str = "") -> SearchJournal:
    """The journal of a search, made if there is none.

    ``program`` is :meth:`~mazurka.program.protocol.Program.identity`, so that a changed program starts again. Raises
    :class:`MazurkaError` if another process uses it or the database is damaged, :class:`OSError` if the folder can't
    be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    key = sha256("\0".join((_VERSION, program, strategy, settings)).encode()).hexdigest()[:16]
    path = folder / f"{strategy}-{key}.sqlite"
    lock = os.open(folder / f"{strategy}-{key}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return SearchJournal(path, _connect(path), lock)
    except BlockingIOError:
        os.close(lock)
        raise MazurkaError(
            "search-in-use",
            "another check of the same program with the same strategy is running here",
            where=str(path),
            hint="wait for it, or run this one in another directory",
        ) from None
    except BaseException:
        os.close(lock)
        raise


def _connect(path: Path) -> sqlite3.Connection:
    connection: sqlite3.Connection | None = None
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        if connection.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise sqlite3.DatabaseError("its pages do not agree")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.executescript(_SCHEMA)
        connection.execute("SELECT kind, width, a, b, c, d, e, f, g FROM learnt LIMIT 1").fetchone()
        connection.execute("SELECT value FROM facts LIMIT 1").fetchone()
        connection.execute("SELECT schedule FROM failures LIMIT 1").fetchone()
    except sqlite3.DatabaseError as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.OperationalError) and "no such column" not in str(error):
            raise OSError(None, str(error), str(path)) from None
        raise _damaged(path, error) from None
    return connection


def _damaged(path: Path, error: sqlite3.DatabaseError) -> MazurkaError:
    return MazurkaError(
        "search-damaged",
        f"the saved search can't be read: {error}",
        where=str(path),
        hint="delete the file to search from the beginning",
    )
