"""Data races that the orderings of atomic operations leave, and those that they exclude."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Verified, Violation
from mazurka.program.protocol import Plan

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
    "plain write of an atomic": PUBLISHED.format("__atomic_fetch_add(&data, 1, __ATOMIC_SEQ_CST);", "", "data = 3;"),
    "relaxed count": COUNTED.format("memory_order_relaxed", ""),
    "count without acquire": COUNTED.format("memory_order_release", ""),
    "access beside a section": SECTIONS.format("n = 3;"),
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
