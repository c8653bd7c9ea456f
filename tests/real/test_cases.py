"""The bugs of released libraries are found, explained and replayed, and their fixed versions are left in peace.

Each ``case_N_*.py`` here is a script as a user of the library would write it. What is installed for it, what is
instrumented and what must come out stands in the table below; ``_locked`` scripts are the correct use of
a library that never released a fix.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).resolve().parent
_VERSION = sys.version_info[:3]
_TIMEOUT_SECONDS = 60
_REPLAYS = 20
_EXPLANATION_LINES = 30
_SECONDS_TO_FIND = 10

#: Old releases that import ``distutils`` get it from here once CPython has none.
_DISTUTILS = ("setuptools==69.5.1",) if _VERSION >= (3, 12) else ()
#: tqdm 4.19.4 reads an error message that CPython 3.12 changed; 4.21.0 has the same race and runs on both.
_TQDM = "tqdm==4.21.0" if _VERSION >= (3, 12) else "tqdm==4.19.4"
#: gh-126775 made ``checkcache`` safe in 3.12.9, 3.13.2 and 3.14; 3.11 stays as it is.
_LINECACHE_RACES = _VERSION < (3, 12, 9) or (3, 13) <= _VERSION < (3, 13, 2)
#: gh-87634 took the class-wide lock out of ``cached_property`` in 3.12.
_CACHED_PROPERTY_LOCKS = _VERSION < (3, 12)


@dataclass(frozen=True, slots=True)
class Case:
    """A script with the releases it runs on and the modules that are instrumented beside it."""

    script: str
    include: str
    requirements: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "-".join([self.script.removesuffix(".py"), *self.requirements[:1]])


@dataclass(frozen=True, slots=True)
class Bug:
    """What a check of a case must report: the failure's kind, its message and file in part, and what it blames."""

    case: Case
    kind: str
    message: str
    file: str
    cause: str

    def __str__(self) -> str:
        return str(self.case)


_LINECACHE = Case("case_6_linecache.py", "linecache")
_CACHED_PROPERTY = Case("case_7_cached_property.py", "functools")

_BUGS = [
    Bug(
        Case("case_1_cachetools.py", "cachetools", ("cachetools==5.3.1",)),
        kind="exception",
        message="KeyError",
        file="cachetools/__init__.py",
        cause="cache.__data",
    ),
    Bug(
        Case("case_2_tqdm.py", "tqdm", (_TQDM,)),
        kind="exception",
        message="AttributeError: 'tqdm' object has no attribute 'pos'",
        file="_tqdm.py",
        cause=".pos too early",
    ),
    Bug(
        Case("case_3_redis.py", "redis", ("redis==2.10.6", *_DISTUTILS)),
        kind="assertion",
        message="2 connections from a pool of at most 1",
        file="case_3_redis.py",
        cause="looks at pool._created_connections = 0",
    ),
    Bug(
        Case("case_4_sqlalchemy.py", "sqlalchemy.pool", ("SQLAlchemy==2.0.36", "typing_extensions==4.12.2")),
        kind="assertion",
        message="2 connections checked out at once",
        file="case_4_sqlalchemy.py",
        cause="looks at pool._checked_out = False",
    ),
    Bug(
        Case("case_5_urllib3.py", "urllib3", ("urllib3==1.26.14",)),
        kind="exception",
        message="ClosedPoolError",
        file="urllib3/connectionpool.py",
        cause=".pool",
    ),
    Bug(_LINECACHE, kind="exception", message="KeyError", file="linecache.py", cause="looks at cache"),
    Bug(
        _CACHED_PROPERTY,
        kind="deadlock",
        message="waits for",
        file="case_7_cached_property.py",
        cause="Lock-order deadlock",
    ),
    Bug(
        Case("case_8_jinja2.py", "jinja2", ("Jinja2==2.10.3", "markupsafe==2.0.1")),
        kind="deadlock",
        message="waits for",
        file="jinja2/utils.py",
        cause="cache._wlock`, which it holds itself",
    ),
]

#: Cases whose bug this version of CPython has no more.
_REPAIRED = [
    *([] if _LINECACHE_RACES else [_LINECACHE]),
    *([] if _CACHED_PROPERTY_LOCKS else [_CACHED_PROPERTY]),
]

_CORRECT = [
    Case("case_1_cachetools_locked.py", "cachetools", ("cachetools==5.3.1",)),
    Case("case_2_tqdm.py", "tqdm", ("tqdm==4.33.0",)),
    Case("case_3_redis.py", "redis", ("redis==3.5.3", *_DISTUTILS)),
    Case("case_4_sqlalchemy_locked.py", "sqlalchemy.pool", ("SQLAlchemy==2.0.36", "typing_extensions==4.12.2")),
    Case("case_5_urllib3.py", "urllib3", ("urllib3==1.26.18",)),
    Case("case_8_jinja2.py", "jinja2", ("Jinja2==2.11.3", "markupsafe==2.0.1")),
    *_REPAIRED,
]

PythonPath = Callable[[Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Tool:
    """The command line, run in an empty folder with a case's packages importable."""

    folder: Path
    python_path: str

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mazurka", *arguments]
        environment = {**os.environ, "PYTHONPATH": self.python_path}
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
        )

    def check(self, case: Case, *options: str) -> subprocess.CompletedProcess[str]:
        script = str(_HERE / case.script)
        return self.run("check", script, "--strategy", "mcr", "--include", case.include, *options)


def _report(done: subprocess.CompletedProcess[str], status: int) -> Any:
    assert done.returncode == status, f"exit status {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
    return json.loads(done.stdout)


@pytest.mark.parametrize("bug", [bug for bug in _BUGS if bug.case not in _REPAIRED], ids=str)
def test_bug_is_found_explained_and_replayed(bug: Bug, tmp_path: Path, python_path: PythonPath) -> None:
    tool = Tool(tmp_path, python_path(bug.case.requirements))

    report = _report(tool.check(bug.case, "--format", "json"), status=1)
    assert report["verdict"] == "violation"
    assert report["seconds"] < _SECONDS_TO_FIND
    failure = report["failures"][0]
    assert failure["kind"] == bug.kind
    assert bug.message in failure["message"]
    assert failure["location"]["file"].endswith(bug.file)
    assert bug.cause in failure["explanation"]["sentence"]
    assert len(failure["explanation"]["rows"]) <= _EXPLANATION_LINES

    replayed = tool.run("replay", failure["schedule"], "--times", str(_REPLAYS))
    assert replayed.returncode == 1, replayed.stdout + replayed.stderr
    assert f"{_REPLAYS} of {_REPLAYS}" in replayed.stdout

    told = tool.check(bug.case, "--format", "text")
    assert told.returncode == 1, told.stdout + told.stderr
    explanation, replay, _ = told.stdout.partition("\nReplay: ")
    assert replay
    assert len(explanation.splitlines()) <= _EXPLANATION_LINES, explanation


@pytest.mark.parametrize("case", _CORRECT, ids=str)
def test_fixed_version_is_left_in_peace(case: Case, tmp_path: Path, python_path: PythonPath) -> None:
    tool = Tool(tmp_path, python_path(case.requirements))
    report = _report(tool.check(case, "--format", "json", "--max-executions", "500", "--time-limit", "20"), status=0)
    assert report["verdict"] in ("verified", "inconclusive")
    assert report["failures"] == []
