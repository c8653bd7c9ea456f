"""Calls in C whose function returns no value, or is not declared, or is declared otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed

from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan
from mazurka.program.settings import ProgramSettings

FUNCTIONS = """
struct pair { int a, b; };
int set(int *place) { *place = 7; }
int some(int way) { if (way) return way; }
double half(int way) { if (way) return 0.5; }
struct pair both(int way) { if (way) { struct pair made = {1, 2}; return made; } }
void *body(void *place) { set(place); }
int (*chosen)(int *) = set;
int compare(const void *one, const void *other) { set((int *)one); }
int named(void) { int x; return x; }
int repeated(int way) { int all = 0; for (int k = 0; k < 100000; k++) { some(way); all += k & way; } return all; }
"""

#: Statements in which no value is used that a function has not returned: C11 6.9.1p12.
VALID = {
    "a call": "set(&x);",
    "a call by a pointer": "chosen(&x);",
    "a value that is dropped": "(void)set(&x); int y = (set(&x), 3); x = y + 4;",
    "the other path": "set(&x); if (some(2) != 2 || half(1) != 0.5 || both(1).b != 2) x = 0;",
    "other types": "set(&x); half(0); both(0);",
    "a thread": "pthread_t t; void *r; pthread_create(&t, 0, body, &x); pthread_join(t, &r);",
    "a loop that is compiled": "set(&x); repeated(0);",
}
USED = {
    "an initial value": "int y = set(&x);",
    "a condition": "if (set(&x)) x = 7;",
    "by a pointer": "return chosen(&x);",
    "one path": "x = some(0);",
    "a float": "x = half(0) > 0;",
    "by the library": "int a[2]; qsort(a, 2, sizeof *a, compare);",
    "the value of a thread": "pthread_t t; void *r; pthread_create(&t, 0, body, &x); pthread_join(t, &r); x = r != 0;",
    "a variable of the function's own": "named(); x = 7;",
}


@pytest.mark.parametrize("name", VALID)
def test_a_value_that_is_not_used_need_not_be_returned(name: str, tmp_path: Path) -> None:
    run = executed(tmp_path, f"{FUNCTIONS}int main(void) {{ int x = 0; {VALID[name]} assert(x == 7); }}", "-w")
    assert not run.failures
    assert not run.truncated


@pytest.mark.parametrize("name", USED)
def test_a_value_that_is_used_and_was_not_returned_is_a_fault(name: str, tmp_path: Path) -> None:
    run = executed(tmp_path, f"{FUNCTIONS}int main(void) {{ int x = 0; {USED[name]} return x; }}", "-w")
    assert [each.exception for each in run.failures] == ["uninitialised read"]


def test_a_function_of_cpp_must_not_end_without_a_value(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    path.write_text("int set(int *place) { *place = 7; }\nint main() { int x; set(&x); return 0; }\n")
    run = CProgram(str(path), ("-w",), (), ProgramSettings()).execute(Plan())
    assert [each.exception for each in run.failures] == ["undefined behaviour"]


OLD = ("-w", "-std=gnu89")

UNDECLARED = """
int sum(a, b) int a; char b; { return a + b; }
float same(x) float x; { return x; }
int main() {
    int (*any)() = sum;
    assert(later(9) == 9 && any(1, 2) == 3 && sum(1, 258) == 3 && same(2.5) == 2.5f);
    __VERIFIER_assume(1);
    nothing(1);
    nothing(1, 2);
    usleep(1, 2);
    return 0;
}
int later(int x) { return x; }
int nothing(int x) { }
"""


def test_functions_may_be_called_before_they_are_declared(tmp_path: Path) -> None:
    run = executed(tmp_path, UNDECLARED, *OLD)
    assert not run.failures
    assert not run.truncated


WRONG = {
    "too few arguments": ("return sum(1);", "invalid call"),
    "too few for the library": ("return klee_int();", "invalid call"),
    "a float for an integer": ("int (*any)() = sum; return any(1.5, 2);", "invalid call"),
    "the value of a function without one": ("return __VERIFIER_assume(1);", "uninitialised read"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_call_that_is_none_is_a_fault(name: str, tmp_path: Path) -> None:
    statement, fault = WRONG[name]
    declared = "int sum(a, b) int a; int b; { return a + b; }\n"
    run = executed(tmp_path, f"{declared}int main() {{ {statement} }}", *OLD)
    assert [each.exception for each in run.failures] == [fault]


NOT_INITIALISED = {
    "a barrier": "pthread_barrier_t b; int main(void) { return pthread_barrier_wait(&b); }",
    "a spin lock": "pthread_spinlock_t s; int main(void) { return pthread_spin_lock(&s); }",
    "a semaphore": "sem_t s; int main(void) { return sem_post(&s); }",
}


@pytest.mark.parametrize("name", NOT_INITIALISED)
def test_what_has_no_static_initialiser_has_to_be_initialised(name: str, tmp_path: Path) -> None:
    (failure,) = executed(tmp_path, NOT_INITIALISED[name]).failures
    assert failure.exception == "misuse of a primitive"
    assert "is not initialised" in failure.message
