"""Accesses of several words by one operation: other threads come between the words, unless a lock excludes that."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import explored, opened

from mazurka.explore.outcome import Inconclusive, Verified, Violation
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan

SHARED = """
#include <stdatomic.h>
struct record { long x, y, z; } g;
char text[24];
atomic_uint version;
int flag;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
"""

WHOLE = "struct record n = {1, 1, 1}; "


def _beside(writer: str, reader: str) -> str:
    return f"""{SHARED}
void *one(void *z) {{ {writer} return 0; }}
int main(void) {{
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    {reader}
    pthread_join(a, 0);
    return 0;
}}
"""


TORN = {
    "assignment": _beside(WHOLE + "g = n;", "struct record c = g; assert(c.x == c.z);"),
    "memset": _beside("memset(text, 1, 24);", "char c[24]; memcpy(c, text, 24); assert(c[0] == c[23]);"),
    "text": _beside(
        'strcpy(text, "bbbbbbbbbbbbbbbb");', 'char c[24] = ""; memcpy(c, text, 17); assert(!c[0] == !c[15]);'
    ),
    "overlap": _beside(
        "memmove(&g.y, &g.x, 16);",
        "struct record c = g; assert(c.y != 5 || c.z != 0);",
    ).replace("pthread_t a;", "pthread_t a; g.x = 5; g.y = 6;"),
    "version that is counted once": _beside(
        WHOLE + "g = n; version++;",
        "struct record c; unsigned s; do { s = version; c = g; } while (s != version); assert(c.x == c.z);",
    ),
}

WHOLE_ONES = {
    "lock": _beside(
        WHOLE + "pthread_mutex_lock(&m); g = n; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); struct record c = g; pthread_mutex_unlock(&m); assert(c.x == c.z);",
    ),
    "version": _beside(
        WHOLE + "version++; g = n; version++;",
        "struct record c; unsigned s;"
        "do { while ((s = version) & 1); c = g; } while (s != version); assert(c.x == c.z);",
    ),
}

LATE = _beside(WHOLE + "g = n; flag = 1;", "if (flag) assert(g.x && g.z);")

CROSSED = """
struct record { long x, y, z; } g, h;
long r, s;
void *one(void *z) { struct record n = {1, 1, 1}; g = n; r = h.x; return 0; }
void *two(void *z) { struct record n = {1, 1, 1}; h = n; s = g.x; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(r || s);
    return 0;
}
"""

MIXED = """
union word { long whole; int half[2]; } g;
void *one(void *z) { g.whole = 1; return 0; }
int main(void) { pthread_t a; pthread_create(&a, 0, one, 0); int r = g.half[0]; pthread_join(a, 0); return r * 0; }
"""


@pytest.mark.parametrize("strategy", ["dpor", "mcr", "dpor-rf", "dfs"])
@pytest.mark.parametrize("name", TORN)
def test_parts_of_a_copy_are_seen(name: str, strategy: str, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, TORN[name]), strategy).verdict, Violation)


@pytest.mark.parametrize("name", WHOLE_ONES)
def test_copies_that_are_protected_are_whole(name: str, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, WHOLE_ONES[name])).verdict, Verified)


def test_a_copy_under_a_lock_is_one_step(tmp_path: Path) -> None:
    program = opened(tmp_path, WHOLE_ONES["lock"])
    explored(program)
    log = program.execute(Plan()).log
    assert sum(step.target[1] == "g" for step in log) == 2


@pytest.mark.parametrize(("model", "verdict"), [(MemoryModel.TSO, Verified), (MemoryModel.PSO, Violation)])
def test_parts_arrive_late(model: MemoryModel, verdict: type, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, LATE, model=model)).verdict, verdict)


@pytest.mark.parametrize("strategy", ["dpor", "mcr"])
def test_a_copy_waits_in_the_store_buffer(strategy: str, tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, CROSSED, model=MemoryModel.TSO), strategy).verdict, Violation)
    assert isinstance(explored(opened(tmp_path, CROSSED), strategy).verdict, Verified)


def test_a_store_of_several_locations_is_untracked_if_it_can_be_late(tmp_path: Path) -> None:
    assert isinstance(explored(opened(tmp_path, MIXED, model=MemoryModel.TSO)).verdict, Inconclusive)
    assert isinstance(explored(opened(tmp_path, MIXED)).verdict, Verified)


EXCHANGES = """
union pair { __int128 whole; struct { long first, second; } part; } v;
int winners;
void *one(void *second) {
    union pair old = {0}, new = {.part = {1, (long)second}};
    int won = __atomic_compare_exchange_n(&v.whole, &old.whole, new.whole, 0, 5, 5);
    assert(won || (old.part.first == 1 && old.part.second));
    if (won) __atomic_fetch_add(&winners, 1, 5);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, one, (void *)1); pthread_create(&b, 0, one, (void *)2);
    long seen = __atomic_load_n(&v.part.second, 5);
    pthread_join(a, 0); pthread_join(b, 0);
    assert(winners == 1 && (!seen || seen == v.part.second));
    assert(v.part.second != UNEXPECTED);
    return 0;
}
"""


@pytest.mark.parametrize("strategy", ["dfs", "dpor", "unfolding", "se-mcr"])
@pytest.mark.parametrize(("unexpected", "verdict"), [(1, Violation), (2, Violation), (3, Verified)])
def test_sixteen_bytes_are_compared_and_exchanged_at_once(
    unexpected: int, verdict: type, strategy: str, tmp_path: Path
) -> None:
    outcome = explored(opened(tmp_path, EXCHANGES, f"-DUNEXPECTED={unexpected}"), strategy)
    assert isinstance(outcome.verdict, verdict), outcome


def test_an_exchange_that_fails_publishes_nothing(tmp_path: Path) -> None:
    text = """
__int128 v; int data, flag;
void *one(void *a) { __int128 old = %d; data = 1; __atomic_compare_exchange_n(&v, &old, 1, 0, 5, 5);
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED); return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    (void)__atomic_load_n((long *)&v, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&flag, __ATOMIC_RELAXED) && __atomic_load_n((long *)&v, __ATOMIC_SEQ_CST) >= 0) assert(data);
    pthread_join(a, 0);
    return 0;
}
"""
    assert isinstance(explored(opened(tmp_path, text % 7, races=True)).verdict, Violation)
    assert isinstance(explored(opened(tmp_path, text % 0, races=True)).verdict, Verified)
