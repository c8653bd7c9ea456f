"""`sqlite3`: a database is one location, which every operation on a connection to it changes.

An operation is one step, made for real. It also changes the states of its connection and its cursor, which attributes
show (``in_transaction``, ``row_factory``), and reads the tables of adapters and converters. Where SQLite would wait for
a lock of another connection, the thread waits in the runtime, until another thread uses the database. The database's
files are kept in the journal from the first connection on, and connections that a run leaves open are closed at its
end. A run is cut before a statement that opens another database.

A connection belongs to the thread that has made it, unless ``check_same_thread`` is false, as in CPython.

If a run has a database write ahead (``pragma journal_mode = wal``) before it starts a thread, this has a second
location: its committed content. There, readers take the state that was committed last, and hold up no other connection.
So `select` on a connection that belongs to its thread only reads that location, when it begins, and statements within a
transaction change the first location only. Statements that may end this, or ask whether others are reading, are
untracked then.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import urllib.parse
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.instrument.own import WeakSet, contextlib
from mazurka.program.python.outside import descriptor_numbers
from mazurka.program.python.outside import files as _files
from mazurka.program.python.outside.channels import ChannelWait
from mazurka.program.python.outside.files import JOURNAL, cut, exists
from mazurka.program.python.outside.journal import NotKept
from mazurka.program.python.outside.process_state import place
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import ASIDE, METHODS, present, replace_method
from mazurka.program.python.primitives.callbacks import called
from mazurka.program.python.primitives.run import Models, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.gathering import is_seen
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Kind, Target

#: Endings of the names of files that SQLite makes beside a database.
_BESIDE: Final = ("-journal", "-wal", "-shm")

#: Statements that open another database, or make one.
_OPENING: Final = re.compile(r"(?:^|;)\s*(?:attach\b(?!.*:memory:)|vacuum\b[^;]*\binto\b)", re.IGNORECASE | re.DOTALL)

#: The location of the functions that convert values of the program to those of SQLite, and back, for all connections.
_ADAPTERS: Final = place("adapters and converters of sqlite3")

#: Statements that change how a database is locked, or depend on its readers.
_MODES: Final = re.compile(
    r"journal_mode\s*[=(]|locking_mode|wal_checkpoint|read_uncommitted|\bvacuum\b", re.IGNORECASE
)

#: Statements that read the committed content; those that concern their connection only, or state that only statements
#: about locks change; those that begin a transaction, and those that are part of one.
_READING: Final = re.compile(r"\s*(select\b|pragma\s+(page_count|user_version)\s*;?\s*$)", re.IGNORECASE)
_OWN: Final = re.compile(
    r"\s*pragma\s+((journal_mode|page_size|auto_vacuum)"
    r"|(synchronous|cache_size|mmap_size|busy_timeout|temp_store|foreign_keys)\s*(=\s*-?\w+)?)\s*;?\s*$",
    re.IGNORECASE,
)
_BEGINNING: Final = re.compile(r"\s*begin\b", re.IGNORECASE)
_CHANGING: Final = re.compile(r"\s*(insert|update|delete|replace)\b", re.IGNORECASE)

_BUSY: Final = ("database is locked", "database table is locked", "database schema is locked")


class Database:
    """The state that a run's connections to one database share."""

    def __init__(self, name: str, path: str | None) -> None:
        self.target: Target = (Kind.DATABASE.tag, name)
        self.words = f"the database {name}"
        self.path = path  # None: the database is in memory
        self.version = 0
        self.committed: Target = (Kind.DATABASE.tag, name, "committed")
        self.writes_ahead = False  # since a statement made before the first thread was started


class _Run:
    """The databases of a run."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.by_path: dict[str, Database] = {}
        self.connections: WeakSet[Any] = WeakSet()


_run: _Run | None = None


def _of_run(models: Models) -> _Run:
    global _run
    if _run is None or _run.models is not models:
        _run = _Run(models)
    return _run


def end_run() -> None:
    """Close the connections that a run has left open."""
    global _run
    run, _run = _run, None
    if run is None:
        return
    for connection in list(run.connections):
        with contextlib.suppress(Exception):  # the connection may be in any state
            _of(connection).close(connection)
    for database in run.by_path.values():
        _changed(database)


def _of(thing: Any) -> Any:
    """The real class of a connection or cursor."""
    return type(thing)._mz_real


# -- steps ----------------------------------------------------------------------------


def _changed(database: Database) -> None:
    database.version += 1
    _used(database)


def _used(database: Database) -> None:
    if database.path is not None and JOURNAL.is_held:
        with contextlib.suppress(OSError), ASIDE:
            JOURNAL.wrote(os.stat(database.path))


def _connection_of(thing: Any) -> Any:
    return thing if hasattr(thing, "_mz_database") else thing.connection


def _perform(thing: Any, operation: Callable[[], Any], name: str, args: tuple[Any, ...]) -> Any:
    """Pass the step of an operation, and make it; wait where SQLite would.

    CPython lets other threads move during an operation (it begins a transaction, then runs the statement, then asks for
    the number of the row). So two operations on one connection at the same time are untracked; a lock around them
    prevents that.
    """
    models = present()
    if models is not None:
        descriptor_numbers.opens_some(models)  # files of a database are opened and closed as they are used
    connection = _connection_of(thing)
    database: Database | None = getattr(connection, "_mz_database", None)
    if models is None or database is None:
        return operation()
    _check_thread(models, connection)
    me = models.runtime.current.index
    if connection._mz_owner is not None or models.runtime.solo or connection._mz_within == me:
        return _perform_alone(models, thing, connection, database, operation, name, args)
    pass_step(models, change((Kind.DATABASE_CALLS.tag, number(connection)), "calls of a Connection that threads share"))
    if connection._mz_within is not None:
        count_untracked(models.runtime, "a Connection of sqlite3 in use by two threads at the same time")
    connection._mz_within = me
    try:
        return _perform_alone(models, thing, connection, database, operation, name, args)
    finally:
        connection._mz_within = None


def _perform_alone(
    models: Models,
    thing: Any,
    connection: Any,
    database: Database,
    operation: Callable[[], Any],
    name: str,
    args: tuple[Any, ...],
) -> Any:
    runtime = models.runtime
    timeout: float = connection._mz_timeout
    changed = functools.partial(_changed, database)
    if not runtime.solo:
        states = [change(*_state(connection))] + ([] if thing is connection else [change(*_state(thing))])
        touched = _touched(models, thing, connection, database, name, args)
        pass_step(models, *touched, *states, read(*_ADAPTERS))
        if all(each.op is Op.READ for each in touched):
            changed = functools.partial(_used, database)
    while True:
        seen = database.version
        try:
            done = operation()
            if runtime.solo and database.path is not None and (_modes(args) or name in _WATCHING):
                database.writes_ahead = name not in _WATCHING and _writes_ahead(connection)
        except sys.modules["sqlite3"].OperationalError as error:
            if not str(error).startswith(_BUSY) or timeout <= 0 or runtime.aborting:
                changed()
                raise
            ready = functools.partial(_has_changed, database, seen)
            if not runtime.block(
                Op.RMW, database.target, ready, waiting_for=ChannelWait(database.words), timeout=timeout
            ):
                raise
        except BaseException:
            changed()
            raise
        else:
            changed()
            return done


def _touched(
    models: Models, thing: Any, connection: Any, database: Database, name: str, args: tuple[Any, ...]
) -> list[StepAccess]:
    """The accesses of an operation to the database."""
    whole = change(database.target, database.words)
    if not database.writes_ahead:
        return [whole]
    text = args[0] if name == "execute" and args and isinstance(args[0], str) else ""
    reads, is_own = _READING.match(text) is not None, _OWN.match(text) is not None
    if name in _FETCHING:  # the rows are those of the state when the statement began
        is_own = getattr(thing, "_mz_looks", False)
    elif thing is not connection:
        thing._mz_looks = reads or is_own
    if _modes(args):
        count_untracked(models.runtime, "a statement about the locks of a database that writes ahead")
    words = f"the committed content of {database.words}"
    if connection._mz_owner is not None and not _modes(args):
        if is_own:
            return []
        if reads:
            return [read(database.committed, words)]
        begins = _BEGINNING.match(text) is not None
        if begins or (_CHANGING.match(text) and _of(connection).in_transaction.__get__(connection)):
            return [whole, read(database.committed, words)]
    return [whole, change(database.committed, words)]


def _modes(args: tuple[Any, ...]) -> bool:
    return bool(args) and isinstance(args[0], str) and _MODES.search(args[0]) is not None


def _writes_ahead(connection: Any) -> bool:
    """Whether the database of a connection writes ahead; there is one thread."""
    module: Any = sys.modules["sqlite3"]
    try:
        with ASIDE:
            cursor = module.Cursor(connection)
            (mode,) = module.Cursor.execute(cursor, "pragma journal_mode").fetchone()
            (locking,) = module.Cursor.execute(cursor, "pragma locking_mode").fetchone()
            cursor.close()
    except (module.Error, TypeError):
        return False
    return (mode, locking) == ("wal", "normal")


def _state(thing: Any) -> tuple[Target, str]:
    """The location that attributes of a connection or cursor are part of."""
    return (OBJECT, number(thing)), f"the state of a {type(thing).__name__}"


def _has_changed(database: Database, seen: int) -> bool:
    return database.version != seen


def _check_thread(models: Models, connection: Any) -> None:
    owner = connection._mz_owner
    if owner is not None and owner != models.runtime.current.index:
        raise sys.modules["sqlite3"].ProgrammingError(
            "SQLite objects created in a thread can only be used in that same thread."
        )


def _method(name: str) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **named: Any) -> Any:
        if name.startswith("execute") and args and isinstance(args[0], str) and _OPENING.search(args[0]):
            _leave_be(self, args[0])
        elif name == "blobopen" and (models := present()) is not None:
            count_untracked(models.runtime, "Connection.blobopen()")
        elif name in _CALLING_BACK:
            args = tuple([_reporting(each) for each in args])
        operation = functools.partial(getattr(_of(self), name), self, *args, **named)
        if name in _WATCHING:
            self._mz_level = None
        elif name == "execute" and args and isinstance(args[0], str) and _LEVEL.match(args[0]):
            operation = functools.partial(_with_own_level, _connection_of(self), operation)
        if _has_no_effect(self, name):
            return operation()
        return _perform(self, operation, name, args)

    call.__name__ = name
    return call


#: Statements that set, or ask for, how often a database waits for the disk.
_LEVEL: Final = re.compile(r"\s*pragma\s+synchronous\s*(=\s*\w+)?\s*;?\s*$", re.IGNORECASE)


def _level(connection: Any, setting: str = "") -> int | None:
    """How often a connection's database waits for the disk, as `setting` has made it; None if it can't be told."""
    module: Any = sys.modules["sqlite3"]
    try:
        with ASIDE:
            cursor = module.Cursor(connection)
            if setting:
                module.Cursor.execute(cursor, f"pragma synchronous = {setting}")
            (level,) = module.Cursor.execute(cursor, "pragma synchronous").fetchone()
            cursor.close()
    except (module.Error, TypeError):
        return None
    return int(level)


def _with_own_level(connection: Any, operation: Callable[[], Any]) -> Any:
    """Carry out a statement about the waits for the disk, of which there are none otherwise: no power failure is
    expected between two executions."""
    if connection._mz_level is None or present() is None:
        return operation()
    _level(connection, str(connection._mz_level))
    try:
        return operation()
    finally:
        connection._mz_level = _level(connection)
        _level(connection, "off")


def _leave_be(thing: Any, statement: str) -> None:
    """Cut the run before a statement that opens a file which the journal does not know."""
    models = present()
    if models is not None:
        cut(models, _connection_of(thing)._mz_database.words, f"of {statement.split()[0]}")


def _reporting(function: Any) -> Any:
    """A function that SQLite calls, which reports its steps."""
    if not callable(function) or isinstance(function, type) or is_seen(function):
        return function
    return functools.partial(called, function)


def _has_no_effect(thing: Any, name: str) -> bool:
    """Whether other threads can't notice an operation: it ends a transaction where there is none, or fetches rows of a
    statement that has none. Only on a connection that no other thread can use, since that might begin a transaction in
    between."""
    if _connection_of(thing)._mz_owner is None:
        return False
    if name in ("commit", "rollback", "close", "__exit__"):
        return not _of(thing).in_transaction.__get__(thing)
    return name.startswith("fetch") and _of(thing).description.__get__(thing) is None


_OF_CURSORS: Final = ("execute", "executemany", "executescript", "fetchone", "fetchmany", "fetchall", "__next__")
_FETCHING: Final = frozenset({"fetchone", "fetchmany", "fetchall", "__next__"})
#: Methods by which the program sees statements, also ours.
_WATCHING: Final = frozenset({"set_trace_callback", "set_authorizer", "set_progress_handler"})
_OF_CONNECTIONS: Final = (
    *("execute", "executemany", "executescript", "commit", "rollback", "close", "__exit__"),
    *("backup", "iterdump", "interrupt", "serialize", "deserialize", "blobopen", "setlimit", "setconfig"),
    *("create_function", "create_aggregate", "create_collation", "create_window_function"),
    *("set_authorizer", "set_progress_handler", "set_trace_callback", "enable_load_extension", "load_extension"),
)

#: Methods by which SQLite gets functions of the program to call.
_CALLING_BACK: Final = frozenset(
    "create_function create_collation set_authorizer set_progress_handler set_trace_callback".split()
)


@functools.cache
def _cursor_class(base: Any) -> Any:
    names = [name for name in _OF_CURSORS if hasattr(base, name)]
    return type(base.__name__, (base,), {"_mz_real": base, **{name: _method(name) for name in names}})


@functools.cache
def _connection_class(base: Any) -> Any:
    names = [name for name in _OF_CONNECTIONS if hasattr(base, name)]
    body: dict[str, Any] = {
        "_mz_real": base,
        "_mz_database": None,
        "_mz_owner": None,
        "_mz_within": None,
        "_mz_level": None,
    }
    body |= {name: _method(name) for name in names}

    def cursor(self: Any, factory: Any = None) -> Any:
        models = present()
        if models is not None and self._mz_database is not None:
            _check_thread(models, self)
            if not models.runtime.solo:
                pass_step(models, read(*_state(self)))
        return base.cursor(self, _cursor_class(factory or sys.modules["sqlite3"].Cursor))

    def execute(self: Any, *args: Any) -> Any:
        return self.cursor().execute(*args)

    def executemany(self: Any, *args: Any) -> Any:
        return self.cursor().executemany(*args)

    def executescript(self: Any, *args: Any) -> Any:
        return self.cursor().executescript(*args)

    made = {"cursor": cursor, "execute": execute, "executemany": executemany, "executescript": executescript}
    return type(base.__name__, (base,), body | made)


# -- connecting ----------------------------------------------------------------------------


def connect(real: Any) -> Any:
    """Stands for ``sqlite3.connect``."""

    @functools.wraps(real)
    def call(database: Any, timeout: float = 5.0, *args: Any, **named: Any) -> Any:
        models = present()
        if models is None:
            return _opened(real, database, timeout, args, named)
        descriptor_numbers.opens_some(models)
        where = _database_of(models, database, bool(named.get("uri")))
        if where.path is not None:
            _keep(models, where.path)
        same = args[2] if len(args) > 2 else named.get("check_same_thread", True)
        if len(args) > 3:
            args = (*args[:3], _connection_class(args[3]), *args[4:])
        else:
            named["factory"] = _connection_class(named.get("factory") or sys.modules["sqlite3"].Connection)
        with ASIDE:  # a database is opened when it is used first
            made = _opened(real, database, 0.0, args, named)
        if where.path is not None:
            made._mz_level = _level(made)
            _level(made, "off")
        made._mz_timeout = float(timeout)
        made._mz_owner = models.runtime.current.index if same else None
        made._mz_database = where
        _of_run(models).connections.add(made)
        return made

    return call


def _opened(real: Any, database: Any, timeout: float, args: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A connection; from 3.12 on Python warns of further arguments by position."""
    return real(database, timeout, *args, **named) if args else real(database, timeout=timeout, **named)


def _database_of(models: Models, name: Any, uri: bool) -> Database:
    text, options = os.fsdecode(name), {}
    known = _of_run(models).by_path
    if uri and text.startswith("file:"):
        text, _, query = text[len("file:") :].partition("#")[0].partition("?")
        text = urllib.parse.unquote(re.sub("^//[^/]*", "", text))
        options = dict(urllib.parse.parse_qsl(query))
    if text in ("", ":memory:") or options.get("mode") == "memory":
        if options.get("cache") == "shared":
            return known.setdefault(f"in memory {text}", Database(f"in memory {text}", None))
        return Database(f"in memory {models.number()}", None)
    path = _files.find(models, text).path
    return known.setdefault(path, Database(path, path))


def _keep(models: Models, path: str) -> None:
    """Before the first connection: an existing file is saved; a new one will be removed."""
    run = _of_run(models)
    if any(each._mz_database is run.by_path[path] for each in run.connections):
        return  # a file with locks of this process must not be opened and closed, either
    try:
        with ASIDE:
            JOURNAL.hold()
            for each in (path, *(path + end for end in _BESIDE)):
                if exists(each):
                    JOURNAL.writing(each, os.stat(each))
                else:
                    JOURNAL.creating(each)
    except OSError:
        return  # SQLite is about to report this error
    except NotKept as reason:
        cut(models, path, str(reason))


def _registering(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    """Stands for ``register_adapter`` and ``register_converter``."""
    pass_step(models, change(*_ADAPTERS))
    module: Any = sys.modules["sqlite3"]

    def save() -> Callable[[], object]:
        kept = [(space, dict(space)) for space in (module.adapters, module.converters)]

        def put_back() -> None:
            for space, content in kept:
                space.clear()
                space.update(content)

        return put_back

    undo_at_end(models, "adapters of sqlite3", save)
    return real(*args, **named)


for _module in ("sqlite3", "sqlite3.dbapi2"):
    METHODS[_module, "connect"] = connect
    for _name in ("register_adapter", "register_converter"):
        replace_method(_module, _name, _registering)
