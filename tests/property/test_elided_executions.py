"""The record of an execution that is elided is that of the execution itself, in every field: by random schedules and by
those of searches, for programs in which a thread's next step might depend on more than its reads.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.objects_c import random_objects
from tests.unit.c_programs import opened, started

from mazurka.explore.explorer import Budget, Explorer
from mazurka.program.llvm.elision import ElidedExecutions
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Plan, Run
from mazurka.program.settings import ProgramSettings

_FIELDS = [name for name in Run.__dataclass_fields__ if name not in ("seconds", "output")]
_BUDGET = {"random": 500, "dfs": 200, "dpor": 200}

_PROGRAMS = {
    "increments": """
int n, seen;
void *one(void *u) { int v = n; n = v + 1; seen = n; return 0; }
"""
    + started("one", "one", "one"),
    "an object without steps, used by one of two threads": """
int x, y, table[4];
void *one(void *u) { if (x == 1) table[0] = 1; return 0; }
void *two(void *u) { if (y == 1) table[0] = 2; return 0; }
void *set(void *u) { x = 1; x = 0; return 0; }
void *reset(void *u) { y = 1; y = 0; return 0; }
"""
    + started("one", "two", "set", "reset"),
    "a location that two threads come to only together": """
int x, t, *p = &t;
void *one(void *u) { if (x == 1) *p = 1; return 0; }
void *two(void *u) { if (x == 2) t = 2; return 0; }
void *set(void *u) { x = 1; x = 2; x = 0; return 0; }
"""
    + started("one", "two", "set"),
    "moved memory": """
int flag, *_Atomic shared, seen;
void *make(void *u) { int f = flag; int *p = malloc(8); p[0] = f; p = realloc(p, 16); shared = p; return 0; }
void *set(void *u) { flag = 1; return 0; }
void *look(void *u) { int *p = shared; if (p) seen = p[0]; return 0; }
"""
    + started("make", "set", "look"),
    "memory that another thread frees": """
#include <stdatomic.h>
struct node { struct node *next; int v; };
_Atomic(struct node *) top; int sum;
void *push(void *u) {
    struct node *n = malloc(sizeof *n);
    n->v = (int)(long)u; n->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &n->next, n));
    return 0;
}
void *take(void *u) {
    struct node *n = atomic_exchange(&top, 0);
    while (n) { sum += n->v; struct node *m = n->next; free(n); n = m; }
    return 0;
}
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, push, (void *)1); pthread_create(&b, 0, push, (void *)2); pthread_create(&c, 0, take, 0);
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
    return 0;
}""",
    "variables of a function that ends": """
int go;
struct s { int a; long b; char c[3]; };
void *leaf(void *u) { struct s *p = u; if (go) p->a++; else p->b = p->a; return 0; }
void *set(void *u) { go = 1; return 0; }
static void part(void) {
    struct s s = {1, 2, "ab"};
    pthread_t a, b;
    pthread_create(&a, 0, leaf, &s); pthread_create(&b, 0, leaf, &s);
    s.a = 4;
    struct s t = s;
    go = t.b;
    pthread_join(a, 0); pthread_join(b, 0);
}
int main(void) { pthread_t c; pthread_create(&c, 0, set, 0); part(); pthread_join(c, 0); return 0; }""",
    "accesses of several sizes": """
union { long l; int i[2]; char c[8]; } u; int f;
void *one(void *x) { if (f) u.i[0] = 5; else u.l = 9; return 0; }
void *two(void *x) { if (!f) u.c[1] = 1; long v = u.l; f = v & 1; return 0; }
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, two, 0); pthread_create(&c, 0, two, 0);
    u.l = 3;
    pthread_join(a, 0); pthread_join(b, 0); pthread_join(c, 0);
    return 0;
}""",
    "threads that start threads": """
int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *leaf(void *u) { pthread_mutex_lock(&m); n += (int)(long)u; pthread_mutex_unlock(&m); return (void *)(long)n; }
void *inner(void *u) {
    pthread_t t; void *r = 0;
    pthread_mutex_lock(&m); int k = n; pthread_mutex_unlock(&m);
    if (k < 3) { pthread_create(&t, 0, leaf, (void *)(long)(k + 1)); pthread_join(t, &r); }
    return r;
}
int main(void) {
    pthread_t a, b; void *r;
    pthread_create(&a, 0, inner, 0); pthread_create(&b, 0, inner, 0);
    pthread_join(a, &r); int x = (long)r; pthread_join(b, &r); n = x + (long)r;
    pthread_mutex_destroy(&m);
    return 0;
}""",
    "threads that outlive the process": """
int n, k;
void *leaf(void *u) { n++; k = n; n++; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, leaf, 0); pthread_create(&b, 0, leaf, 0);
    if (n == 1) pthread_join(a, 0);
    return 0;
}""",
    "a mutex that is tried when the process ends": """
int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *tries(void *u) { n++; if (!pthread_mutex_trylock(&m)) { n++; pthread_mutex_unlock(&m); } return 0; }
void *adds(void *u) { pthread_mutex_lock(&m); n++; n++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, tries, 0); pthread_create(&b, 0, adds, 0);
    if (n < 2) pthread_join(b, 0);
    return 0;
}""",
    "a mutex that is held at first, and tried": """
int n; pthread_mutex_t m;
void *leaf(void *u) { if (pthread_mutex_trylock(&m) == 0) { n++; pthread_mutex_unlock(&m); } else n = 7; return 0; }
int main(void) {
    pthread_t a, b; pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind); pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &kind); pthread_mutex_lock(&m); pthread_mutex_lock(&m);
    pthread_create(&a, 0, leaf, 0); pthread_create(&b, 0, leaf, 0);
    pthread_mutex_unlock(&m); n = 3; pthread_mutex_unlock(&m);
    pthread_join(a, 0); pthread_join(b, 0);
    return 0;
}""",
    "results of threads, in a loop": """
int n, results[3];
void *one(void *x) {
    int v = n; n = v + 1; results[(long)x] = v;
    if (v == 2) pthread_exit((void *)7L);
    return (void *)(long)v;
}
int main(void) {
    pthread_t t[3]; long total = 0;
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, one, (void *)i);
    for (int i = 0; i < 3; i++) { void *r; pthread_join(t[i], &r); total += (long)r + results[i]; }
    n = total;
    return 0;
}""",
    "variables of each thread": """
_Thread_local int mine; int n;
void *one(void *x) { mine = n; n = mine + 1; errno = n; if (n == 2) mine = 9; n = mine + errno; return 0; }
"""
    + started("one", "one"),
    "atomic sections": """
extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
int x, y, z;
void *one(void *u) {
    __VERIFIER_atomic_begin(); if (x > y) z = x; else y = x + 1; __VERIFIER_atomic_end();
    x++;
    return 0;
}
"""
    + started("one", "one", "one"),
}

#: Programs of which no execution is elided, since more than a thread's reads decides on its next step.
_NOT_ELIDED = {
    "a loop that waits": """
int ready, n;
void *one(void *u) { while (!*(volatile int *)&ready); n++; return 0; }
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, one, 0); n = 1; *(volatile int *)&ready = 1; pthread_join(a, 0);
    return 0;
}""",
    "condition variables": """
int ready; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
void *one(void *u) {
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, one, 0);
    pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}""",
    "a semaphore that a thread still waits for at the end": """
int n; sem_t s;
void *waits(void *u) { n++; sem_wait(&s); n++; return 0; }
void *adds(void *u) { n++; n++; return 0; }
int main(void) {
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, 0, waits, 0); pthread_create(&b, 0, adds, 0);
    pthread_join(b, 0);
    return 0;
}""",
    "functions to be called at exit": """
int n;
static void last(void) { n = 0; }
static void done(void) { n++; }
void *one(void *u) { n++; if (n == 2) atexit(done); return 0; }
int main(void) {
    pthread_t a, b;
    atexit(last);
    pthread_create(&a, 0, one, 0); pthread_create(&b, 0, one, 0);
    pthread_exit(0);
}""",
    "output": """
int n;
void *one(void *u) { n++; printf("%d", n); return 0; }
"""
    + started("one", "one"),
}


class _Compared(ElidedExecutions):
    """Also makes each execution that is elided, and compares the two."""

    def __init__(self, program: CProgram) -> None:
        super().__init__(program.settings, before=1)
        self._program = program
        self._is_comparing = False

    def execute(self, plan: Plan, points: set[int]) -> tuple[Run | None, bool]:
        if self._is_comparing:
            return None, False
        found, is_learnt = super().execute(plan, points)
        if found is not None:
            self._is_comparing = True
            real = self._program.execute(plan)
            self._is_comparing = False
            for name in _FIELDS:
                assert getattr(found, name) == getattr(real, name), (plan, name)
        return found, is_learnt


class _ComparedProgram(CProgram):
    @cached_property
    def _elided(self) -> ElidedExecutions:
        return _Compared(self)


def _elided(folder: Path, text: str, strategy: str) -> int:
    """The executions that a search elides."""
    opened_one: Any = opened(folder, text)
    program = _ComparedProgram(opened_one.path, opened_one.flags, opened_one.arguments, ProgramSettings())
    Explorer(program, strategy, stop_at_first=False, budget=Budget(_BUDGET[strategy])).run()
    return program._elided.elided


@pytest.mark.parametrize("strategy", _BUDGET)
@pytest.mark.parametrize("name", _PROGRAMS)
def test_elided_executions_are_those_of_the_program(name: str, strategy: str, tmp_path: Path) -> None:
    elided = _elided(tmp_path, _PROGRAMS[name], strategy)
    assert elided > _BUDGET[strategy] / 10 or strategy != "random"


@pytest.mark.parametrize("name", _NOT_ELIDED)
def test_no_execution_is_elided_whose_steps_depend_on_more_than_reads(name: str, tmp_path: Path) -> None:
    assert _elided(tmp_path, _NOT_ELIDED[name], "random") == 0


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(40))
def test_executions_of_drawn_programs(seed: int, tmp_path: Path) -> None:
    assert _elided(tmp_path, random_objects(seed).replace("printf(", "(void)(0, "), "random")
