"""Bugs in released libraries: the scripts here, the packages that are installed and instrumented for each, and the
expected findings.

``_locked`` scripts are the correct use of a library that never released a fix. Each release is installed once, alone
(``pip install --no-deps --target``), into ``.cache/real/<python>/<name>-<version>``: the environment stays as it is. A
folder appears there complete or not at all, so that several processes may install at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests import preloaded

_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[1]
_CACHE = _ROOT / ".cache" / "real" / f"{sys.version_info.major}.{sys.version_info.minor}"
_VERSION = sys.version_info[:3]
_TIMEOUT_SECONDS: Final = 60

#: Demanded of each.
REPLAYS: Final = 20
EXPLANATION_LINES: Final = 30
SECONDS_TO_FIND: Final = 10

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
    """The findings that a check of a case must report: the failure's kind, its message and file in part, and the
    accesses that it names."""

    case: Case
    kind: str
    message: str
    file: str
    cause: str  # a pattern of the sentence that explains

    def __str__(self) -> str:
        return str(self.case)


_LINECACHE = Case("case_6_linecache.py", "linecache")
_CACHED_PROPERTY = Case("case_7_cached_property.py", "functools")

BUGS = [
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
        # Which of two failing orders is met first depends on the time that strategies have had.
        cause=r"\.pos too early|_instances, but not yet",
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
        # As above.
        cause=r"looks at pool\._(checked_out = False|conn = None)",
    ),
    Bug(
        Case("case_5_urllib3.py", "urllib3", ("urllib3==1.26.14",)),
        kind="exception",
        message="ClosedPoolError",
        file="case_5_urllib3.py",
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
        file="case_8_jinja2.py",
        cause="cache._wlock`, which it holds itself",
    ),
]

#: Cases whose bug this version of CPython has no more.
REPAIRED = [
    *([] if _LINECACHE_RACES else [_LINECACHE]),
    *([] if _CACHED_PROPERTY_LOCKS else [_CACHED_PROPERTY]),
]

CORRECT = [
    Case("case_1_cachetools_locked.py", "cachetools", ("cachetools==5.3.1",)),
    Case("case_2_tqdm_locked.py", "tqdm", ("tqdm==4.33.0",)),
    Case("case_3_redis.py", "redis", ("redis==3.5.3", *_DISTUTILS)),
    Case("case_4_sqlalchemy_locked.py", "sqlalchemy.pool", ("SQLAlchemy==2.0.36", "typing_extensions==4.12.2")),
    Case("case_5_urllib3.py", "urllib3", ("urllib3==1.26.18",)),
    Case("case_8_jinja2.py", "jinja2", ("Jinja2==2.11.3", "markupsafe==2.0.1")),
    *REPAIRED,
]


@dataclass(frozen=True, slots=True)
class Tool:
    """The command line, run in an empty folder with a case's packages importable."""

    folder: Path
    python_path: str
    starts_python: bool = False  # for each command, as users do: for who measures

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = preloaded.environment(PYTHONPATH=self.python_path)
        run = preloaded.run_fresh if self.starts_python else preloaded.run
        return run(arguments, self.folder, environment, _TIMEOUT_SECONDS)

    def script(self, case: Case) -> str:
        return str(_HERE / case.script)

    def check(self, case: Case, *options: str) -> subprocess.CompletedProcess[str]:
        return self.run("check", self.script(case), "--strategy", "mcr", "--include", case.include, *options)


def explanation_of(text: str) -> list[str]:
    """The lines of a report in text that come before its proof and the command that replays it; none without these."""
    explanation, proof, rest = text.partition("\nProof: ")
    return explanation.splitlines() if proof and "\nReplay: " in rest else []


def python_path(requirements: Sequence[str]) -> str:
    """From pinned requirements to the PYTHONPATH that holds them and this project."""
    return os.pathsep.join([str(_ROOT / "src"), *(str(_installed(requirement)) for requirement in requirements)])


def _installed(requirement: str) -> Path:
    """The folder that holds `requirement` (``name==version``), installed now if it is not there yet."""
    folder = _CACHE / requirement.replace("==", "-")
    if not folder.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE, prefix=".new-") as scratch:
            fresh = Path(scratch, "site")
            _pip_install(requirement, fresh)
            if requirement.startswith("setuptools=="):
                fresh = _distutils_alone(fresh)
            try:
                fresh.rename(folder)
            except OSError:
                if not folder.exists():  # otherwise another process was faster
                    raise
    return folder


def _pip_install(requirement: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*command, "--target", str(folder), requirement], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"pip could not install {requirement}:\n{done.stderr}"


def _distutils_alone(site: Path) -> Path:
    """``distutils``, which CPython 3.12 dropped and old packages import, as setuptools carries it on."""
    alone = site.parent / "distutils-alone"
    shutil.copytree(site / "setuptools" / "_distutils", alone / "distutils")
    return alone
