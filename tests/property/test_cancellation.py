"""Threads that are cancelled wherever they may be: all strategies reach the outcomes of all orders, and no others."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

import pytest
from tests.unit.c_programs import opened

from mazurka.explore.explorer import Budget, Explorer
from mazurka.explore.outcome import Inconclusive, Outcome
from mazurka.program.llvm.program import CProgram
from mazurka.program.protocol import Failure, Run

_PROGRAMS: Final = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 6

#: The most orders of a program that is looked at.
_MOST: Final = 4_000

_HEAD: Final = """
#include <poll.h>
#include <unistd.h>
pthread_t a, b;
sem_t s;
int pipes[2], ready, log_of[3];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_once_t o = PTHREAD_ONCE_INIT;
void note(int thread, int what) { log_of[thread] = log_of[thread] * 10 + what; }
void give_back(void *thread) { note((long)thread, 9); pthread_mutex_unlock(&m); }
void begin(void) { pthread_testcancel(); note(0, 8); }
"""

_STATEMENTS: Final = (
    "sem_wait(&s); note({t}, 1);",
    "sem_wait(&s); note({t}, 1);",
    "note({t}, 2); pthread_testcancel();",
    "{{ char byte; read(pipes[0], &byte, 1); note({t}, 3); }}",
    "{{ struct pollfd f = {{pipes[0], POLLIN}}; poll(&f, 1, -1); note({t}, 4); }}",
    "pthread_mutex_lock(&m); pthread_cleanup_push(give_back, (void *){t}L);"
    "if (!ready) pthread_cond_wait(&c, &m); note({t}, 5); pthread_cleanup_pop(0); pthread_mutex_unlock(&m);",
    "pthread_once(&o, begin); note({t}, 6);",
    "sem_post(&s);",
    "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0); sem_wait(&s); note({t}, 7);"
    "pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, 0);",
)

_OF_MAIN: Final = (
    "sem_post(&s);",
    "sem_post(&s);",
    'write(pipes[1], "x", 1);',
    "pthread_mutex_lock(&m); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_cond_signal(&c); pthread_cancel(a); pthread_mutex_unlock(&m);",
)


def _program(seed: int) -> str:
    """The first thread is cancelled, the second one in the end, too, if there is one."""
    draw = random.Random(seed)
    both = draw.random() < 0.4
    threads = []
    for number in range(1 + both):
        body = " ".join(draw.choice(_STATEMENTS).format(t=number) for _ in range(draw.choice((1, 1, 2)) if both else 2))
        if number and draw.random() < 0.4:
            body = "pthread_join(a, 0); note(1, 2);"
        threads.append(f"void *work_{number}(void *z) {{ {body} return 0; }}")
    steps = [draw.choice(_OF_MAIN) for _ in range(draw.randint(0, 1 if both else 2))]
    steps.insert(draw.randint(0, len(steps)), "pthread_cancel(a);")
    joins_a = "(result == PTHREAD_CANCELED)" if not any("pthread_join(a" in each for each in threads) else "0"
    ends = ["void *result = 0, *other = 0;"]
    ends += ["pthread_cancel(b); pthread_join(b, &other);"] if both else []
    ends += ["pthread_join(a, &result);"] if joins_a != "0" else []
    lines = [
        "int main(void) {",
        "sem_init(&s, 0, 0); pipe(pipes);",
        "pthread_create(&a, 0, work_0, 0);",
        *(["pthread_create(&b, 0, work_1, 0);"] if both else []),
        *steps,
        *ends,
        f'printf("%d %d %d %d", log_of[0], log_of[1], {joins_a}, other == PTHREAD_CANCELED); }}',
    ]
    return "\n".join([_HEAD, *threads, *lines])


def _outcomes(program: CProgram, strategy: str) -> tuple[set[str], Outcome]:
    found: set[str] = set()

    def look(run: Run) -> Failure | None:
        if not (run.found_new_points or run.truncated or run.divergence):
            found.add(run.failures[0].kind.value if run.failures else run.output)
        return None

    explorer = Explorer(program, strategy, stop_at_first=False, postcondition=look, budget=Budget(_MOST))
    return found, explorer.run()


@pytest.mark.parametrize("seed", range(_PROGRAMS))
def test_all_strategies_reach_the_outcomes_of_all_orders(seed: int, tmp_path: Path) -> None:
    text = _program(seed)
    known, whole = _outcomes(opened(tmp_path, text), "dfs")
    for strategy in ("dpor", "unfolding", "mcr", "dpor-rf", "se-mcr"):
        found, outcome = _outcomes(opened(tmp_path, text), strategy)
        assert not whole.complete or found <= known, (strategy, text)
        if not isinstance(outcome.verdict, Inconclusive):
            assert known <= found, (strategy, text)
        else:
            assert strategy not in ("dpor", "unfolding"), (outcome.verdict, text)
