"""Traces of any length, drawn at random, on which the streaming orders are measured.

The first thread forks the others, all work, the first joins them. Work is accesses of a thread's own variables, and
critical sections in which the variables of the lock are accessed (`x` belongs to lock `x % locks`); a small share of
accesses goes to any variable, guarded or not: these race. Sections nest sometimes. Traces are well-formed: a lock is
held by one thread at a time and given back by it, a thread acts between its fork and its join.

Targets share one number space: threads first, then locks, then variables (:class:`Numbers`). The same shape gives the
same trace whatever the size of the chunks it is drawn in. Cost: about 25 ns an event, once compiled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numba
import numpy as np

from mazurka.trace.event import Op

_READ, _WRITE, _ACQUIRE, _RELEASE = int(Op.READ), int(Op.WRITE), int(Op.ACQUIRE), int(Op.RELEASE)
_FORK, _JOIN, _BEGIN, _END = int(Op.FORK), int(Op.JOIN), int(Op.BEGIN), int(Op.END)

#: How many locks a thread holds at once, at most.
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters of a generated trace; lengths are in events, shares between 0 and 1."""

    length: int
    threads: int = 16
    locks: int = 100
    variables: int = 100_000
    accesses: float = 0.85  # share of events that read or write
    writes: float = 0.3  # share of accesses that write
    section: float = 6.0  # accesses within a critical section, on average
    nesting: float = 0.02  # chance that an access within a section is an inner section instead
    stray: float = 0.0001  # share of accesses that go to any variable, whatever guards it
    burst: float = 20.0  # events that a thread does in a row, on average
    skew: float = 3.0  # 1: all variables alike; the greater, the fewer get most of the accesses
    seed: int = 1


class Columns(NamedTuple):
    """Some consecutive events."""

    thread: Any
    op: Any
    target: Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """How many threads and targets there are, and which thread a target is (-1: none)."""

    threads: int
    targets: int
    thread_of_target: Any


def numbers_of(shape: Shape) -> Numbers:
    targets = shape.threads + shape.locks + shape.variables
    thread_of_target = np.full(targets, -1, np.int32)
    thread_of_target[: shape.threads] = np.arange(shape.threads)
    return Numbers(shape.threads, targets, thread_of_target)


def chunks_of(shape: Shape, size: int = 1 << 22) -> Iterator[Columns]:
    """The trace in consecutive pieces of ``size`` events (the last may be shorter)."""
    state = _State(
        np.array([0, 0, 0, shape.seed * 0x9E3779B97F4A7C15 % (1 << 63) | 1], np.uint64),
        np.full((shape.threads, _DEEPEST), -1, np.int64),
        np.zeros(shape.threads, np.int64),
        np.zeros(shape.threads, np.int8),
        np.full(shape.locks, -1, np.int64),
    )
    while True:
        columns = Columns(np.empty(size, np.int32), np.empty(size, np.int8), np.empty(size, np.int32))
        filled = _fill(columns, state, _chances(shape))
        if filled:
            yield Columns(*(column[:filled] for column in columns))
        if filled < size:
            return


def columns_of(shape: Shape) -> Columns:
    """The whole trace."""
    return Columns(*(np.concatenate(parts) for parts in zip(*chunks_of(shape), strict=True)))


class _State(NamedTuple):
    """The state that is carried from chunk to chunk."""

    registers: Any  # events so far, present thread, how often the last phase has been at work, random numbers
    held: Any  # by thread and depth: the lock
    depth: Any  # by thread
    life: Any  # by thread: not forked, forked, begun, ended, joined
    holder: Any  # by lock: the thread, or -1


class _Chances(NamedTuple):
    length: int
    variables: int
    writes: float
    enter: float
    leave: float
    nesting: float
    stray: float
    switch: float
    skew: float


def _chances(shape: Shape) -> _Chances:
    inside = shape.section
    outside = max(2 * shape.accesses / max(1 - shape.accesses, 1e-9) - inside, 0.0)
    return _Chances(
        shape.length,
        shape.variables,
        shape.writes,
        1 / (1 + outside),
        1 / (1 + inside),
        shape.nesting,
        shape.stray,
        1 / shape.burst,
        shape.skew,
    )


_jit: Any = numba.njit(cache=True, nogil=True)


@_jit
def _random(registers):  # numba's
    """A number from [0, 1): xorshift64*."""
    x = registers[3]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    registers[3] = x
    return float((x * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(11)) / 9007199254740992.0


@_jit
def _pick(registers, count):
    return int(_random(registers) * count)


@_jit
def _skewed(registers, count, skew):
    return int(_random(registers) ** skew * count)


@_jit
def _fill(columns, state, chances):
    """Draw events until the columns are full or the trace has ended; how many."""
    registers = state.registers
    size = len(columns.thread)
    for row in range(size):
        number = int(registers[0])
        if number + 4 * len(state.depth) * _DEEPEST >= chances.length:
            thread, op, target = _winding_up(state)
            if thread < 0:
                return row
        else:
            thread, op, target = _next(state, chances)
        columns.thread[row] = thread
        columns.op[row] = op
        columns.target[row] = target
        registers[0] += np.uint64(1)
    return size


@_jit
def _next(state, chances):
    registers, life = state.registers, state.life
    threads = len(life)
    if life[0] == 0:
        life[0] = 2
        return 0, _BEGIN, 0
    number = int(registers[0])
    if number < threads:
        life[number] = 1
        return 0, _FORK, number
    if _random(registers) < chances.switch:
        registers[1] = np.uint64(_pick(registers, threads))
    thread = int(registers[1])
    if life[thread] == 1:
        life[thread] = 2
        return thread, _BEGIN, thread
    depth = state.depth[thread]
    if depth and _random(registers) < chances.leave:
        return _leave(state, thread)
    chance = chances.nesting if depth else chances.enter
    if depth < _DEEPEST and _random(registers) < chance:
        lock = _pick(registers, len(state.holder))
        if state.holder[lock] < 0:
            state.holder[lock] = thread
            state.held[thread, depth] = lock
            state.depth[thread] += 1
            return thread, _ACQUIRE, threads + lock
    op = _WRITE if _random(registers) < chances.writes else _READ
    return thread, op, threads + len(state.holder) + _variable(state, chances, thread)


@_jit
def _leave(state, thread):
    state.depth[thread] -= 1
    lock = state.held[thread, state.depth[thread]]
    state.holder[lock] = -1
    return thread, _RELEASE, len(state.depth) + lock


@_jit
def _variable(state, chances, thread):
    """The first half of the variables are the locks', the second the threads' own."""
    registers, threads, locks = state.registers, len(state.depth), len(state.holder)
    guarded = chances.variables // 2
    if _random(registers) < chances.stray:
        return _skewed(registers, chances.variables, chances.skew)
    depth = state.depth[thread]
    if depth and guarded >= locks:
        lock = state.held[thread, depth - 1]
        return lock + locks * _skewed(registers, guarded // locks, chances.skew)
    own = max((chances.variables - guarded) // threads, 1)
    return min(guarded + thread * own + _skewed(registers, own, chances.skew), chances.variables - 1)


@_jit
def _winding_up(state):
    """Give back all locks, end all threads, join them; thread -1 when that is done."""
    life = state.life
    for thread in range(len(life) - 1, -1, -1):
        if state.depth[thread]:
            return _leave(state, thread)
    for thread in range(1, len(life)):
        if life[thread] == 1:
            life[thread] = 2
            return thread, _BEGIN, thread
        if life[thread] == 2:
            life[thread] = 3
            return thread, _END, thread
        if life[thread] == 3:
            life[thread] = 4
            return 0, _JOIN, thread
    if life[0] == 2:
        life[0] = 3
        return 0, _END, 0
    return -1, 0, 0
