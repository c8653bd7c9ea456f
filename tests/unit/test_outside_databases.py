"""Databases of `sqlite3`: transactions that are missing are found, and waiting for locks is the runtime's."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from tests.unit.outside_programs import explored

from mazurka.report.check_report import Verdict

_HEAD = """
        import sqlite3
        path = {path!r}
        def connect(**settings):
            return sqlite3.connect(path, **settings)
"""

RACES = {
    "reads, then writes": """
        def work():
            connection = connect()
            n = connection.execute("select n from t").fetchone()[0]
            with connection:
                connection.execute("update t set n = ?", (n + 1,))
            connection.close()
        run(work, work)
        connection = connect()
        assert connection.execute("select n from t").fetchone() == (2,)
        connection.close()
    """,
    "does not wait": """
        def work():
            connection = connect(timeout=0, isolation_level=None)
            connection.execute("begin immediate")
            connection.execute("commit")
            connection.close()
        run(work, work)
    """,
    "others' transaction rolled back": """
        connection = connect(check_same_thread=False)
        def work():
            connection.execute("insert into t values (1)")
            connection.commit()
        run(work, connection.rollback)
        assert connection.execute("select count(*) from t").fetchone() == (2,)
        connection.close()
    """,
    "others' transaction left by an error": """
        connection = connect(check_same_thread=False)
        def work():
            with connection:
                connection.execute("insert into t values (1)")
        def fail():
            try:
                with connection:
                    raise KeyError
            except KeyError:
                pass
        run(work, fail)
        assert connection.execute("select count(*) from t").fetchone() == (2,)
        connection.close()
    """,
    "whether there is a transaction": """
        connection = connect(check_same_thread=False)
        def work():
            connection.execute("insert into t values (1)")
            connection.commit()
        def look():
            assert not connection.in_transaction
        run(work, look)
        connection.close()
    """,
    "how rows are made": """
        connection = connect(check_same_thread=False)
        def change():
            connection.row_factory = sqlite3.Row
            connection.row_factory = None
        def look():
            assert type(connection.execute("select 1").fetchone()) is tuple
        run(change, look)
        connection.close()
    """,
    "closed by another thread": """
        connection = connect(check_same_thread=False)
        run(lambda: connection.execute("select 1"), connection.close)
    """,
    "what is told of statements": """
        seen = []
        connection = connect(check_same_thread=False)
        run(lambda: connection.set_trace_callback(seen.append), lambda: connection.execute("select 1"))
        connection.close()
        assert not seen
    """,
    "adapters": """
        class Point:
            pass
        def look():
            connection = sqlite3.connect(":memory:")
            assert connection.execute("select ?", (Point(),)).fetchone() == (1,)
        run(lambda: sqlite3.register_adapter(Point, lambda point: 1), look)
    """,
    "one database in memory": """
        name = "file::memory:?cache=shared"
        one, two = (sqlite3.connect(name, uri=True, check_same_thread=False, isolation_level=None) for _ in range(2))
        one.execute("create table t(n)")
        run(lambda: one.execute("insert into t values (1)"), lambda: two.execute("delete from t"))
        assert one.execute("select count(*) from t").fetchone() == (0,)
        two.close()
        one.close()
    """,
    "another thread's connection": """
        made = []
        def make():
            made.append(connect())
        def use():
            if made:
                made[0].execute("select 1")
        run(make, use)
    """,
}

_IMMEDIATE = """
        def work():
            connection = connect(isolation_level=None)
            connection.execute("begin immediate")
            (n,) = connection.execute("select n from t").fetchone()
            connection.execute("update t set n = ?", (n + 1,))
            connection.execute("commit")
            connection.close()
        run(work, work)
        connection = connect()
        assert connection.execute("select n from t").fetchone() == (2,)
        connection.close()
"""


_AHEAD = (
    _HEAD
    + """
        def ahead():
            connection = connect(isolation_level=None)
            connection.execute("pragma journal_mode = wal").fetchall()
            return connection
        main = ahead()
        seen = []
        def change(number, end="commit"):
            def work():
                connection = connect(isolation_level=None)
                connection.execute("begin immediate")
                connection.execute("update t set n = ?", (number,))
                connection.execute(end)
                connection.close()
            return work
        def look(connection):
            seen.extend(connection.execute("select n from t").fetchall())
"""
)

#: Programs whose database writes ahead -> whether they are correct.
AHEAD = {
    "what was committed": (
        """
        run(change(1), lambda: look(connect()))
        assert seen == [(0,)]
    """,
        False,
    ),
    "what was rolled back": (
        """
        run(change(1, "rollback"), lambda: look(connect()))
        assert seen == [(0,)]
    """,
        True,
    ),
    "two reads": (
        """
        def twice():
            connection = connect()
            look(connection)
            look(connection)
        run(change(1), twice)
        assert seen[0] == seen[1]
    """,
        False,
    ),
    "two reads of a transaction": (
        """
        def twice():
            connection = connect(isolation_level=None)
            connection.execute("begin")
            look(connection)
            look(connection)
            connection.execute("commit")
        run(change(1), twice)
        assert seen[0] == seen[1]
    """,
        True,
    ),
    "a change after a read": (
        """
        def work():
            connection = connect(isolation_level=None, timeout=0)
            connection.execute("begin")
            look(connection)
            connection.execute("update t set n = 2")
            connection.execute("commit")
        run(change(1), work)
    """,
        False,
    ),
    "a change without a transaction": (
        """
        def work():
            connection = connect(isolation_level=None)
            connection.execute("update t set n = 1")
            connection.execute("update t set n = 0")
        run(work, lambda: look(connect()))
        assert seen == [(0,)]
    """,
        False,
    ),
    "a change by another way": (
        """
        def work():
            connection = connect()
            with connection:
                connection.executemany("insert into t values (?)", [(1,), (2,)])
        run(work, lambda: look(connect()))
        assert len(seen) == 1
    """,
        False,
    ),
    "transactions in turns": (
        """
        run(change(1), change(2))
        look(main)
        assert seen in ([(1,)], [(2,)])
    """,
        True,
    ),
}


#: Programs under test leave connections open, of which Python 3.13 warns when they are collected.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    path = tmp_path / "data"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table t(n)")
        connection.execute("insert into t values (0)")
    connection.close()
    os.utime(path, ns=(10**18, 10**18))
    return path


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")  # of connections that the programs leave open
@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("strategy", [pytest.param("dpor", marks=pytest.mark.long), "mcr"])
def test_races_are_found(tmp_path: Path, database: Path, name: str, strategy: str) -> None:
    before = database.read_bytes()
    result = explored(tmp_path, _HEAD.format(path=str(database)) + RACES[name], strategy=strategy)
    assert result.verdict is Verdict.VIOLATION, str(result)
    assert (database.read_bytes(), database.stat().st_mtime_ns) == (before, 10**18)
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith("data")] == ["data"]


def test_transactions_take_turns(tmp_path: Path, database: Path) -> None:
    result = explored(tmp_path, _HEAD.format(path=str(database)) + _IMMEDIATE, strategy="mcr")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert result.executions > 1


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dpor", "auto", pytest.param("dfs", marks=pytest.mark.long)])
@pytest.mark.parametrize("name", AHEAD)
def test_databases_that_write_ahead(tmp_path: Path, database: Path, name: str, strategy: str) -> None:
    source, is_correct = AHEAD[name]
    result = explored(tmp_path, _AHEAD.format(path=str(database)) + source, strategy=strategy)
    assert result.verdict is (Verdict.VERIFIED if is_correct else Verdict.VIOLATION), str(result)


def test_readers_of_a_database_that_writes_ahead_wait_for_nobody(tmp_path: Path, database: Path) -> None:
    source = """
        def reads():
            connection = connect()
            for _ in range(4):
                look(connection)
        run(reads, reads)
        assert seen == [(0,)] * 8
    """
    result = explored(tmp_path, _AHEAD.format(path=str(database)) + source.replace("seen == ", "sorted(seen) == "))
    assert result.verdict is Verdict.VERIFIED, str(result)


@pytest.mark.parametrize("statement", ["pragma journal_mode = delete", "pragma wal_checkpoint", "vacuum"])
def test_statements_about_locks_of_a_database_that_writes_ahead(tmp_path: Path, database: Path, statement: str) -> None:
    source = f"run(lambda: connect(isolation_level=None).execute({statement!r}), lambda: connect().execute('select 1'))"
    result = explored(tmp_path, _AHEAD.format(path=str(database)) + " " * 8 + source)
    assert result.verdict is not Verdict.VERIFIED, str(result)


def test_a_connection_under_a_lock_is_verified(tmp_path: Path, database: Path) -> None:
    source = """
        connection = connect(check_same_thread=False)
        lock = threading.Lock()
        def work():
            with lock, connection:
                connection.execute("update t set n = n + 1")
            with lock:
                assert not connection.in_transaction
        run(work, work)
        assert connection.execute("select n from t").fetchone() == (2,)
        connection.close()
    """
    result = explored(tmp_path, _HEAD.format(path=str(database)) + source)
    assert result.verdict is Verdict.VERIFIED, str(result)


@pytest.mark.parametrize("statement", ["attach 'other' as o", " ATTACH DATABASE ? AS o", "vacuum into 'other'"])
def test_another_database_is_left_alone(tmp_path: Path, database: Path, statement: str) -> None:
    source = f"""
        connection = connect()
        connection.execute({statement!r}, ("other",) * {"?" in statement})
    """
    result = explored(tmp_path, _HEAD.format(path=str(database)) + source)
    assert result.verdict is Verdict.INCONCLUSIVE, str(result)
    assert not Path("other").exists()


def test_a_database_that_was_not_there_is_gone(tmp_path: Path, database: Path) -> None:
    source = """
        def work():
            connection = connect()
            with connection:
                connection.execute("create table if not exists t(n)")
            connection.close()
        run(work, work)
    """
    path = tmp_path / "new"
    result = explored(tmp_path, _HEAD.format(path=str(path)) + source, strategy="auto")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert not path.exists()


def test_the_level_of_synchronisation_is_the_program_s_own(tmp_path: Path, database: Path) -> None:
    """... though no execution waits for the disk."""
    source = """
        connection = connect()
        seen = [connection.execute("pragma synchronous").fetchone()]
        connection.execute("pragma synchronous = 1")
        def work():
            other = connect()
            seen.append(other.execute("PRAGMA synchronous;").fetchone())
            other.close()
        run(work)
        seen.append(connection.execute("pragma synchronous").fetchone())
        connection.close()
        assert seen == [(2,), (2,), (1,)], seen
    """
    result = explored(tmp_path, _HEAD.format(path=str(database)) + source)
    assert result.verdict is Verdict.VERIFIED, str(result)
