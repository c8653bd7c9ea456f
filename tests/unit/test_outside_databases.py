"""Databases of `sqlite3`: transactions that are missing are found, and waiting for locks is the kernel's."""

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


@pytest.mark.filterwarnings("ignore")  # of connections that the programs leave open
@pytest.mark.parametrize("name", RACES)
@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
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
    result = explored(tmp_path, _HEAD.format(path=str(path)) + source, strategy="mcr")
    assert result.verdict is Verdict.VERIFIED, str(result)
    assert not path.exists()
