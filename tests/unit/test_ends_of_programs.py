"""The end of a program whose main thread does not wait for all others."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.protocol import OUTLIVING

_STRATEGIES = ["dfs", "dpor", "mcr", "se-mcr", "unfolding"]

_FAILS_LATE = """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void *outlive(void *unused) {
    (void)unused;
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    assert(0);
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, 0, outlive, 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
"""

_WAITS_LATE = """
sem_t given;
int x;
void *wait(void *unused) {
    (void)unused;
    x = 1;
    sem_wait(&given);
    x = 2;
    sem_wait(&given);
    return 0;
}
void *look(void *unused) { (void)unused; assert(x != 2); return 0; }
int main(void) {
    pthread_t thread;
    sem_init(&given, 0, FIRST);
    pthread_create(&thread, 0, wait, 0);
    pthread_create(&thread, 0, look, 0);
    return 0;
}
"""


@pytest.mark.parametrize("strategy", _STRATEGIES)
def test_threads_that_go_on_for_long_after_the_end_are_assumed_not_to_fail(strategy: str, tmp_path: Path) -> None:
    late = explored(opened(tmp_path, f"#define TURNS 250\n{_FAILS_LATE}"), strategy)
    assert isinstance(late.verdict, Verified)
    assert late.assumed == (OUTLIVING,)
    assert isinstance(explored(opened(tmp_path, f"#define TURNS 100\n{_FAILS_LATE}"), strategy).verdict, Violation)


@pytest.mark.parametrize("strategy", _STRATEGIES)
def test_threads_may_wait_for_ever_for_what_no_one_does(strategy: str, tmp_path: Path) -> None:
    """That they can't move is known of the end of the execution, though no failure says so."""
    waiting = explored(opened(tmp_path, f"#define FIRST 0\n{_WAITS_LATE}"), strategy)
    assert isinstance(waiting.verdict, Verified)
    assert waiting.assumed == ()
    assert isinstance(explored(opened(tmp_path, f"#define FIRST 1\n{_WAITS_LATE}"), strategy).verdict, Violation)


_THREADS = """
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
pthread_t first;
int x;
atomic_int f;
void *spin(void *unused) { (void)unused; while (!f) sched_yield(); return 0; }
void both(pthread_mutex_t *a, pthread_mutex_t *b) {
    pthread_mutex_lock(a); pthread_mutex_lock(b); pthread_mutex_unlock(b); pthread_mutex_unlock(a);
}
void *one(void *unused) { (void)unused; both(&m, &n); return 0; }
void *other(void *unused) { (void)unused; both(&n, &m); return 0; }
void *set(void *unused) { (void)unused; x = 1; return 0; }
void *look(void *unused) { (void)unused; assert(!x); return 0; }
void *fail(void *unused) { (void)unused; exit(3); return 0; }
void *leave(void *unused) { (void)unused; pthread_join(first, 0); exit(0); return 0; }
int main(void) {
    pthread_t thread;
    first = pthread_self();
"""

#: The threads, the end of main, and the failures.
_ENDS: dict[str, tuple[tuple[str, ...], str, set[str]]] = {
    "main returns beside a loop": (("spin", "set"), "return 0;", set()),
    "main leaves beside a loop": (("spin", "set"), "pthread_exit(0);", {"livelock"}),
    "main leaves beside a loop, if a thread was early": (("spin", "set"), "if (x) pthread_exit(0);", {"livelock"}),
    "main leaves, if a thread was early": (("one", "other", "set"), "if (x) pthread_exit(0);", {"deadlock"}),
    "main leaves, if a thread was late": (("one", "other", "set"), "if (!x) pthread_exit(0);", {"deadlock"}),
    "main exits before the others": (("set", "look"), "exit(3);", {"assertion", "exit"}),
    "a thread exits before the others": (("fail", "set", "look"), "pthread_exit(0);", {"assertion", "exit"}),
    "a thread exits before main has joined it": (("fail",), "pthread_join(thread, 0); assert(0);", {"exit"}),
    "a thread exits after main has left": (("leave", "spin", "set"), "pthread_exit(0);", set()),
}


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", _STRATEGIES)
@pytest.mark.parametrize("name", _ENDS)
def test_which_threads_the_end_waits_for(name: str, strategy: str, tmp_path: Path) -> None:
    threads, end, kinds = _ENDS[name]
    starts = "".join(f"    pthread_create(&thread, 0, {each}, 0);\n" for each in threads)
    program = opened(tmp_path, f"#include <sched.h>\n#include <stdatomic.h>\n{_THREADS}{starts}    {end}\n}}\n")
    outcome = explored(program, strategy)
    assert {each.failure.kind.value for each in outcome.found} == kinds
    assert isinstance(outcome.verdict, Violation if kinds else Verified), outcome
