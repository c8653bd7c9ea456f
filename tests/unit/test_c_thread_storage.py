"""Thread-local variables, thread-specific data, and places of the C library that threads share."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.settings import ProgramSettings

SPECIFIC = """
static pthread_key_t one, other;
static int calls;
static void destroy(void *p) { calls++; %s }
static void destroy_other(void *p) { %s }
static void *work(void *z) { pthread_setspecific(one, &one); pthread_setspecific(other, &other); %s return 0; }
int main(void) {
    pthread_t t;
    pthread_key_create(&one, destroy); pthread_key_create(&other, destroy_other);
    pthread_create(&t, 0, work, 0); %s
    pthread_join(t, 0); assert(calls == %d);
    return 0;
}
"""

CORRECT = {
    "a destructor sees the values of later keys": (
        "assert(!pthread_getspecific(one) && pthread_getspecific(other) == &other);",
        "assert(!pthread_getspecific(one) && !pthread_getspecific(other));",
        "",
        "",
        1,
    ),
    "a destructor sets its value anew": ("if (calls < 3) pthread_setspecific(one, p);", "", "", "", 3),
    "the destructor of a deleted key is not called": ("", "", "assert(pthread_key_delete(one) == 0);", "", 0),
    "a key is deleted once": (
        "",
        "",
        "pthread_key_delete(one); assert(pthread_key_delete(one) == EINVAL && pthread_key_delete(99) == EINVAL);",
        "",
        0,
    ),
}

WRONG = {
    "the value of a later key": ("assert(!pthread_getspecific(other));", "", "", "", 1, "assertion"),
    "a key that is deleted": ("", "", "pthread_key_delete(one); pthread_getspecific(one);", "", 0, "misuse of a key"),
    "a key that another thread deletes": ("", "", "", "pthread_key_delete(one);", 1, "misuse of a key"),
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_thread_specific_data(name: str, tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, SPECIFIC % CORRECT[name]))
    assert isinstance(outcome.verdict, Verified), str(outcome)


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "unfolding"])
@pytest.mark.parametrize("name", WRONG)
def test_wrong_thread_specific_data(name: str, strategy: str, tmp_path: Path) -> None:
    *parts, kind = WRONG[name]
    outcome = explored(opened(tmp_path, SPECIFIC % tuple(parts)), strategy)
    assert isinstance(outcome.verdict, Violation)
    assert kind == outcome.verdict.first.failure.exception


@pytest.mark.parametrize("variable", ["_Thread_local int x = 3; p = &x;", "p = &errno;"])
def test_a_variable_of_a_thread_ends_with_it(variable: str, tmp_path: Path) -> None:
    variable = variable.replace("_Thread_local", "static _Thread_local")
    text = f"""
    static int *p;
    static void *work(void *z) {{ {variable} *p = 1; return 0; }}
    int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return *p; }}
    """
    outcome = explored(opened(tmp_path, text))
    assert isinstance(outcome.verdict, Violation)
    assert outcome.verdict.first.failure.message.endswith("which is gone, since its thread has ended")


TWO = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *text) { char own[8]; strcpy(own, "a,b"); %s return 0; }
static void *two(void *text) { char own[8]; strcpy(own, "c,d"); %s return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}
"""

LOCKED = "pthread_mutex_lock(&m); %s pthread_mutex_unlock(&m);"
CUT = 'strtok(own, ","); assert(strlen(strtok(0, ",")) == 1);'
RACES = {
    "strtok": (CUT, CUT, True),
    "strtok with a lock": (LOCKED % CUT, LOCKED % CUT, False),
    "strtok_r": ('char *at; strtok_r(own, ",", &at);', 'char *at; strtok_r(own, ",", &at);', False),
    "the environment": ('setenv("A", "1", 1);', 'getenv("B");', True),
    "the environment with a lock": (LOCKED % 'setenv("A", "1", 0);', LOCKED % 'unsetenv("A");', False),
    "the environment, read": ('getenv("A");', 'getenv("A");', False),
}


@pytest.mark.parametrize("name", RACES)
def test_places_that_functions_share_race(name: str, tmp_path: Path) -> None:
    *parts, races = RACES[name]
    outcome = explored(opened(tmp_path, TWO % tuple(parts), races=True))
    assert isinstance(outcome.verdict, Violation if races else Verified), str(outcome)


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "mcr", "se-mcr", "unfolding"])
def test_orders_of_changes_of_the_environment(strategy: str, tmp_path: Path) -> None:
    one = 'setenv("A", "1", 0); assert(getenv("A"));'
    wrong = explored(opened(tmp_path, TWO % (one, 'unsetenv("A");')), strategy)
    assert isinstance(wrong.verdict, Violation)
    right = explored(opened(tmp_path, TWO % (one, 'setenv("A", "2", 1); assert(*getenv("A") == 50);')), strategy)
    assert isinstance(right.verdict, Verified), str(right)


def test_the_destructor_of_a_thread_local_object_gets_the_copy_of_its_thread(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    path.write_text(
        """
        #include <cassert>
        #include <pthread.h>
        int gone;
        struct Counter { int k = 0; ~Counter() { gone += k; } };
        thread_local Counter own;
        void *work(void *z) { own.k = 1; return nullptr; }
        int main() {
            for (int n = 0; n < 2; n++) {
                pthread_t t;
                pthread_create(&t, nullptr, work, nullptr); pthread_join(t, nullptr);
            }
            assert(gone == 2);
        }
        """
    )
    outcome = explored(CProgram(str(path), (), (), ProgramSettings()))
    assert isinstance(outcome.verdict, Verified), str(outcome)
