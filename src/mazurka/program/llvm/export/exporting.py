"""A failing execution of a C program as a program in C of its own, whose threads take their steps in that order.

An execution is cut into *turns*: steps of one thread in succession. A thread that comes to the first step of a turn
ends its turn before and waits for a semaphore, which the end of the turn before that one posts. Steps are counted by
each thread, in the machine as in the program written here, from the first start of a thread on. A wait within a call
(for a condition variable, at a barrier) ends the turn before the call, and begins the next after it.

Not exported: executions under TSO and PSO, with unknown inputs, time limits or sleeps, and C++.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mazurka.errors import UsageError
from mazurka.program.llvm.export.writing import CWriter
from mazurka.program.llvm.ir.module import Module
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.undeclared import ASSUMPTIONS, SECTION_BEGINS, SECTION_ENDS
from mazurka.program.protocol import Failure, FailureKind, Run
from mazurka.trace.event import Op

#: Functions of the library that the program written defines.
_REPLACED: Final = {
    "pthread_create": "mz_create",
    "pthread_exit": "mz_exit",
    "pthread_cond_wait": "mz_wait",
    "reach_error": "mz_error",
    "__VERIFIER_error": "mz_error",
    **dict.fromkeys(ASSUMPTIONS, "mz_assume"),
    **dict.fromkeys((*SECTION_BEGINS, *SECTION_ENDS), "mz_nothing"),
    "sched_yield": "mz_zero",
}

#: Functions whose outcome the order of steps does not decide.
_TIMED: Final = (
    *("pthread_cond_timedwait", "pthread_mutex_timedlock", "sem_timedwait", "sleep", "usleep", "nanosleep"),
    *("poll", "select"),
)


class Turn(NamedTuple):
    """The first step of a turn: its thread, its number among those of the thread (0: the thread's start), and whether
    it lies within the call that the step is."""

    thread: int
    step: int
    is_inside: bool


def turns_of(log: Sequence[Any], steps: Mapping[int, Sequence[int]]) -> list[Turn]:
    """The turns of an execution. ``steps`` are the lengths of the log before each step of a thread."""
    turns: list[Turn] = []
    seen: set[tuple[int, int]] = set()  # steps that have had an effect
    before = -1
    for index, (thread, op, *_) in enumerate(log):
        if op is Op.END:
            continue  # its thread ends whenever it can
        step = bisect_right(steps.get(thread, ()), index)
        if thread != before:
            turns.append(Turn(thread, step, (thread, step) in seen))
        before = thread
        if op is not Op.READ:
            seen.add((thread, step))
    return turns


def exported(
    module: Module, run: Run, steps: Mapping[int, Sequence[int]], failure: Failure, arguments: Sequence[str]
) -> str:
    """The text of the program.

    Raises :class:`~mazurka.errors.UsageError` for executions and programs that can't be exported.
    """
    timed = [each for each in _TIMED if each in module.functions]
    if timed:
        raise refused(f"it calls {timed[0]}(), whose outcome is not decided by the order of steps")
    try:
        text = CWriter(module, _REPLACED).text()
    except Unsupported as error:
        raise refused(f"it has {error}, which is not supported") from None
    turns = turns_of(run.log, steps)
    threads = sorted({turn.thread for turn in turns})
    ended = {entry[0] for entry in run.log if entry[1] is Op.END}
    stays = failure.kind in (FailureKind.DEADLOCK, FailureKind.BLOCKED)
    failing = next((index for index, name in enumerate(run.tasks) if name == failure.thread), 0)
    count = max([*threads, len(run.tasks) - 1]) + 1
    last = [-1] * count
    for index, (thread, op, *_) in enumerate(run.log):
        if op is not Op.END:
            last[thread] = bisect_right(steps.get(thread, ()), index)
    parked = [int(not stays and thread not in ended and thread != failing) for thread in range(count)]
    main = module.functions["main"]
    given = ", ".join(("count", "(u8 *)given", "(u8 *)environment")[: len(main.parameters)])
    result = "" if str(main.result) == "void" else "status = (int)"
    values = {
        "@MESSAGE@": " ".join(failure.message.split()).replace("*/", "* /"),
        "@TURNS@": ", ".join(f"{{{turn.thread}, {turn.step}, {int(turn.is_inside)}}}" for turn in turns),
        "@THREADS@": str(count),
        "@LAST@": ", ".join(map(str, last)),
        "@PARKED@": ", ".join(map(str, parked)),
        "@PROGRAM@": text,
        "@ARGUMENTS@": ", ".join(json.dumps(each) for each in arguments),
        "@CALL@": f"{result}f_main({given});",
        "@WAITS@": str(int(failing != 0)),
    }
    found = _TEXT
    for name, value in values.items():
        found = found.replace(name, value)
    return found


def refused(reason: str) -> UsageError:
    """The error that an execution can't be exported."""
    return UsageError("not-exportable", reason, where="replay --export")


_TEXT: Final = r"""/* @MESSAGE@

   Written by Mazurka: a program whose threads are forced, by semaphores, to take their steps in the order in which it
   fails. Its status is not 0, each time. For Linux on x86-64:

       cc -w -pthread this.c -lm && ./a.out

   Accesses to memory that is not the program's show with -fsanitize=address. */

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned __int128 u128;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef __int128 i128;
typedef u8 a8;
typedef u16 a16 __attribute__((may_alias));
typedef u32 a32 __attribute__((may_alias));
typedef u64 a64 __attribute__((may_alias));
typedef u128 a128 __attribute__((may_alias));
typedef u8 *aptr __attribute__((may_alias));

/* -- the order of the threads ------------------------------------------------------------------------------------- */

/* The turns: the thread, the number of its step that begins the turn, and whether that is within a call. */
static const struct { int thread, step, inside; } mz_turns[] = {@TURNS@};
#define MZ_COUNT ((int)(sizeof mz_turns / sizeof *mz_turns))

/* The last step of each thread in this order, and whether it may not go on after that. */
static const int mz_last[@THREADS@] = {@LAST@}, mz_parked[@THREADS@] = {@PARKED@};

static sem_t mz_begin[MZ_COUNT], mz_never;
static int mz_started, mz_threads;
static __thread int mz_me, mz_steps, mz_now = -1, mz_next, mz_pending;

static int mz_find(int from) {
  while (from < MZ_COUNT && mz_turns[from].thread != mz_me) from++;
  return from;
}

/* The running thread's turn ends. */
static void mz_finish(void) {
  int now = mz_now;
  mz_now = -1;
  if (now >= 0 && now + 1 < MZ_COUNT) sem_post(&mz_begin[now + 1]);
}

/* It waits for its next one. */
static void mz_await(void) {
  while (sem_wait(&mz_begin[mz_next]));
  mz_now = mz_next;
  mz_next = mz_find(mz_next + 1);
}

static void mz_stay(void) {
  mz_finish();
  for (;;) sem_wait(&mz_never);
}

/* The running thread comes to a step. */
static void mz_step(void) {
  if (!__atomic_load_n(&mz_started, __ATOMIC_SEQ_CST)) return;
  mz_steps++;
  if (mz_next < MZ_COUNT && mz_turns[mz_next].step == mz_steps && !mz_turns[mz_next].inside) {
    mz_finish();
    mz_await();
  }
  if (mz_next < MZ_COUNT && mz_turns[mz_next].step == mz_steps) {
    mz_finish();
    mz_pending = 1;
  } else if (mz_next == MZ_COUNT && mz_steps > mz_last[mz_me]) {
    mz_finish();
    if (mz_parked[mz_me]) mz_stay();
  }
}

/* It comes back from a call. */
static void mz_after(void) {
  if (mz_pending) {
    mz_pending = 0;
    mz_await();
  }
}

struct mz_start { u8 *function, *argument; int number; };

static void *mz_run(void *given) {
  struct mz_start start = *(struct mz_start *)given;
  free(given);
  mz_me = start.number;
  mz_next = mz_find(0);
  if (mz_next < MZ_COUNT && mz_turns[mz_next].step == 0) mz_await();
  else if (mz_next == MZ_COUNT && mz_parked[mz_me]) mz_stay();
  void *result = ((void *(*)(void *))start.function)(start.argument);
  mz_finish();
  return result;
}

static u32 mz_create(u8 *thread, u8 *attributes, u8 *function, u8 *argument) {
  struct mz_start *start = malloc(sizeof *start);
  start->function = function;
  start->argument = argument;
  start->number = ++mz_threads;
  __atomic_store_n(&mz_started, 1, __ATOMIC_SEQ_CST);
  return pthread_create((pthread_t *)thread, (pthread_attr_t *)attributes, mz_run, start);
}

static void mz_exit(u8 *result) {
  mz_finish();
  pthread_exit(result);
}

static u32 mz_wait(u8 *condition, u8 *mutex) {
  if (!mz_started) return pthread_cond_wait((pthread_cond_t *)condition, (pthread_mutex_t *)mutex);
  pthread_mutex_unlock((pthread_mutex_t *)mutex);
  if (!mz_pending) mz_stay(); /* no thread wakes it in this order */
  mz_after();
  return pthread_mutex_lock((pthread_mutex_t *)mutex);
}

static void mz_error(void) {
  fprintf(stderr, "reach_error() is called\n");
  abort();
}

static void mz_assume(u32 holds) {
  if (!holds) mz_stay();
}

static void mz_nothing(void) {}

static u32 mz_zero(void) { return 0; }

static void mz_stuck(int signal) {
  static const char text[] = "the threads wait for ever\n";
  if (write(2, text, sizeof text - 1)) _exit(1);
  _exit(1);
}

/* -- the program -------------------------------------------------------------------------------------------------- */

@PROGRAM@
int main(int count, char **given, char **environment) {
  static char *arguments[] = {@ARGUMENTS@, 0};
  given = arguments;
  count = (int)(sizeof arguments / sizeof *arguments) - 1;
  for (int each = 0; each < MZ_COUNT; each++) sem_init(&mz_begin[each], 0, 0);
  sem_init(&mz_never, 0, 0);
  mz_now = 0;
  mz_next = mz_find(1);
  signal(SIGALRM, mz_stuck);
  alarm(5);
  mz_relocate();
  int status = 0;
  @CALL@
  if (@WAITS@) mz_stay(); /* another thread fails */
  return status;
}
"""
