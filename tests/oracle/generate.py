"""Draws small programs: 2-4 threads, shared variables, locks, try-locks, conditions, branches, bounded loops.

The grammar asks its questions through one callable, ``choose(n) -> 0..n-1``, so that hypothesis (which shrinks:
smaller answers are simpler programs) and a plain random generator (which is faster) draw from the same family. All
lock use is balanced, conditions are used under their lock, loops have bounds. Main reads every variable at the end:
reads-from classes do not distinguish final values that no thread reads.

With ``endings`` threads may outlive main: each is started by main or by another thread, early or late, may be a daemon,
and is joined by the thread that has started it, early or late, or not at all.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from tests.oracle.language import (
    Assert,
    Compound,
    Down,
    Fence,
    Fork,
    If,
    Join,
    Lock,
    Notify,
    Read,
    Set,
    SmallProgram,
    TryDown,
    TryLock,
    Unlock,
    Up,
    Update,
    Wait,
    While,
    Write,
)

_VARIABLES = ("x", "y", "z")
_LOCKS = ("l", "m")
_LOCALS = ("a", "b")

Choose = Callable[[int], int]


class _Grammar:
    def __init__(
        self,
        choose: Choose,
        conditions: bool,
        semaphores: bool = False,
        atomics: bool = False,
        compounds: bool = False,
        endings: bool = False,
    ) -> None:
        self.choose = choose
        self.conditions = conditions
        self.semaphores = semaphores
        self.atomics = atomics
        self.compounds = compounds
        self.endings = endings

    def program(self) -> SmallProgram:
        if self.endings:
            return self.unjoined_program()
        count = 2 + self.choose(6) // 3 + self.choose(8) // 7
        size = {2: 4, 3: 3, 4: 2}[count]
        threads = tuple(self.block(1 + self.choose(size), 2, ()) for _ in range(count))
        main = self.block(self.choose(3), 1, ()) if self.choose(4) == 3 else ()
        after = tuple(Read(f"r{v}", v) for v in _VARIABLES)
        counts = {"s": self.choose(3), "t": 1} if self.semaphores else {}
        return SmallProgram(threads, main, after, {}, {"c": "l"} if self.conditions else {}, counts)

    def unjoined_program(self) -> SmallProgram:
        count = 2 + self.choose(6) // 3
        main = list(self.block(self.choose(2), 1, ()))
        bodies = [list(self.block(1 + self.choose(5 - count), 2, ())) for _ in range(count)]
        for body in bodies:
            if self.choose(2):
                body += [Read("a", self.pick(_VARIABLES)), Assert(self.test())]
        for t in range(count):
            starter = main if t == 0 or self.choose(3) else bodies[self.choose(t)]
            start = self.choose(len(starter) + 1)
            starter.insert(start, Fork(t))
            if self.choose(2):
                starter.insert(start + 1 + self.choose(len(starter) - start), Join(t))
        daemons = frozenset([t for t in range(count) if self.choose(2)])
        if self.choose(3) == 2:
            main += [Read("a", self.pick(_VARIABLES)), Assert(self.test())]
        return SmallProgram(
            tuple(map(tuple, bodies)),
            tuple(main),
            conditions={"c": "l"} if self.conditions else {},
            semaphores={"s": self.choose(3), "t": 1} if self.semaphores else {},
            main_forks=False,
            main_joins=False,
            daemons=daemons,
        )

    def pick(self, names: tuple[str, ...]) -> str:
        return names[self.choose(len(names))]

    def block(self, size: int, depth: int, held: tuple[str, ...]) -> tuple[Any, ...]:
        return tuple(s for _ in range(size) for s in self.statements(depth, held))

    def statements(self, depth: int, held: tuple[str, ...]) -> tuple[Any, ...]:
        if self.semaphores and self.choose(3) == 2:
            return self.counted()
        if self.atomics and self.choose(6) == 5:
            return self.ordered()
        if self.compounds and self.choose(2) == 1:
            return (self.compound(),)
        match self.choose(12 if depth else 5):
            case 0 | 1:
                return (Write(self.pick(_VARIABLES), self.value()),)
            case 2 | 3:
                return (Read(self.pick(_LOCALS), self.pick(_VARIABLES)),)
            case 4:
                local, variable = self.pick(_LOCALS), self.pick(_VARIABLES)
                return (Read(local, variable), Write(variable, f"{local} + 1"))
            case 5 | 6 | 7:
                return self.locked(depth, held)
            case 8:
                return (self.branch(depth, held),)
            case 9:
                return (self.loop(depth, held),)
            case 10:
                return self.tried(depth, held)
            case _:
                return self.signal(held)

    def counted(self) -> tuple[Any, ...]:
        """Not balanced: a semaphore is given by whom it pleases."""
        semaphore = self.pick(("s", "t"))
        match self.choose(5):
            case 0 | 1:
                return (Down(semaphore),)
            case 2 | 3:
                return (Up(semaphore),)
            case _:
                return (TryDown("d", semaphore), If("d == 0", (Read("a", self.pick(_VARIABLES)),)))

    def ordered(self) -> tuple[Any, ...]:
        """Operations that matter where memory is relaxed: fences and indivisible updates."""
        variable = self.pick(_VARIABLES)
        match self.choose(5):
            case 0 | 1:
                return (Fence(),)
            case 2:
                return (Update("u", variable, "u + 1"),)
            case 3:
                return (Update("u", variable, self.value()),)
            case _:
                return (Update("u", variable, self.value(), self.choose(2)),)

    def compound(self) -> Any:
        """A step of several accesses, which depend on the values that it reads."""
        parts: list[Any] = [Read("a", self.pick(_VARIABLES))]
        for _ in range(1 + self.choose(3)):
            part = Read("b", self.pick(_VARIABLES)) if self.choose(2) else Write(self.pick(_VARIABLES), self.value())
            match self.choose(4):
                case 0:
                    parts.append(part)
                case 1:
                    other = Write(self.pick(_VARIABLES), self.value())
                    parts.append(If(self.test(), (part,), (other,)))
                case _:
                    parts.append(If(self.test(), (part,)))
        return Compound(tuple(parts))

    def value(self) -> str:
        return ("1", "2", "a + 1", "a + b")[self.choose(4)]

    def test(self) -> str:
        return f"{self.pick(_LOCALS)} {('==', '>', '!=')[self.choose(3)]} {self.choose(3)}"

    def locked(self, depth: int, held: tuple[str, ...]) -> tuple[Any, ...]:
        lock = self.pick(_LOCKS)
        if lock in held:
            return self.block(1, depth - 1, held)
        return (Lock(lock), *self.block(1 + self.choose(2), depth - 1, (*held, lock)), Unlock(lock))

    def tried(self, depth: int, held: tuple[str, ...]) -> tuple[Any, ...]:
        lock = self.pick(_LOCKS)
        if lock in held:
            return (Set("a", "b + 1"),)
        inside = (*self.block(self.choose(2), depth - 1, (*held, lock)), Unlock(lock))
        return (TryLock("t", lock), If("t == 1", inside, self.block(self.choose(2), 0, held)))

    def branch(self, depth: int, held: tuple[str, ...]) -> Any:
        then = self.block(1 + self.choose(2), depth - 1, held)
        return If(self.test(), then, self.block(self.choose(2), depth - 1, held))

    def loop(self, depth: int, held: tuple[str, ...]) -> Any:
        local = self.pick(_LOCALS)
        body = self.block(self.choose(2), depth - 1, held)
        return While(f"{local} == {self.choose(2)}", body, 1 + self.choose(2), (Read(local, self.pick(_VARIABLES)),))

    def signal(self, held: tuple[str, ...]) -> tuple[Any, ...]:
        if not self.conditions or "l" not in held:
            if self.choose(6) == 5:
                return (Assert(self.test()),)
            if not self.conditions or held:
                return (Read("a", self.pick(_VARIABLES)),)
            return (Lock("l"), self.signalled(), Unlock("l"))
        return (self.signalled(),)

    def signalled(self) -> Any:
        match self.choose(4):
            case 0 | 1:
                return Notify("c")
            case 2:
                return Notify("c", True)
            case _:
                if self.choose(2):
                    return Wait("c")
                return While("a == 0", (Wait("c"),), 2, (Read("a", self.pick(_VARIABLES)),))


@st.composite
def programs(
    draw: st.DrawFn,
    conditions: bool = True,
    semaphores: bool = False,
    atomics: bool = False,
    compounds: bool = False,
    endings: bool = False,
) -> SmallProgram:
    """Small programs, for hypothesis."""

    def choose(count: int) -> int:
        return draw(st.integers(0, count - 1))

    return _Grammar(choose, conditions, semaphores, atomics, compounds, endings).program()


def random_program(
    seed: int,
    conditions: bool = True,
    semaphores: bool = False,
    atomics: bool = False,
    compounds: bool = False,
    endings: bool = False,
) -> SmallProgram:
    """The same family by number."""
    rng = random.Random(seed)
    return _Grammar(rng.randrange, conditions, semaphores, atomics, compounds, endings).program()
