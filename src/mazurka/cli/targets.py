"""The targets of a check: programs, which are files or functions of them, and tests, which pytest collects.

A folder has the tests that pytest finds in it; a file that is named as pytest's test files are, defines tests and is no
script has its tests; ``FILE::TestClass``, ``FILE::TestClass::test`` and ``FILE::test[parameters]`` are tests, and so is
a test function that takes arguments, which are fixtures, or is in a project with settings for pytest. All other files,
functions of files, and ``-m MODULE``, are programs.

Targets are compared by their real paths: a program that is named twice is checked once. Tests that overlap are pytest's
to collect; of those that are also named as programs none runs twice (:mod:`mazurka.pytest_plugin.selected`).
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from mazurka.errors import UsageError, did_you_mean
from mazurka.lazy_dataclass import dataclass

_ID: Final = "::"


@dataclass(frozen=True, slots=True)
class Targets:
    """Programs, as users name them, and arguments of pytest; both in the order in which they were named."""

    programs: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def is_one_program(self) -> bool:
        """Whether there is a program and nothing else."""
        return len(self.programs) == 1 and not self.tests


def targets_of(named: Iterable[str]) -> Targets:
    """The targets of these names; an error if one of several does not exist."""
    programs: dict[tuple[str, str], str] = {}
    tests: dict[str, None] = {}
    given = list(named)
    for target in given:
        path, _, name = target.partition(_ID)
        if len(given) > 1 and not path.startswith("-m "):
            _require(path)
        if _is_of_tests(path, name):
            tests[target] = None
        else:
            programs.setdefault((os.path.realpath(path), name), target)
    return Targets(tuple(programs.values()), tuple(tests))


def _require(path: str) -> None:
    if os.path.exists(path):
        return
    folder, name = os.path.split(path)
    try:
        hint = did_you_mean(name, os.listdir(folder or "."))
    except OSError:
        hint = ""
    raise UsageError(
        "no-such-file", "there is no such file", where=path, hint=hint or "arguments of a program follow after --"
    )


def _is_of_tests(path: str, name: str) -> bool:
    if os.path.isdir(path):
        if name:
            raise UsageError("no-such-file", "this is a directory", where=path, hint="name a Python file before ::")
        return True
    if _ID in name or "[" in name:
        return True
    is_named_so = Path(path).stem.startswith("test_") or Path(path).stem.endswith("_test")
    if name:
        known = _defined(path)
        return name in known.needing_pytest or (is_named_so and name in known.tests and _has_settings(path))
    return is_named_so and path.endswith(".py") and _defined(path).has_tests and not _defined(path).is_script


#: Files with settings of pytest -> what is in them, then.
_SETTINGS: Final = {
    "conftest.py": "",
    "pytest.ini": "",
    "pytest.toml": "",
    "pyproject.toml": "[tool.pytest",
    "tox.ini": "[pytest]",
    "setup.cfg": "[tool:pytest]",
}


def _has_settings(path: str) -> bool:
    """Whether a test is in a project with settings or plugins for pytest, without which it may not even be imported."""
    for folder in Path(os.path.abspath(path)).parents:
        for name, part in _SETTINGS.items():
            try:
                if part in (folder / name).read_text("utf-8", "replace"):
                    return True
            except OSError:
                continue
        if (folder / ".git").exists() or (folder / "pyproject.toml").exists():
            return False
    return False


@dataclass(frozen=True, slots=True)
class _Defined:
    """The definitions of a file: whether it defines tests, whether it does something when it is run, and the names
    that only pytest can call."""

    has_tests: bool = False
    is_script: bool = False
    tests: frozenset[str] = frozenset()
    needing_pytest: frozenset[str] = frozenset()


@cache
def _defined(path: str) -> _Defined:
    try:
        tree = ast.parse(Path(path).read_bytes(), path)
    except (OSError, SyntaxError, ValueError):
        return _Defined()
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [each for each in functions if each.name.startswith("test")]
    classes = {each.name for each in tree.body if isinstance(each, ast.ClassDef) and each.name.startswith("Test")}
    with_fixtures = {each.name for each in tests if _takes_arguments(each)}
    is_script = any(isinstance(each, ast.If) and _asks_for_main(each.test) for each in tree.body)
    return _Defined(
        bool(tests or classes), is_script, frozenset(each.name for each in tests), frozenset(classes | with_fixtures)
    )


def _takes_arguments(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    arguments = function.args
    needed = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return needed > 0 or any(default is None for default in arguments.kw_defaults)


def _asks_for_main(test: ast.expr) -> bool:
    names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    return "__name__" in names
