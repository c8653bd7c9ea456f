"""Memory models: the stores that other threads may see late, and their encoding in a run's log.

========  =============================================================================================
SC        every store reaches memory at once
TSO       each thread has one queue of stores on their way to memory (x86: Owens, Sarkar, Sewell, TPHOLs 2009)
PSO       each thread has one queue for each location (SPARC V8, chapter 6): stores to different locations overtake
========  =============================================================================================

A thread sees its own stores at once (*forwarding*). Fences, indivisible updates, everything that synchronises, and the
start and end of threads wait until the thread's queues are empty (*drained*).

The encoding. Explorers know nothing of memory models: they know threads of steps that read and write targets, and
assume that a thread's next step follows from its steps and reads so far. To them, a run under TSO or PSO is such a run:

- A queue is a thread of its own, a *flusher*, named after its owner: ``0.1~`` under TSO, ``0.1~2`` for the second
  location that 0.1 stored to under PSO. Its steps are the moments at which stores reach memory.
- The n-th store of a queue is a step that writes ``("store", flusher, n)`` and nothing else; only the queue can observe
  when it happens, so it needs no point.
- A flusher turns to its n-th store by reading ``("store", flusher, n)``, as early as possible and so without a point;
  its step after that is one: it writes the location and ``("flushed", flusher, n)``.
- A read of a location whose latest store by the same thread may still be on its way first reads
  ``("flushed", flusher, n)``: the initial value says that the store is in the queue, and its value is the result of the
  read; otherwise a second step reads the location. The thread then knows, and does not ask again until its next store.
- Draining reads ``("flushed", ...)`` of the latest stores not known to have arrived. It waits for them as a join does
  for a thread, and so needs no point either.

Hence program order and reads-from still say everything, and every explorer, solver, replay and checker is right under
TSO and PSO without a line about them. Departs from the dissertation of S. Huang, 3.3.1, which adds order constraints
between a thread's accesses instead and so loses forwarding; its replay (Alg. 1-3) is the replay of any schedule here.

Cost: two steps more for each store, and one for a read of a location that the thread itself has stored to since it last
drained.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from mazurka.trace.targets import FLUSHED, STORE, Target

_MARK: Final = "~"


class MemoryModel(Enum):
    """The memory models, which the module describes; the values are their names in settings."""

    SC = "sc"
    TSO = "tso"
    PSO = "pso"

    @property
    def words(self) -> str:
        """The words that complete "under ..."."""
        return "sequential consistency" if self is MemoryModel.SC else self.name


def flusher(thread: str, number: int = 0) -> str:
    """The name of a thread's queue; under PSO ``number`` says for which of its locations, counted from 1."""
    return f"{thread}{_MARK}{number or ''}"


def is_flusher(name: str) -> bool:
    """Whether a thread's name is that of a store queue."""
    return _MARK in name


def owner_of(name: str) -> str:
    """The name of the thread whose stores a flusher carries; the name of any other thread is returned unchanged."""
    return name.partition(_MARK)[0]


def store_target(queue: str, number: int) -> Target:
    """The target that the ``number``-th store into a queue writes."""
    return (STORE, queue, number)


def flushed_target(queue: str, number: int) -> Target:
    """The target whose value says whether the ``number``-th store into a queue has reached memory."""
    return (FLUSHED, queue, number)
