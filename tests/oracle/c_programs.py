"""Random C programs: up to three threads that do a few operations each on shared objects, in all the shapes of
:mod:`tests.oracle.shapes`: threads that are not joined, joined by others, detached, started late or by threads; a main
thread that returns, leaves by ``pthread_exit``, or ends the process; exit handlers.

Every operation is on a line of its own, and asserts what it sees, or not. A program is free of undefined behaviour but
for data races, and for a main that returns while another thread waits for it. Compiled natively, its threads pause at
random wherever the text says ``PAUSE()``, which is nothing otherwise. Programs of one number are the same everywhere.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tests.oracle.shapes import EARLY, FINAL, LATE, MAIN, Ends, Shape, drawn_shape

_HEAD: Final = """\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifndef PAUSE
#define PAUSE()
#endif
"""


@dataclass(frozen=True, slots=True)
class Theme:
    """Shared objects (lines of the file), how main makes them ready, and the operations on them, in which ``{v}`` is a
    small number and ``{p}`` an operation on ``x`` or ``y``."""

    shared: tuple[str, ...]
    does: tuple[str, ...]
    ready: tuple[str, ...] = ()


_LATER: Final = "struct timespec later = {4000000000, 0};"

THEMES: Final[dict[str, Theme]] = {
    "variables": Theme((), ("{p}",)),
    "mutex": Theme(
        ("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;"),
        (
            "pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&n); pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
            "pthread_mutex_lock(&m); pthread_mutex_lock(&n); {p} pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
            "if (!pthread_mutex_trylock(&m)) {{ {p} pthread_mutex_unlock(&m); }}",
            "if (!pthread_mutex_trylock(&m)) {{ pthread_mutex_unlock(&m); }} else {{ {p} }}",
            "pthread_mutex_lock(&m);",
            "{p}",
        ),
    ),
    "recursive mutex": Theme(
        ("pthread_mutex_t m;",),
        (
            "pthread_mutex_lock(&m); pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m);",
            "if (!pthread_mutex_trylock(&m)) {{ {p} pthread_mutex_unlock(&m); }}",
            "assert(pthread_mutex_unlock(&m) == EPERM);",
        ),
        (
            "pthread_mutexattr_t a; pthread_mutexattr_init(&a);",
            "pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE); pthread_mutex_init(&m, &a);",
        ),
    ),
    "timed mutex": Theme(
        ("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", _LATER),
        (
            "if (!pthread_mutex_timedlock(&m, &later)) {{ {p} pthread_mutex_unlock(&m); }}",
            "pthread_mutex_lock(&m); {p} pthread_mutex_unlock(&m);",
            "if (!pthread_mutex_trylock(&m)) {{ {p} pthread_mutex_unlock(&m); }}",
        ),
    ),
    "spin lock": Theme(
        ("pthread_spinlock_t sp;",),
        (
            "pthread_spin_lock(&sp); {p} pthread_spin_unlock(&sp);",
            "if (!pthread_spin_trylock(&sp)) {{ {p} pthread_spin_unlock(&sp); }}",
            "if (!pthread_spin_trylock(&sp)) {{ pthread_spin_unlock(&sp); }} else {{ {p} }}",
        ),
        ("pthread_spin_init(&sp, 0);",),
    ),
    "read-write lock": Theme(
        ("pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;",),
        (
            "pthread_rwlock_rdlock(&rw); {p} pthread_rwlock_unlock(&rw);",
            "pthread_rwlock_wrlock(&rw); {p} pthread_rwlock_unlock(&rw);",
            "if (!pthread_rwlock_tryrdlock(&rw)) {{ {p} pthread_rwlock_unlock(&rw); }}",
            "if (!pthread_rwlock_trywrlock(&rw)) {{ {p} pthread_rwlock_unlock(&rw); }} else {{ {p} }}",
        ),
    ),
    "semaphore": Theme(
        ("sem_t s;", _LATER),
        (
            "sem_wait(&s);",
            "sem_wait(&s); {p}",
            "sem_post(&s);",
            "{p} sem_post(&s);",
            "if (!sem_trywait(&s)) {{ {p} }}",
            "if (sem_trywait(&s)) {{ {p} }}",
            "sem_wait(&s); {p} sem_post(&s);",
            "if (!sem_timedwait(&s, &later)) {{ {p} sem_post(&s); }}",
            "{{ int now; sem_getvalue(&s, &now); assert(now != {v}); }}",
        ),
        ("sem_init(&s, 0, {v});",),
    ),
    "condition": Theme(
        ("pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;", "pthread_cond_t c = PTHREAD_COND_INITIALIZER;"),
        (
            "pthread_mutex_lock(&m); while (!x) pthread_cond_wait(&c, &m); {p} pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); if (!x) pthread_cond_wait(&c, &m); {p} pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); {p} pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); pthread_cond_broadcast(&c);",
            "pthread_cond_signal(&c);",
            "pthread_cond_broadcast(&c);",
        ),
    ),
    "barrier": Theme(
        ("pthread_barrier_t b;",),
        ("pthread_barrier_wait(&b);", "{p} pthread_barrier_wait(&b);", "pthread_barrier_wait(&b); {p}", "{p}"),
        ("pthread_barrier_init(&b, 0, 2);",),
    ),
    "once": Theme(
        ("pthread_once_t once = PTHREAD_ONCE_INIT;", "static void first(void) {{ x++; }}"),
        ("pthread_once(&once, first);", "pthread_once(&once, first); {p}", "{p}"),
    ),
    "atomics": Theme(
        ("atomic_int f;",),
        (
            "f = {v};",
            "f++;",
            "assert(f != {v});",
            "if (f == {v}) {{ {p} }}",
            "{p} f = 1;",
            "if (atomic_exchange(&f, {v}) == {v}) {{ {p} }}",
            "{{ int old = {v}; if (atomic_compare_exchange_strong(&f, &old, 2)) {{ {p} }} }}",
        ),
    ),
    "poll": Theme(
        ("atomic_int f;", "atomic_int g;"),
        (
            "while (!f) usleep(1000);",
            "while (!f) sched_yield();",
            "for (int k = 0; k < 2 && !f; k++) usleep(1000);",
            "f = 1;",
            "f = {v};",
            "if (g) f = 1;",
            "g = 1;",
            "{p}",
        ),
    ),
    "key": Theme(
        ("pthread_key_t key;", "static void ended(void *at) {{ x += *(int *)at; }}", "int one = 1;"),
        ("pthread_setspecific(key, &one);", "pthread_setspecific(key, &one); {p}", "{p}"),
        ("pthread_key_create(&key, ended);",),
    ),
}

_PLAIN: Final = ("x = {v};", "y = {v};", "x++;", "y = x;", "assert(x != {v});", "assert(y != {v});", "if (x) y = 1;")

_ENDS: Final = Ends(
    (
        "pthread_exit(0);",
        "pthread_exit(0);",
        "pthread_exit(0);",
        "exit(0);",
        "_exit(0);",
        "exit(3);",
        "_exit(3);",
        "return 3;",
    ),
    joins_apart=False,
    joins_any=False,
)
_LEAVING: Final = ("pthread_exit(0);", "exit(0);", "_exit(0);", "exit(3);", "_exit(3);")


@dataclass(frozen=True, slots=True)
class CProgram:
    """The operations of each thread, and the shared objects."""

    themes: tuple[Theme, ...]
    ready: tuple[str, ...]
    threads: tuple[tuple[str, ...], ...]
    shape: Shape
    number: int = field(default=-1, compare=False)

    def source(self) -> str:
        """The program as text."""
        shape, count = self.shape, len(self.threads)
        lines = [_HEAD, "int x, y;", f"pthread_t {', '.join(f't{number}' for number in range(count))};"]
        lines += dict.fromkeys(
            line.replace("{{", "{").replace("}}", "}") for each in self.themes for line in each.shared
        )
        lines += [f"void *w{number}(void *u);" for number in range(count)]

        def define(head: str, operations: Sequence[str], end: str) -> None:
            lines.append(f"{head} {{")
            lines.extend(f"    PAUSE(); {line}" for line in operations)
            lines.append(f"    PAUSE(); {end}\n}}")

        for number, operations in enumerate(self.threads):
            joins = [f"pthread_join(t{each}, 0);" for each in shape.joined_by(number)]
            define(f"void *w{number}(void *u)", (*self._starts(number), *operations, *joins), "return 0;")
        shows = f'printf("{FINAL} %d %d\\n", x, y); fflush(stdout);'
        for number, operations in enumerate(shape.handlers):
            define(f"void done{number}(void)", operations, shows if shape.shows and number == 0 else "")
        body = [*self.ready, *[f"atexit(done{number});" for number in range(len(shape.handlers))]]
        body += [*self._starts(EARLY), *shape.main, *self._starts(LATE)]
        body += [f"pthread_join(t{each}, 0);" for each in shape.joined_by(MAIN)]
        body += [shows] if shape.shows and not shape.handlers else []
        define("int main(void)", body, shape.end or "return 0;")
        return "\n".join(lines) + "\n"

    def _starts(self, starter: int) -> list[str]:
        """The starts of threads by a thread, which detaches some."""
        return [
            f"pthread_create(&t{each}, 0, w{each}, 0);" + (f" pthread_detach(t{each});" * (each in self.shape.apart))
            for each in self.shape.started_by(starter)
        ]

    def smaller(self) -> list[CProgram]:
        """Programs with one thing less."""
        found = []
        for number, operations in enumerate(self.threads):
            others = self.threads[:number], self.threads[number + 1 :]
            if not self.shape.started_by(number) and len(self.threads) > 1:
                found.append(replace(self, threads=(*others[0], *others[1]), shape=self.shape.without(number)))
            for place in range(len(operations)):
                rest = (*operations[:place], *operations[place + 1 :])
                found.append(replace(self, threads=(*others[0], rest, *others[1])))
        return found + [replace(self, shape=shape) for shape in self.shape.smaller()]


def drawn_in_c(number: int) -> CProgram:
    """The program of that number."""
    chance = random.Random(f"c {number}")
    themes = tuple(THEMES[name] for name in chance.sample(sorted(THEMES), 1 if chance.random() < 0.75 else 2))
    count = 1 if chance.random() < 0.1 else 2 if chance.random() < 0.75 else 3

    def operation() -> str:
        plain = chance.choice(_PLAIN).format(v=chance.randint(0, 2))
        theme = chance.choice(themes)
        return chance.choice(theme.does).format(v=chance.randint(0, 2), p=plain)

    threads = [[operation() for _ in range(chance.randint(1, 2 if count < 3 else 1))] for _ in range(count)]
    if chance.random() < 0.12:
        leaving = chance.choice(threads)
        leaving.insert(chance.randint(0, len(leaving)), chance.choice(_LEAVING))
    shape = drawn_shape(chance, count, _ENDS, operation)
    ready = tuple(line.format(v=chance.randint(0, 2)) for theme in themes for line in theme.ready)
    return CProgram(themes, ready, tuple(map(tuple, threads)), shape, number)
