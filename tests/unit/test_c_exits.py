"""The end of the process: functions that are called then, and the thread that calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed, explored, opened

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan
from mazurka.program.settings import ProgramSettings

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
    "runs after a thread that main starts late": (
        *AT_EXIT,
        f"if (x) pthread_create(&t, 0, work, 0); {PTHREAD_EXIT}",
        "assert(x >= 2);",
    ),
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
    text = """
        #include <cassert>
        #include <pthread.h>
        int gone;
        struct Own { ~Own() { gone++; } };
        struct All { ~All() { assert(gone != 2); } } all;
        thread_local Own own;
        void *use(void *p) { volatile Own *mine = &own; return nullptr; }
        int main() { pthread_t t; pthread_create(&t, 0, use, 0); use(0); pthread_exit(0); }
    """
    assert isinstance(explored(_cpp(tmp_path, text)).verdict, Violation)


def test_quick_exit_calls_functions_of_its_own(tmp_path: Path) -> None:
    text = 'void one(void) { puts("one"); } void two(void) { puts("two"); }\n'
    run = executed(tmp_path, text + "int main(void) { atexit(one); at_quick_exit(two); quick_exit(0); }")
    assert (run.output, run.failures, run.truncated) == ("two\n", [], "")


UNWOUND = """
#include <cstdio>
#include <exception>
#include <pthread.h>
#include <semaphore.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; sem_t s;
struct Own { const char *name; ~Own() { std::puts(name); } };
struct Locked { Locked() { pthread_mutex_lock(&m); } ~Locked() { pthread_mutex_unlock(&m); } };
static void handler(void *name) { std::puts(static_cast<const char *>(name)); }
static void inner() { Own own{"inner"}; Locked locked; %s }
static void *work(void *) {
    Own own{"work"};
    pthread_cleanup_push(handler, const_cast<char *>("handler"));
    try { Own tried{"tried"}; inner(); }
    catch (int) { std::puts("an int"); }
    catch (...) { std::puts(std::current_exception() ? "an exception" : "all"); %s }
    pthread_cleanup_pop(0);
    return nullptr;
}
int main() {
    pthread_t t; void *result; sem_init(&s, 0, 0);
    pthread_create(&t, nullptr, work, nullptr); %s pthread_join(t, &result);
    std::printf("%%ld %%d\\n", (long)result, pthread_mutex_trylock(&m));
}
"""


@pytest.mark.parametrize(
    ("leaves", "cancels", "result"),
    [("pthread_exit((void *)7);", "", 7), ("sem_wait(&s);", "pthread_cancel(t);", -1)],
    ids=["exit", "cancellation"],
)
def test_a_thread_of_cpp_is_unwound_when_it_leaves(leaves: str, cancels: str, result: int, tmp_path: Path) -> None:
    """The output is that of g++ 12."""
    program = _cpp(tmp_path, UNWOUND % (leaves, "throw;", cancels))
    run = program.execute(Plan())
    while run.found_new_points:
        run = program.execute(Plan())
    assert (run.failures, run.truncated) == ([], "")
    assert run.output.split() == ["inner", "tried", "all", "handler", "work", str(result), "0"]


def test_catching_all_must_throw_again_what_ends_the_thread(tmp_path: Path) -> None:
    run = _cpp(tmp_path, UNWOUND % ("pthread_exit(nullptr);", "", "")).execute(Plan())
    assert "without throwing again what ends the thread" in run.failures[0].message


def _cpp(folder: Path, text: str) -> CProgram:
    path = folder / "program.cpp"
    path.write_text(text)
    return CProgram(str(path), (), (), ProgramSettings())
