"""``--only`` and property files of SV-COMP: what they report, what they count, and that nothing is verified then."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mazurka.errors import UsageError
from mazurka.workflows.asked import settings_for

#: One failure of each kind, each in some orders only.
PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, *p;
void *work(void *unused) {
    int seen = x;
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    if (seen == 1) assert(0);
    if (seen == 2) reach_error();
    if (seen == 3) exit(4);
    if (seen == 4) *p = 1;
    if (seen == 5) { int none; seen = none + 1; if (seen) x = 1; }
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    for (int i = 1; i < 7; i++) x = i;
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0);
    malloc(3);
    return 0;
}
"""

WORDS = {
    "assertion failed: 0": "assertion",
    "calls reach_error()": "error",
    "the program exits with 4": "exit",
    "null pointer": "null pointer",
    "uninitialised read": "uninitialised read",
    "memory leak": "leak",
    "data race": "race",
}
REPORTED = {
    "assertions": {"assertion", "error"},
    "reach-error": {"error"},
    "exit-status": {"exit"},
    "pointers": {"null pointer"},
    "memory": {"null pointer", "uninitialised read"},
    "leaks": {"leak"},
    "races": {"race"},
    "deadlocks": {"deadlock"},
}


def _checked(program: Path, *options: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "mazurka", "check", program.name, "--format", "json", "--no-save", *options]
    done = subprocess.run(command, cwd=program.parent, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _kinds(failures: list[dict[str, Any]]) -> set[str]:
    return {next((kind for word, kind in WORDS.items() if word in each["message"]), each["kind"]) for each in failures}


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM)
    return path


@pytest.mark.parametrize("strategy", ["auto", "dpor"])
@pytest.mark.parametrize("kind", REPORTED)
def test_only_what_is_asked_for_is_reported(kind: str, strategy: str, program: Path) -> None:
    report = _checked(program, "--only", kind, "--all-failures", "--strategy", strategy)
    assert report["verdict"] == "violation"
    assert _kinds(report["failures"]) == REPORTED[kind]
    others = {"assertion", "error", "exit", "null pointer", "uninitialised read", "deadlock"} - REPORTED[kind]
    assert _kinds(report["suppressed"]) >= others


def test_kinds_add_up_and_the_first_one_ends_the_search(program: Path) -> None:
    report = _checked(program, "--only", "exit-status", "--only", "deadlocks", "--all-failures")
    assert _kinds(report["failures"]) == {"exit", "deadlock"}
    first = _checked(program, "--only", "exit-status")
    assert _kinds(first["failures"]) == {"exit"}


def test_nothing_is_verified_beyond_another_failure(program: Path) -> None:
    program.write_text(PROGRAM.replace("seen == 2", "seen == 8"))
    report = _checked(program, "--only", "reach-error")
    assert report["verdict"] == "inconclusive"
    assert not report["failures"]
    assert {"assertion", "exit", "deadlock"} <= _kinds(report["suppressed"])


def test_what_has_no_failure_is_verified(program: Path) -> None:
    program.write_text("int main(void) { return 0; }\n")
    assert _checked(program, "--only", "assertions")["verdict"] == "verified"


FILES = {
    "unreach-call.prp": "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    "no-data-race.prp": "CHECK( init(main()), LTL(G ! data-race) )\n",
    "valid-memsafety.prp": (
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n"
        "CHECK( init(main()), LTL(G valid-memtrack) )\n\n"
    ),
}
ASKED = {
    "unreach-call.prp": ({"error"}, ("reach-error",)),
    "no-data-race.prp": ({"race"}, ("races",)),
    "valid-memsafety.prp": ({"null pointer", "leak"}, ("pointers", "leaks")),
}


@pytest.mark.parametrize("name", FILES)
def test_a_property_file_is_a_short_form(name: str, program: Path) -> None:
    other = program.parent / "some.prp"
    other.write_text(FILES[name])
    reported, only = ASKED[name]
    report = _checked(program, "--property", "some.prp", "--all-failures")
    assert _kinds(report["failures"]) == reported
    assert settings_for([name])[1]["only"] == only
    assert settings_for([str(other), "own.mzp"])[0] == ("own.mzp",)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("no-overflow.prp", "", "no-overflow is not decided"),
        ("termination.prp", "", "termination is not decided"),
        ("a.prp", "CHECK( init(main()), LTL(F end) )", "termination is not decided"),
        ("a.prp", "CHECK( init(main()), LTL(G ! overflow) )", "no-overflow is not decided"),
        ("a.prp", "CHECK( init(main()), LTL(G valid-memcleanup) )", "valid-memcleanup is not decided"),
        ("a.prp", "CHECK( init(main()), LTL(G ! call(other())) )", "no property of SV-COMP that is known"),
        ("unreach-call.prp", "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "no property of SV-COMP"),
        ("missing.prp", "", "no such file"),
    ],
)
def test_other_property_files_are_refused(name: str, text: str, words: str, tmp_path: Path) -> None:
    if text:
        (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=words):
        settings_for([str(tmp_path / name)])
