"""Data races that the orderings of atomic operations leave, and those that they exclude."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, learned_points
from mazurka.replay.reproduce import simplest
from mazurka.workflows.certifying import examined

PUBLISHED = """
#include <stdatomic.h>
int data; atomic_int f;
void *writer(void *z) {{ data = 1; {} return 0; }}
void *between(void *z) {{ {} return 0; }}
int main(void) {{
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0); pthread_create(&b, 0, between, 0);
    int r = 0;
    {}
    pthread_join(a, 0); pthread_join(b, 0);
    return r * 0;
}}
"""

COUNTED = """
#include <stdatomic.h>
struct object {{ atomic_int count; int data; }};
void put(struct object *o) {{
    if (atomic_fetch_sub_explicit(&o->count, 1, {}) == 1) {{ {} free(o); }}
}}
void *one(void *o) {{ ((struct object *)o)->data = 1; put(o); return 0; }}
void *two(void *o) {{ put(o); return 0; }}
int main(void) {{
    pthread_t a, b;
    struct object *o = malloc(sizeof *o);
    o->count = 2; o->data = 0;
    pthread_create(&a, 0, one, o); pthread_create(&b, 0, two, o);
    pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}}
"""

#: A thread writes before it takes something, another one writes after it has not got it.
TRIED = """
#include <threads.h>
#include <time.h>
{}; int x;
void *one(void *z) {{ {} x = 1; {} return 0; }}
void *other(void *z) {{
    struct timespec end; clock_gettime(CLOCK_REALTIME, &end);
    if ({}) x = 2; else {{ {}; }}
    return 0;
}}
int main(void) {{
    pthread_t a, b;
    {};
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, other, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}}
"""


def tried(declared: str, take: str, attempt: str, give: str, made: str = "", before: str = "") -> str:
    """A program whose second thread tries to take what the first one takes; ``before`` is what this one does first."""
    return TRIED.format(declared, before, f"{take}; {give};", attempt, give, made)


MUTEX = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER"
READ_WRITE = "pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER"
SEMAPHORE = "sem_t m"

ATTEMPTS = {
    "mutex": tried(MUTEX, "pthread_mutex_lock(&m)", "pthread_mutex_trylock(&m) == EBUSY", "pthread_mutex_unlock(&m)"),
    "mutex, timed": tried(
        MUTEX, "pthread_mutex_lock(&m)", "pthread_mutex_timedlock(&m, &end) == ETIMEDOUT", "pthread_mutex_unlock(&m)"
    ),
    "spin lock": tried(
        "pthread_spinlock_t m",
        "pthread_spin_lock(&m)",
        "pthread_spin_trylock(&m)",
        "pthread_spin_unlock(&m)",
        "pthread_spin_init(&m, 0)",
    ),
    "reader": tried(
        READ_WRITE, "pthread_rwlock_wrlock(&m)", "pthread_rwlock_tryrdlock(&m)", "pthread_rwlock_unlock(&m)"
    ),
    "writer": tried(
        READ_WRITE, "pthread_rwlock_rdlock(&m)", "pthread_rwlock_trywrlock(&m)", "pthread_rwlock_unlock(&m)"
    ),
    "writer, timed": tried(
        READ_WRITE, "pthread_rwlock_wrlock(&m)", "pthread_rwlock_timedwrlock(&m, &end)", "pthread_rwlock_unlock(&m)"
    ),
    "semaphore": tried(SEMAPHORE, "sem_wait(&m)", "sem_trywait(&m)", "sem_post(&m)", "sem_init(&m, 0, 1)"),
    "semaphore, timed": tried(
        SEMAPHORE, "sem_wait(&m)", "sem_timedwait(&m, &end)", "sem_post(&m)", "sem_init(&m, 0, 1)"
    ),
    "mtx_t": tried("mtx_t m", "mtx_lock(&m)", "mtx_trylock(&m)", "mtx_unlock(&m)", "mtx_init(&m, mtx_plain)"),
}

RELEASE = "atomic_store_explicit(&f, 1, memory_order_release);"
RELAXED = "atomic_store_explicit(&f, 1, memory_order_relaxed);"
ACQUIRE = "if (atomic_load_explicit(&f, memory_order_acquire) == 1) r = data;"

SECTIONS = """
extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
int n;
void *one(void *z) {{ __VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end(); return 0; }}
int main(void) {{ pthread_t a; pthread_create(&a, 0, one, 0); {} pthread_join(a, 0); return 0; }}
"""

RACES = {
    "relaxed store": PUBLISHED.format(RELAXED, "", ACQUIRE),
    "relaxed load": PUBLISHED.format(RELEASE, "", "if (atomic_load_explicit(&f, memory_order_relaxed)) r = data;"),
    "fence after the store": PUBLISHED.format(RELAXED + "atomic_thread_fence(memory_order_release);", "", ACQUIRE),
    "store of another thread between": PUBLISHED.format(
        RELEASE,
        "if (atomic_load_explicit(&f, memory_order_relaxed)) atomic_store_explicit(&f, 2, memory_order_relaxed);",
        "if (atomic_load_explicit(&f, memory_order_acquire) == 2) r = data;",
    ),
    "store of its own thread between": PUBLISHED.format(
        RELEASE + "atomic_store_explicit(&f, 2, memory_order_relaxed);",
        "",
        "if (atomic_load_explicit(&f, memory_order_acquire) == 2) r = data;",
    ),
    "store of the same value between": PUBLISHED.format(RELEASE + RELAXED, "", ACQUIRE),
    "plain write of an atomic": PUBLISHED.format("__atomic_fetch_add(&data, 1, __ATOMIC_SEQ_CST);", "", "data = 3;"),
    "relaxed count": COUNTED.format("memory_order_relaxed", ""),
    "count without acquire": COUNTED.format("memory_order_release", ""),
    "access beside a section": SECTIONS.format("n = 3;"),
    **{f"failed attempt: {name}": text for name, text in ATTEMPTS.items() if "timed" not in name},
}

ORDERED = {
    "release and acquire": PUBLISHED.format(RELEASE, "", ACQUIRE),
    "fences": PUBLISHED.format(
        "atomic_thread_fence(memory_order_release);" + RELAXED,
        "",
        "if (atomic_load_explicit(&f, memory_order_relaxed)) { atomic_thread_fence(memory_order_acquire); r = data; }",
    ),
    "update of another thread between": PUBLISHED.format(
        RELEASE,
        "int e = 1; atomic_compare_exchange_strong_explicit(&f, &e, 2, memory_order_relaxed, memory_order_relaxed);",
        "if (atomic_load_explicit(&f, memory_order_acquire)) r = data;",
    ),
    "updates of its own thread between": PUBLISHED.format(
        RELEASE + "atomic_fetch_add_explicit(&f, 1, memory_order_relaxed);" * 2,
        "",
        "if (atomic_load_explicit(&f, memory_order_acquire) == 3) r = data;",
    ),
    "a lock that an attempt has taken": tried(
        MUTEX,
        "pthread_mutex_lock(&m)",
        "pthread_mutex_trylock(&m)",
        "x++; pthread_mutex_unlock(&m)",
    )
    .replace("x = 1;", "")
    .replace("x = 2;", ";"),
    "count with release and acquire": COUNTED.format("memory_order_acq_rel", ""),
    "count with a fence": COUNTED.format("memory_order_release", "atomic_thread_fence(memory_order_acquire);"),
    "sections": SECTIONS.format("one(0);"),
}


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "dpor-rf", "dfs"])
@pytest.mark.parametrize("name", RACES)
def test_a_race_is_found(name: str, strategy: str, tmp_path: Path) -> None:
    outcome = explored(opened(tmp_path, RACES[name], races=True), strategy)
    assert isinstance(outcome.verdict, Violation), outcome
    assert outcome.verdict.first.failure.is_race


@pytest.mark.parametrize("name", ORDERED)
def test_accesses_in_order_do_not_race(name: str, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, ORDERED[name], races=True)).verdict, Verified)


def test_a_race_without_adjacent_accesses_happens_again(tmp_path: Path) -> None:
    program = opened(tmp_path, RACES["relaxed store"], races=True)
    found = explored(program).verdict
    assert isinstance(found, Violation)
    assert not found.first.failure.adjacent
    again = program.execute(Plan(found.first.schedule, strict=True))
    assert [each.identity for each in again.failures] == [found.first.failure.identity]


@pytest.mark.parametrize("name", [name for name in ATTEMPTS if "timed" in name])
def test_an_attempt_whose_time_runs_out_orders_nothing(name: str, tmp_path: Path) -> None:
    program = opened(tmp_path, ATTEMPTS[name], races=True)
    for timing in (None, inf):  # the time is over when the attempt begins, so that it needs no pause of a thread
        program.timing = timing
        verdict = explored(program).verdict
        assert isinstance(verdict, Violation)
        assert verdict.first.failure.is_race


SEQLOCK = """
#include <stdatomic.h>
atomic_uint seq; {}int a, b;
void *writer(void *z) {{ seq++; a = 1; b = 1; seq++; return 0; }}
void *reader(void *z) {{
    unsigned before; int x, y;
    do {{ while ((before = seq) & 1); x = a; y = b; }} while (before != seq);
    assert(x == y);
    return 0;
}}
int main(void) {{
    pthread_t t, u;
    pthread_create(&t, 0, writer, 0); pthread_create(&u, 0, reader, 0);
    pthread_join(t, 0); pthread_join(u, 0);
    return 0;
}}
"""


@pytest.mark.parametrize("strategy", ["mcr", "se-mcr", "unfolding", "dpor", "dpor-rf"])
def test_each_race_of_a_seqlock_has_a_witness(strategy: str, tmp_path: Path) -> None:
    program = opened(tmp_path, SEQLOCK.format(""), races=True)
    known = learned_points(program).points
    outcome = Explorer(program, strategy, stop_at_first=False, budget=Budget(300), learned=known, races=True).run()
    assert outcome.found
    for each in outcome.found:
        shown = simplest(program, each)
        assert shown.happened
        assert examined(shown.run, shown.failure) is not None


def test_a_seqlock_of_atomic_data_has_no_race(tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, SEQLOCK.format("_Atomic "), races=True)).verdict, Verified)


CONSEQUENCE = """
#include <stdatomic.h>
int x; atomic_int unused;
void *late(void *z) { if (x == 1) x = 2; return 0; }
void *early(void *z) { x = 1; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, late, 0);
    int seen = x;
    pthread_create(&b, 0, early, 0);
    unused = 1;
    return seen;
}
"""


@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
def test_an_access_that_depends_on_a_race_does_not_race_with_what_came_before(strategy: str, tmp_path: Path) -> None:
    program = opened(tmp_path, CONSEQUENCE, races=True)
    learned = learned_points(program).points
    found = (
        Explorer(program, strategy, stop_at_first=False, budget=Budget(300), learned=learned, races=True).run().found
    )
    assert len(found) == 1  # of `late` and `early`: `x = 2` needs `x = 1`, which comes after `seen = x`
    assert found[0].failure.is_race


#: Store buffering, with a look at the clock in between.
CLOCKED = """
#include <assert.h>
#include <pthread.h>
#include <time.h>
int x, y, r, s;
struct timespec t, u;
void *one(void *z) { x = 1; clock_gettime(CLOCK_MONOTONIC, &t); r = y; return 0; }
void *two(void *z) { y = 1; clock_gettime(CLOCK_MONOTONIC, &u); s = x; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(r || s);
    return 0;
}
"""


@pytest.mark.parametrize("model", [MemoryModel.TSO, MemoryModel.PSO])
def test_a_look_at_the_clock_is_no_fence_to_rely_on(model: MemoryModel, tmp_path: Path) -> None:
    """On real machines the clock is read while stores are on their way."""
    verdict = explored(opened(tmp_path, CLOCKED, model=model)).verdict
    assert isinstance(verdict, Inconclusive)
    assert "clock" in verdict.reason
