"""Programs with unknown inputs: all classes of them are searched; a failure names the inputs, its replay has them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.end_to_end.conftest import Shell

HEAD = """
#include <assert.h>
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void klee_make_symbolic(void *, unsigned long, const char *);
"""

WRITER_AND_READER = """
int x, n;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *writer(void *p) { pthread_mutex_lock(&m); if (CONDITION) x = 1; pthread_mutex_unlock(&m); return 0; }
void *reader(void *p) { pthread_mutex_lock(&m); if (x) x = 2; pthread_mutex_unlock(&m); return 0; }
int main() {
    pthread_t t[2];
    INPUT
    pthread_create(&t[0], 0, writer, 0);
    pthread_create(&t[1], 0, reader, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    assert(x != 2);
}
"""


def _program(condition: str, given: str = "n = __VERIFIER_nondet_int();") -> str:
    return HEAD + WRITER_AND_READER.replace("CONDITION", condition).replace("INPUT", given)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("condition", "given", "inputs"),
    [
        ("n > 10 && n * 3 == 99", "n = __VERIFIER_nondet_int();", {"nondet_int()": 33}),
        ("n == -5", "n = __VERIFIER_nondet_int();", {"nondet_int()": -5}),
        ("n", "n = __VERIFIER_nondet_bool();", {"nondet_bool()": 1}),
        ("n == 7", 'klee_make_symbolic(&n, sizeof n, "n");', {"n": 7}),
        ("n == 4", "__VERIFIER_nondet_int(); n = __VERIFIER_nondet_int();", {"nondet_int() #2": 4}),
    ],
)
def test_a_failure_names_the_inputs(shell: Shell, condition: str, given: str, inputs: dict[str, int]) -> None:
    shell.write("unknown.c", _program(condition, given))
    result = shell.run("check", "unknown.c", "--format", "json", status=1)
    finding = json.loads(result.stdout)["failures"][0]
    assert {name: finding["inputs"][name] for name in inputs} == inputs
    assert finding["replayed"]
    assert "reproduced" in shell.run("replay", finding["schedule"], status=1).stdout
    assert "reproduced" in shell.run("replay", finding["token"], status=1).stdout
    again = shell.run("check", "unknown.c", status=1).stdout  # the saved failure is tried first
    assert f"{next(iter(inputs))} = " in again


def test_all_inputs_are_covered(shell: Shell) -> None:
    shell.write("unknown.c", _program("n > 10 && n < 5"))
    result = shell.run("check", "unknown.c", status=0)
    words = " ".join(result.stdout.split())
    assert "on all values of its unknown inputs (2 classes)" in words or "(3 classes)" in words


def test_assumptions_leave_inputs_out(shell: Shell) -> None:
    shell.write("unknown.c", _program("n == 7", "n = __VERIFIER_nondet_int(); __VERIFIER_assume(n < 5);"))
    assert "on all values" in " ".join(shell.run("check", "unknown.c", status=0).stdout.split())
    shell.write("unknown.c", _program("n == 7", "n = __VERIFIER_nondet_int(); __VERIFIER_assume(n < 9);"))
    assert "Inputs: nondet_int() = 7" in shell.run("check", "unknown.c", status=1).stdout


def test_a_limit_ends_the_search_for_inputs(shell: Shell) -> None:
    shell.write(
        "unknown.c", _program("n * n == 7 * n + 1000003", "n = __VERIFIER_nondet_int(); int a[9]; a[n & 7] = 0;")
    )
    result = shell.run("check", "unknown.c", "--max-executions", "3", status=0)
    assert "inconclusive: nothing found, but the limit of 3 executions" in result.stdout


def test_an_index_out_of_bounds(shell: Shell) -> None:
    source = HEAD + (
        "int a[4], n; void *f(void *p) { a[n & 7] = 1; return 0; }\n"
        "int main() { n = __VERIFIER_nondet_int(); pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }\n"
    )
    shell.write("index.c", source)
    assert "out of bounds" in shell.run("check", "index.c", status=1).stdout
    shell.write("index.c", source.replace("n & 7", "n & 3"))
    assert "(1 class)" in shell.run("check", "index.c", status=0).stdout
