"""The operational meaning of a small program: explicit states, one visible operation at a time.

A :class:`Machine` is one state that can move. ``enabled()`` says which threads can, ``move(t)`` performs the visible
operation thread ``t`` stands before and everything local after it, and returns the access as ``(op, target, value,
more)``. Locals start at 0. A failed assertion ends its thread (locks stay held).

Conditions are CPython's: a waiter queues up and gives the lock back in one step, a notification takes waiters in the
order in which they came, and a notified waiter then competes for the lock.

Relaxed memory is the abstract machine of x86-TSO (Owens, Sarkar, Sewell, TPHOLs 2009) and its PSO counterpart (SPARC
V8, appendix D): a store goes to the end of the thread's buffer; a load takes the newest entry of its own buffer for the
location, or else the value in memory; at any time the oldest entry (TSO), or the oldest for a location (PSO), may move
to memory, which is a move of ``(t, "")`` resp. ``(t, location)``. All other operations need an empty buffer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.oracle.language import Instruction, SmallProgram

from mazurka.commute.effects import effect_of
from mazurka.commute.registry import shared_type
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Access
from mazurka.trace.event import Op
from mazurka.trace.literals import text_of, value_of
from mazurka.trace.logged_calls import LoggedCall
from mazurka.trace.targets import INVOKED

#: Not started, running, ended, died of a failed assertion.
UNBORN, RUNNING, ENDED, DIED = range(4)

#: Instructions that touch nothing shared.
_LOCAL = frozenset({"set", "unless", "jump", "assert", "zero", "round"})

#: Instructions that a thread may have to wait at.
_WAITING = frozenset({"lock", "relock", "wake", "down", "join"})

#: Instructions a thread may pass while stores of its are on their way.
_BUFFERED = frozenset({"read", "write"})

Touched = tuple[Op, tuple[Any, ...], Any, tuple[Access, ...]]

#: Who can move: a thread, or a thread's stores (all, or those to one location).
Mover = int | tuple[int, str]


class Machine:
    """A state of a program; thread 0 is main."""

    def __init__(self, program: SmallProgram, model: MemoryModel = MemoryModel.SC) -> None:
        self.program = program
        self.model = model
        self.code = [compiled.instructions for compiled in program.code]
        count = len(self.code)
        self.status = [UNBORN] * count
        self.pc = [0] * count
        self.locals: list[tuple[Any, ...]] = [(0,) * len(compiled.names) for compiled in program.code]
        self.shared: dict[str, Any] = dict(program.initial)
        self.owner: dict[str, int] = {}
        self.counts: dict[str, int] = dict(program.semaphores)
        self.things: dict[str, str] = {  # the texts of their states
            name: text_of(shared_type(kind).initials[0]) for name, kind in program.things.items()
        }
        self.queues: dict[str, tuple[tuple[int, int], ...]] = {}
        self.waits = [0] * count
        self.woken: set[tuple[int, int]] = set()
        self.failed: list[str] = [""] * count
        self.buffers: list[tuple[tuple[str, Any], ...]] = [()] * count  # oldest first
        self._start(0)

    # -- copies ---------------------------------------------------------------------------------------------------

    def freeze(self) -> tuple[Any, ...]:
        """This state as a hashable value."""
        return (
            tuple(self.status),
            tuple(self.pc),
            tuple(self.locals),
            tuple(sorted(self.shared.items())),
            tuple(sorted(self.owner.items())),
            tuple(sorted(self.counts.items())),
            tuple(sorted(self.queues.items())),
            tuple(self.waits),
            tuple(sorted(self.woken)),
            tuple(self.failed),
            tuple(self.buffers),
            tuple(sorted(self.things.items())),
        )

    def thaw(self, state: tuple[Any, ...]) -> None:
        """Go to a frozen state."""
        status, pc, values, shared, owner, counts, queues, waits, woken, failed, buffers, things = state
        self.status, self.pc = list(status), list(pc)
        self.locals = list(values)
        self.shared, self.owner, self.queues = dict(shared), dict(owner), dict(queues)
        self.counts = dict(counts)
        self.waits, self.woken, self.failed = list(waits), set(woken), list(failed)
        self.buffers = list(buffers)
        self.things = dict(things)

    # -- moving -----------------------------------------------------------------------------------------------------

    def pending(self, t: int) -> Instruction:
        return self.code[t][self.pc[t]]

    def enabled(self, t: int) -> bool:
        if self.status[t] != RUNNING:
            return False
        instruction = self.code[t][self.pc[t]]
        if self.buffers[t] and instruction[0] not in _BUFFERED:
            return False
        return instruction[0] not in _WAITING or self._is_over(t, instruction)

    def _is_over(self, t: int, instruction: Instruction) -> bool:
        """Whether there is no more to wait for."""
        match instruction:
            case ("lock", lock):
                return lock not in self.owner
            case ("relock", condition):
                return self.program.conditions[condition] not in self.owner
            case ("wake", _):
                return (t, self.waits[t]) in self.woken
            case ("down", semaphore):
                return self.counts[semaphore] > 0
            case ("join", other):
                return self.status[other] >= ENDED
        raise AssertionError(instruction)

    def born(self) -> list[int]:
        return [t for t, status in enumerate(self.status) if status != UNBORN]

    def movable(self) -> list[Mover]:
        return [t for t in range(len(self.code)) if self.enabled(t)] + self.flushable()

    def flushable(self) -> list[Mover]:
        if self.model is MemoryModel.TSO:
            return [(t, "") for t, entries in enumerate(self.buffers) if entries]
        return [(t, place) for t, entries in enumerate(self.buffers) for place in dict.fromkeys(p for p, _ in entries)]

    def move(self, t: Mover) -> Touched:
        """Perform the pending operation of ``t``, which must be enabled, and run up to its next; or move a store to
        memory."""
        if isinstance(t, tuple):
            return self._flush(*t)
        instruction = self.pending(t)
        self.pc[t] += 1
        touched = _DOING[instruction[0]](self, t, *instruction[1:])
        self._settle(t)
        return touched

    def _start(self, t: int) -> None:
        self.status[t] = RUNNING
        self._settle(t)

    def _settle(self, t: int) -> None:
        """Run local instructions up to the next visible one."""
        code = self.code[t]
        while self.status[t] == RUNNING and code[self.pc[t]][0] in _LOCAL:
            values = self.locals[t]
            match code[self.pc[t]]:
                case ("set", local, value):
                    self._set(t, local, value(values))
                case ("zero", local):
                    self._set(t, local, 0)
                case ("unless", test, target):
                    if not test(values):
                        self.pc[t] = target
                        continue
                case ("jump", target):
                    self.pc[t] = target
                    continue
                case ("round", counter, bound, target):
                    if values[counter] >= bound:
                        self.pc[t] = target
                        continue
                    self._set(t, counter, values[counter] + 1)
                case ("assert", test, text):
                    if not test(values):
                        self.failed[t] = text
                        self.pc[t] = len(code) - 1
                        continue
            self.pc[t] += 1

    def _set(self, t: int, local: int, value: Any) -> None:
        values = self.locals[t]
        self.locals[t] = (*values[:local], value, *values[local + 1 :])

    def _place(self, t: int, name: str, index: Any) -> str:
        return name if index is None else f"{name}[{index(self.locals[t])}]"

    def read_place(self, t: int) -> str | None:
        """The location that ``t`` is about to read."""
        match self.pending(t):
            case ("read", _, name, index):
                return self._place(t, name, index)
        return None

    def _flush(self, t: int, only: str) -> Touched:
        entries = self.buffers[t]
        oldest = next(i for i, (place, _) in enumerate(entries) if not only or place == only)
        place, value = entries[oldest]
        self.buffers[t] = entries[:oldest] + entries[oldest + 1 :]
        self.shared[place] = value
        return Op.WRITE, ("var", place), value, ()

    def _do_read(self, t: int, local: int, name: str, index: Any) -> Touched:
        place = self._place(t, name, index)
        own = [value for stored, value in self.buffers[t] if stored == place]
        value = own[-1] if own else self.shared.get(place, 0)
        self._set(t, local, value)
        return Op.READ, ("var", place), value, ()

    def _do_write(self, t: int, value: Any, name: str, index: Any) -> Touched:
        place = self._place(t, name, index)
        result = value(self.locals[t])
        if self.model is MemoryModel.SC:
            self.shared[place] = result
        else:
            self.buffers[t] += ((place, result),)
        return Op.WRITE, ("var", place), result, ()

    def _do_fence(self, _t: int) -> Touched:
        return Op.FENCE, ("fence",), None, ()

    def _do_update(self, t: int, local: int, name: str, index: Any, value: Any, expected: Any) -> Touched:
        place = self._place(t, name, index)
        old = self.shared.get(place, 0)
        self._set(t, local, old)
        done = expected in (None, old)
        if done:
            self.shared[place] = value(self.locals[t])
        if expected is None:
            return Op.RMW, ("var", place), old, ()
        self._set(t, local, int(done))
        return Op.RMW if done else Op.READ, ("var", place), old, (Access(Op.REQUEST, ("var", place)),)

    def _do_compound(self, t: int, parts: tuple[Instruction, ...]) -> Touched:
        accesses: list[Access] = []
        known: dict[str, Any] = {}  # values that the step has read or written: it finds them again
        self._do_parts(t, parts, accesses, known)
        (op, target, value), *more = accesses
        return op, target, value, tuple(more)

    def _do_parts(self, t: int, parts: tuple[Instruction, ...], accesses: list[Access], known: dict[str, Any]) -> None:
        for part in parts:
            match part:
                case ("read", local, name, index):
                    place = self._place(t, name, index)
                    if place not in known:
                        known[place] = self.shared.get(place, 0)
                        accesses.append(Access(Op.READ, ("var", place), known[place]))
                    self._set(t, local, known[place])
                case ("write", value, name, index):
                    place = self._place(t, name, index)
                    self.shared[place] = known[place] = value(self.locals[t])
                    accesses[:] = [a for a in accesses if a[:2] != (Op.WRITE, ("var", place))]
                    accesses.append(Access(Op.WRITE, ("var", place), known[place]))
                case ("if", test, then, otherwise):
                    self._do_parts(t, then if test(self.locals[t]) else otherwise, accesses, known)

    def _do_call(self, t: int, local: int, thing: str, method: str, arguments: tuple[Any, ...]) -> Touched:
        kind, before = self.program.things[thing], self.things[thing]
        given = text_of(tuple([each(self.locals[t]) for each in arguments]))
        effect = effect_of(kind, method, given, before)
        assert effect is not None, (kind, method, given, before)
        self._set(t, local, value_of(effect.result))
        self.things[thing] = effect.after
        value = LoggedCall(kind, method, given, effect.result, before, effect.after).plain()
        return Op.RMW if effect.after != before else Op.READ, (INVOKED, thing), value, ()

    def _do_lock(self, t: int, lock: str) -> Touched:
        self.owner[lock] = t
        return Op.ACQUIRE, ("lock", lock), None, ()

    def _do_unlock(self, t: int, lock: str) -> Touched:
        assert self.owner.pop(lock) == t
        return Op.RELEASE, ("lock", lock), None, ()

    def _do_try(self, t: int, local: int, lock: str) -> Touched:
        free = lock not in self.owner
        self._set(t, local, int(free))
        if free:
            self.owner[lock] = t
        mark = (Access(Op.REQUEST, ("lock", lock)),)
        return Op.ACQUIRE if free else Op.READ, ("lock", lock), int(free), mark

    def _do_down(self, t: int, semaphore: str) -> Touched:
        self.counts[semaphore] -= 1
        return Op.RMW, ("sem", semaphore), None, ()

    def _do_up(self, t: int, semaphore: str) -> Touched:
        self.counts[semaphore] += 1
        return Op.RMW, ("sem", semaphore), None, ()

    def _do_trydown(self, t: int, local: int, semaphore: str) -> Touched:
        there = self.counts[semaphore] > 0
        self._set(t, local, int(there))
        self.counts[semaphore] -= there
        mark = (Access(Op.REQUEST, ("sem", semaphore)),)
        return Op.RMW if there else Op.READ, ("sem", semaphore), int(there), mark

    def _do_wait(self, t: int, condition: str) -> Touched:
        self.waits[t] += 1
        self.queues[condition] = (*self.queues.get(condition, ()), (t, self.waits[t]))
        lock = self.program.conditions[condition]
        assert self.owner.pop(lock) == t
        return Op.WAIT, ("cond", condition), None, (Access(Op.RELEASE, ("lock", lock)),)

    def _do_wake(self, t: int, _condition: str) -> Touched:
        return Op.READ, ("wake", t, self.waits[t]), None, ()

    def _do_relock(self, t: int, condition: str) -> Touched:
        return self._do_lock(t, self.program.conditions[condition])

    def _do_notify(self, t: int, condition: str, everybody: bool) -> Touched:
        queue = self.queues.get(condition, ())
        count = len(queue) if everybody else 1
        chosen, rest = queue[:count], queue[count:]
        self.woken.update(chosen)
        self.queues[condition] = rest
        op = Op.NOTIFY_ALL if everybody else Op.NOTIFY
        return op, ("cond", condition), t, tuple(Access(Op.WRITE, ("wake", *waiter)) for waiter in chosen)

    def _do_fork(self, _t: int, other: int) -> Touched:
        self._start(other)
        return Op.FORK, ("thread", other), None, ()

    def _do_join(self, _t: int, other: int) -> Touched:
        return Op.JOIN, ("thread", other), None, ()

    def _do_end(self, t: int) -> Touched:
        self.status[t] = DIED if self.failed[t] else ENDED
        return Op.END, ("thread", t), None, ()

    # -- results ------------------------------------------------------------------------------------------------------

    def final(self) -> tuple[Any, ...]:
        """The visible part of a state that no thread can leave: shared values, locals, failures, and the operations
        before which threads are stuck.

        Shared values count only if main got to its end, where it may read them: if not, no thread sees them.
        """
        visible = tuple(
            tuple(self.locals[t][i] for i in compiled.visible) for t, compiled in enumerate(self.program.code)
        )
        stuck = tuple((t, self.pc[t]) for t in range(len(self.code)) if self.status[t] == RUNNING)
        shared = tuple(sorted({**self.shared, **self.things}.items())) if self.status[0] == ENDED else ()
        return shared, visible, tuple(self.failed), stuck

    def may_end(self) -> bool:
        """Whether all threads that the end of the program waits for have ended."""
        return not any(status == RUNNING and t - 1 not in self.program.daemons for t, status in enumerate(self.status))

    def is_stuck(self) -> bool:
        """Whether the program never ends, in a state that no thread can leave."""
        return not self.may_end()


#: Name of an instruction -> the function that carries it out.
_DOING: dict[str, Callable[..., Touched]] = {
    name.removeprefix("_do_"): method for name, method in vars(Machine).items() if name.startswith("_do_")
}
