"""``pytest --mazurka`` in a project of 60 tests as people write them (``tests/users_project``), with other plugins.

Each combination of plugins is run with ``--mazurka`` and without, by the oldest pytest that is supported and by the
installed one: outcomes and coverage are the same, except for the tests whose bugs only some orders of threads show.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests import preloaded
from tests.real.cases import python_path

import mazurka

PROJECT = Path(__file__).parents[1] / "users_project"

#: Test -> what is wrong with the code that it calls.
SEEDED = {
    "tests/test_accounts.py::test_locks_in_two_orders": "Lock-order deadlock",
    "tests/test_drawn.py::test_drawn_and_lost": "Lost update",
    "tests/test_jobs.py::test_missed": "Lost wake-up",
    "tests/test_shelves.py::TestVisits::test_lost": "Lost update",
    "tests/test_shelves.py::test_made_twice": "Check-then-act",
    "tests/test_unittest.py::ShelfTest::test_lost_for_the_class": "Lost update",
}

#: The oldest supported pytest, and the plugin that its successors have taken in.
OLDEST = ("pytest==8.0.0", "pytest-subtests==0.13.1")

#: Name -> how to load a plugin, and its options.
PLUGINS = {
    "hypothesis": ("-p", "_hypothesis_pytestplugin"),
    "timeout": ("-p", "pytest_timeout", "--timeout", "60"),
    "cov": ("-p", "pytest_cov.plugin", "--cov=depot", "--cov-branch", "--cov-report=json:coverage.json"),
    "xdist": ("-p", "xdist.plugin", "-n", "2"),
}


@dataclass(frozen=True, slots=True)
class Session:
    """What a run of the project's tests has shown."""

    outcomes: dict[str, str]  # by test
    counts: dict[str, int]  # of the last line
    coverage: dict[str, Any]  # lines and branches by file
    verdicts: dict[str, str]  # by test
    sentences: dict[str, str]  # by test or example: what its failure is due to
    said: str


def run(*arguments: str, oldest: bool) -> Session:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "depot")
        shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        # As it is installed: Hypothesis reads the source of all modules that are not, once they are imported (8 s).
        installed = Path(scratch, "site-packages")
        installed.mkdir()
        (installed / "mazurka").symlink_to(Path(mazurka.__file__).parent)
        path = os.pathsep.join([str(installed), python_path(OLDEST if oldest else ())])
        environment = preloaded.environment(PYTHONPATH=path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
        options = ("-p", "no:cacheprovider", "-p", "mazurka.pytest_plugin", "--junit-xml=outcomes.xml", "-q")
        options += ("-p", "pytest_subtests.plugin") if oldest else ()
        done = preloaded.run_fresh([*options, *arguments], folder, environment, 300, module="pytest")
        said = done.stdout + done.stderr
        assert (folder / "outcomes.xml").exists(), said
        return Session(
            _outcomes(folder / "outcomes.xml"),
            {kind: int(count) for count, kind in re.findall(r"(\d+) ([a-z ]+)", said.strip().splitlines()[-1])},
            _coverage(folder / "coverage.json"),
            *_verdicts(folder / "report.json"),
            said,
        )


def _outcomes(path: Path) -> dict[str, str]:
    found = {}
    for case in ET.parse(path).iter("testcase"):
        *folders, module = [part for part in case.attrib["classname"].split(".") if not part[0].isupper()]
        classes = [part for part in case.attrib["classname"].split(".") if part[0].isupper()]
        test = "::".join(["/".join([*folders, f"{module}.py"]), *classes, case.attrib["name"]])
        found[test] = ", ".join(
            f"{each.tag} {each.get('type', '')}" for each in case if each.tag in ("failure", "error", "skipped")
        )
    return found


def _coverage(path: Path) -> dict[str, Any]:
    files = json.loads(path.read_text())["files"] if path.exists() else {}
    return {name: (each["executed_lines"], each["executed_branches"]) for name, each in files.items()}


def _verdicts(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    report = json.loads(path.read_text()) if path.exists() else {"targets": (), "failures": ()}
    verdicts = {each["target"]: each["verdict"] for each in report["targets"]}
    return verdicts, {each["target"]: each["explanation"]["sentence"] for each in report["failures"]}


@functools.cache
def without_mazurka(plugins: tuple[str, ...], oldest: bool) -> Session:
    return run(*plugins, oldest=oldest)


COMBINATIONS = [
    pytest.param(tuple(PLUGINS), id="all"),
    *[pytest.param((name,), id=name, marks=pytest.mark.long) for name in PLUGINS],
    pytest.param((), id="none", marks=pytest.mark.long),
]


@pytest.mark.slow
@pytest.mark.parametrize("oldest", [False, True], ids=["installed", "oldest"])
@pytest.mark.parametrize("names", COMBINATIONS)
def test_outcomes_are_the_same_but_for_the_seeded_bugs(names: tuple[str, ...], oldest: bool) -> None:
    plugins = tuple(argument for name in names for argument in PLUGINS[name])
    plain = without_mazurka(plugins, oldest)
    options = ("--mazurka", "--mazurka-time-limit=60", "--mazurka-output=report.json")
    found = run(*options, *plugins, oldest=oldest)
    assert len(plain.outcomes) == 60
    assert not any(plain.outcomes[test] for test in SEEDED)
    assert found.outcomes == plain.outcomes | dict.fromkeys(SEEDED, "failure "), found.said
    passed, failed = plain.counts["passed"] - len(SEEDED), len(SEEDED)
    assert found.counts == {**plain.counts, "passed": passed, "failed": failed}, found.said
    assert found.coverage == plain.coverage
    assert bool(found.coverage) == ("cov" in names)
    verdicts = {test.partition(" example")[0]: verdict for test, verdict in found.verdicts.items()}
    assert verdicts == dict.fromkeys(verdicts, "verified") | dict.fromkeys(SEEDED, "violation"), found.said
    for test, sentence in found.sentences.items():
        assert sentence.startswith(SEEDED[test.partition(" example")[0]])
    correct = len(verdicts) - len(SEEDED)
    idle = 59 - len(verdicts)  # one is skipped before it runs
    assert f"{correct} verified, {len(SEEDED)} violation; {idle} start no threads" in found.said
    assert "forked child" not in found.said  # state that plugins keep would slow all tests down
