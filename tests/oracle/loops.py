"""Draws small programs with loops without bounds, whose variables hold few values: their states are finite in number,
their runs are not."""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.language import Assert, Break, If, Lock, Read, Set, SmallProgram, Unlock, While, Write

_VARIABLES = ("x", "y")
_LOCALS = ("a", "b")


def looping_program(seed: int) -> SmallProgram:
    """Two threads, or three; main reads every variable at the end."""
    grammar = _Grammar(random.Random(seed))
    count = 2 if grammar.choose(4) else 3
    threads = tuple(grammar.block(1 + grammar.choose(3), 2, "") for _ in range(count))
    return SmallProgram(threads, (), tuple(Read(f"r{v}", v) for v in _VARIABLES), {}, {}, {})


class _Grammar:
    def __init__(self, rng: random.Random) -> None:
        self.choose = rng.randrange
        self.pick = rng.choice

    def block(self, size: int, depth: int, held: str) -> tuple[Any, ...]:
        return tuple(s for _ in range(size) for s in self.statements(depth, held))

    def test(self, local: str = "") -> str:
        return f"{local or self.pick(_LOCALS)} {self.pick(('==', '!=', '>'))} {self.choose(3)}"

    def statements(self, depth: int, held: str) -> tuple[Any, ...]:
        if not self.choose(12):
            return (Assert(self.test()),)
        match self.choose(9 if depth else 5):
            case 0 | 1:
                return (Write(self.pick(_VARIABLES), self.pick(("0", "1", "2", "1 - a", "(a + 1) % 3", "b"))),)
            case 2 | 3:
                return (Read(self.pick(_LOCALS), self.pick(_VARIABLES)),)
            case 4:
                return (Set(self.pick(_LOCALS), self.pick(("0", "1", "a", "b", "(a + 1) % 3"))),)
            case 5:
                return self.locked(depth, held)
            case 6:
                return (If(self.test(), self.block(1, depth - 1, held), self.block(self.choose(2), depth - 1, held)),)
            case 7:
                return self.loop(self.block(self.choose(3), depth - 1, held))
            case _:
                return self.loop((*self.block(self.choose(2), depth - 1, held), If(self.test(), (Break(),))))

    def locked(self, depth: int, held: str) -> tuple[Any, ...]:
        lock = self.pick("lm")
        if lock in held:
            return self.block(1, depth - 1, held)
        return (Lock(lock), *self.block(1 + self.choose(2), depth - 1, held + lock), Unlock(lock))

    def loop(self, body: tuple[Any, ...]) -> tuple[Any, ...]:
        local = self.pick(_LOCALS)
        return (While(self.test(local), body, 0, (Read(local, self.pick(_VARIABLES)),)),)
