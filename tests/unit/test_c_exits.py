"""The end of the process: functions that are called then, and the thread that calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.explore.outcome import Verified, Violation

#: A program whose main thread leaves before the other one has to end. ``bye`` is called at the end.
LEAVES = """
#include <threads.h>
pthread_t first; int x; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
%s
void *work(void *z) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); %s return 0; }
int main(void) {
    pthread_t t; first = pthread_self(); %s
    pthread_create(&t, 0, work, 0); pthread_create(&t, 0, work, 0);
    %s
}
"""

AT_EXIT = ("void bye(void) { %s }", "", "atexit(bye);")
ADDED = ("void bye(void) { %s }", "atexit(bye);", "")
DESTRUCTOR = ("__attribute__((destructor)) void bye(void) { %s }", "", "")
PTHREAD_EXIT, THRD_EXIT = "pthread_exit(0);", "thrd_exit(0);"

WRONG = {
    "aborts": (*AT_EXIT, PTHREAD_EXIT, "abort();"),
    "aborts, after thrd_exit": (*AT_EXIT, THRD_EXIT, "abort();"),
    "aborts in a destructor": (*DESTRUCTOR, PTHREAD_EXIT, "abort();"),
    "aborts, added by a thread": (*ADDED, PTHREAD_EXIT, "abort();"),
    "runs in the main thread": (*AT_EXIT, PTHREAD_EXIT, "assert(!pthread_equal(first, pthread_self()));"),
    "runs in another thread": (*AT_EXIT, PTHREAD_EXIT, "assert(pthread_equal(first, pthread_self()));"),
    "a destructor runs in another thread": (*DESTRUCTOR, THRD_EXIT, "assert(pthread_equal(first, pthread_self()));"),
    "waits for ever": (*AT_EXIT, f"pthread_mutex_lock(&m); {PTHREAD_EXIT}", "pthread_mutex_lock(&m);"),
}
CORRECT = {
    "runs after all threads": (*AT_EXIT, PTHREAD_EXIT, "assert(x == 2);"),
    "a destructor runs after all threads": (*DESTRUCTOR, THRD_EXIT, "assert(x == 2);"),
    "nothing is called": ("", "", "", PTHREAD_EXIT, ""),
}


def _text(program: tuple[str, ...]) -> str:
    shared, work, before, leave, check = program
    return LEAVES % (shared % check if shared else "", work, before, leave)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dfs", "dpor", "unfolding", "mcr", "se-mcr"])
@pytest.mark.parametrize("name", WRONG)
def test_the_last_thread_calls_functions_that_fail(name: str, strategy: str, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, _text(WRONG[name])), strategy).verdict, Violation)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["dpor", "unfolding", "mcr", "se-mcr"])
@pytest.mark.parametrize("name", CORRECT)
def test_the_last_thread_calls_functions_after_all_others(name: str, strategy: str, tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, _text(CORRECT[name])), strategy)
    assert isinstance(outcome.verdict, Verified), outcome


def test_static_objects_end_in_the_last_thread(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    path.write_text(
        """
        #include <cassert>
        #include <pthread.h>
        int gone;
        struct Own { ~Own() { gone++; } };
        struct All { ~All() { assert(gone != 2); } } all;
        thread_local Own own;
        void *use(void *p) { volatile Own *mine = &own; return nullptr; }
        int main() { pthread_t t; pthread_create(&t, 0, use, 0); use(0); pthread_exit(0); }
        """
    )
    program = opened(tmp_path, "")
    program.path = str(path)
    assert isinstance(explored(program).verdict, Violation)


def test_quick_exit_calls_functions_of_its_own(tmp_path: Path) -> None:
    text = 'void one(void) { puts("one"); } void two(void) { puts("two"); }\n'
    run = executed(tmp_path, text + "int main(void) { atexit(one); at_quick_exit(two); quick_exit(0); }")
    assert (run.output, run.failures, run.truncated) == ("two\n", [], "")
