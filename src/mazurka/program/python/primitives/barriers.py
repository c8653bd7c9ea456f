"""An abstract model of ``threading.Barrier``: a step takes a place in a round, and others wait until all are taken.

CPython's own barrier is a counter and a condition. Each thread takes its lock to arrive, again when it is woken, and
threads that are early for the next round wait until all of the last one have left; orders of all these steps have to be
explored, though a program sees nothing of them. In the model a thread takes the next place (a step), says that it has
arrived there, and waits for the arrivals at all places of its round. Only the first step is a point: just threads that
wait for an arrival notice it, so it can be moved to just behind the step before it.

Why this is exact. In CPython's code, too, a thread goes on when all of its round have arrived. That those of a new
round wait until all of the last one have left delays them; each of these needs nothing but the lock to leave. So an
execution of the model becomes one of CPython's code if all threads of a round leave as soon as it is over, and
conversely.

Two things show the order of arrivals: the number that ``wait`` returns, if it is used, and the round that a thread is
in, if more threads use the barrier than it has parties; otherwise a round consists of one arrival of each. Where no
execution shows either, arrivals commute: then the first step changes nothing, for searches that know steps by their
conflicts alone (``Plan.relates``). If an execution shows one of them, the search begins again.

With other uses CPython's own code is run: an action, limits of time, ``abort``, ``reset``, looks at the state while
there are other threads, subclasses, any way in which the program gets at the condition. As for queues, where an
execution meets such a use, this is learnt for the barrier, and the search begins again.

Steps: see the table in ``docs/reference/primitives.md``. Source: ``Lib/threading.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import dis
import threading
from collections.abc import Callable
from functools import lru_cache
from sys import _getframe
from types import CodeType
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python.primitives import locks
from mazurka.program.python.primitives.abstract_models import AbstractModel, mark_of
from mazurka.program.python.primitives.conditions import look_at_lock
from mazurka.program.python.primitives.private import Private, replace
from mazurka.program.python.primitives.run import Models, PrimitiveState, here, model_of
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op
from mazurka.trace.targets import BARRIER, Kind, Target

#: The methods of CPython.
_original: Final[dict[tuple[type, str], Any]] = {}


class Rendezvous(AbstractModel):
    """The state inside one run of a barrier that is run abstractly."""

    __slots__ = ("arrived", "members", "parties", "state")

    kind = "barrier"

    def __init__(self, models: Models, state: PrimitiveState, lock: locks.Lock, parties: int) -> None:
        super().__init__(models, lock)
        self.state = state
        self.parties = parties
        self.arrived = 0
        self.members: set[int] = set()  # the threads that have arrived

    def look(self) -> bool:
        """Look at the state; false if other threads may change it meanwhile."""
        runtime = self.models.runtime
        if has_concurrent_threads(runtime):
            return False
        runtime.visit(Op.READ, self._count, 0, point=True)
        return True

    def wait(self, shows: bool) -> int:
        """Arrive, and wait for the other parties; ``shows``: the program uses the result."""
        runtime, parties = self.models.runtime, self.parties
        self.calls += 1
        self.members.add(runtime.current.index)
        if shows or len(self.members) > parties:
            runtime.need_points(mark_of("arrivals", self.number))
        commutes = runtime.relates and mark_of("arrivals", self.number) not in runtime.points
        runtime.visit(Op.READ if commutes else Op.RMW, self._count, 0, point=True)
        number, place = divmod(self.arrived, parties)
        self.arrived += 1
        runtime.record_value(self.arrived)
        runtime.visit(Op.WRITE, self._arrival(number, place), 0, point=False)
        for each in range(parties):
            self._await(number, each)
        self.calls -= 1
        return place

    def _await(self, number: int, place: int) -> None:
        """Wait for the arrival at a place of a round."""
        runtime, least = self.models.runtime, number * self.parties + place
        came = self._arrival(number, place)
        runtime.block(Op.READ, came, lambda: self.arrived > least, waiting_for=self.state, point=False)

    @property
    def _count(self) -> Target:
        return (Kind.ROUND.tag, self.number)

    def _arrival(self, number: int, place: int) -> Target:
        return (Kind.ARRIVAL.tag, self.number, number, place)


def _rendezvous_of(thing: Any) -> Rendezvous | None:
    """The model of a barrier in this run; None if CPython's own code is to run the barrier."""
    models = here()
    if models is None:
        return None
    runtime, found = models.runtime, thing.__dict__.get("_mz_rendezvous")
    if runtime.solo or runtime.is_recording:
        return None
    if found is None or found.models is not models:
        found = None if runtime.aborting else _begin(models, thing)
    if found is None or found.mark in runtime.points:
        return None
    if runtime.aborting:
        raise GreenletExit
    return found  # type: ignore[no-any-return]


def _begin(models: Models, thing: Any) -> Rendezvous | None:
    """Begin to run a barrier abstractly, if it is as it was made."""
    space = thing.__dict__
    condition, parties = space.get("_cond"), space.get("_parties")
    if type(thing) is not threading.Barrier or type(condition) is not threading.Condition or type(parties) is not int:
        return None
    lock = condition.__dict__["_lock"]
    if parties < 1 or space["_action"] is not None or space["_timeout"] is not None or type(lock) is not locks.Lock:
        return None
    if (space["_state"], space["_count"]) != (0, 0) or (lock._models is models and not lock._free()):
        return None
    if mark_of(Rendezvous.kind, lock._number) in models.runtime.points:
        return None
    found = space["_mz_rendezvous"] = Rendezvous(models, model_of(thing, models, BARRIER), lock, parties)
    return found


# -- methods -----------------------------------------------------------------------------------------------------------


def wait(self: Any, timeout: float | None = None) -> int:
    """``Barrier.wait``: by the model, unless the call may time out."""
    found = _rendezvous_of(self)
    if found is not None:
        if timeout is None:
            frame = _getframe(1)
            return found.wait(not _drops_result(frame.f_code, frame.f_lasti))
        found.give_up()
    return _by_cpython(self, "wait", timeout)  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)
def _drops_result(code: CodeType, offset: int) -> bool:
    """Whether the instruction is a call ``x.wait()`` whose result is dropped at once."""
    instructions = list(dis.get_instructions(code))
    at = sum([1 for each in instructions if each.offset <= offset]) - 1  # the offset may be that of a cache behind it
    if instructions[at].opname != "CALL" or instructions[at].arg != 0 or instructions[at + 1].opname != "POP_TOP":
        return False
    loaded = at - 1
    while loaded > 0 and instructions[loaded].opname in ("PRECALL", "PUSH_NULL"):
        loaded -= 1
    return instructions[loaded].opname in ("LOAD_METHOD", "LOAD_ATTR") and instructions[loaded].argval == "wait"


def _by_cpython(thing: Any, name: str, *args: Any) -> Any:
    """CPython's own method, on a barrier whose state from before the run is put back after it."""
    models = here()
    if models is not None:
        model_of(thing, models, BARRIER)
    return _original[threading.Barrier, name](thing, *args)


def _changing(name: str) -> Callable[[Any], None]:
    def change(self: Any) -> None:
        found = _rendezvous_of(self)
        if found is not None:
            found.give_up()
        _by_cpython(self, name)

    return change


def n_waiting(self: Any) -> int:
    """``Barrier.n_waiting`` reads the barrier's lock."""
    found = _rendezvous_of(self)
    if found is not None:
        if found.look():
            return found.arrived % found.parties
        found.give_up()
    look_at_lock(self._cond)
    return int(_original[threading.Barrier, "n_waiting"].fget(self))


def broken(self: Any) -> bool:
    """``Barrier.broken`` reads the barrier's lock."""
    found = _rendezvous_of(self)
    if found is not None:
        if found.look():
            return False
        found.give_up()
    look_at_lock(self._cond)
    return bool(_original[threading.Barrier, "broken"].fget(self))


#: class -> attribute -> its replacement.
REPLACEMENTS: Final[dict[type, dict[str, Any]]] = {
    threading.Barrier: {
        "wait": wait,
        "reset": _changing("reset"),
        "abort": _changing("abort"),
        "n_waiting": property(n_waiting),
        "broken": property(broken),
        "_state": Private("_state"),
        **{name: Private(name) for name in ("_count", "_parties", "_timeout", "_action")},
    },
}


def install() -> Callable[[], None]:
    """Replace the methods; returns the function that puts the real ones back."""
    return replace(REPLACEMENTS, _original)
