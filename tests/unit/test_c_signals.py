"""Signals that threads raise in themselves: handlers, masks, and jumps out of handlers."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.c_programs import executed

TEXT = """
#include <setjmp.h>
#include <signal.h>
static volatile int depth, most, calls, rounds = 1;
static sigjmp_buf out;
static void handle(int number) {
    if (++depth > most) most = depth;
    calls++;
    if (rounds-- > 0) raise(number);
    depth--;
}
static void jump(int number) { calls++; siglongjmp(out, 1); }
int main(void) {
    struct sigaction s = {0};
    sigset_t set, found;
    sigemptyset(&set); sigaddset(&set, SIGUSR1);
    s.sa_handler = handle;
    %s
    return 0;
}
"""

PROGRAMS = {
    "a handler is not interrupted by its own signal": (
        "signal(SIGUSR1, handle); raise(SIGUSR1); assert(calls == 2 && most == 1);"
    ),
    "a handler is interrupted by its own signal if it may be": (
        "s.sa_flags = SA_NODEFER; sigaction(SIGUSR1, &s, 0); raise(SIGUSR1); assert(calls == 2 && most == 2);"
    ),
    "a blocked signal takes effect later, once": (
        "rounds = 0; signal(SIGUSR1, handle); pthread_sigmask(SIG_BLOCK, &set, 0); raise(SIGUSR1); raise(SIGUSR1);"
        " sigpending(&found); assert(calls == 0 && sigismember(&found, SIGUSR1));"
        " pthread_sigmask(SIG_UNBLOCK, &set, 0); assert(calls == 1);"
    ),
    "a signal that the action blocks": (
        "rounds = 0; s.sa_mask = set; sigaction(SIGUSR2, &s, 0); signal(SIGUSR1, handle);"
        " raise(SIGUSR2); assert(calls == 1); raise(SIGUSR1); assert(calls == 2);"
    ),
    "a jump puts the mask back": (
        "signal(SIGUSR1, jump); for (volatile int n = 0; n < 2; n++) if (!sigsetjmp(out, 1)) raise(SIGUSR1);"
        " assert(calls == 2);"
    ),
    "a jump that leaves the mask": (
        "signal(SIGUSR1, jump); for (volatile int n = 0; n < 2; n++) if (!sigsetjmp(out, 0)) raise(SIGUSR1);"
        " assert(calls == 1);"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_signals(name: str, tmp_path: Path) -> None:
    run = executed(tmp_path, TEXT % PROGRAMS[name])
    assert not run.failures, run.failures[0].message
    assert not run.truncated
