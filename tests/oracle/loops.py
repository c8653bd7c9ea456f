"""Draws small programs with loops without bounds, whose variables hold few values: their states are finite in number,
their runs are not. And says where their threads can only go round: in sets of states that no way leads out of."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from tests.oracle.enumerate import TooLarge
from tests.oracle.language import Assert, Break, If, Lock, Read, Set, SmallProgram, Unlock, While, Write
from tests.oracle.machine import Machine

_VARIABLES = ("x", "y")
_LOCALS = ("a", "b")


def looping_program(seed: int) -> SmallProgram:
    """Two threads, or three; main reads every variable at the end."""
    grammar = _Grammar(random.Random(seed))
    count = 2 if grammar.choose(4) else 3
    threads = tuple(grammar.block(1 + grammar.choose(3), 2, "") for _ in range(count))
    return SmallProgram(threads, (), tuple(Read(f"r{v}", v) for v in _VARIABLES), {}, {}, {})


def circling(program: SmallProgram, limit: int = 30_000) -> set[frozenset[str]]:
    """For each set of states that can't be left, and in which threads move: the threads that do."""
    edges = _graph(program, limit)
    back: dict[Any, set[Any]] = {}
    for state, moves in edges.items():
        for _, following in moves:
            back.setdefault(following, set()).add(state)
    ends = _reached([state for state, moves in edges.items() if not moves], lambda state: back.get(state, ()))
    found = set()
    left = set(edges) - ends
    while left:
        inside = _bottom(next(iter(left)), edges, back)
        movers = {"0" if t == 0 else f"0.{t}" for state in inside for t, _ in edges[state]}
        found.add(frozenset(movers))
        left -= _reached(inside, lambda state: back.get(state, ()))
    return found


def _graph(program: SmallProgram, limit: int) -> dict[Any, list[tuple[int, Any]]]:
    machine = Machine(program)
    edges: dict[Any, list[tuple[int, Any]]] = {}
    work = [machine.freeze()]
    while work:
        state = work.pop()
        if state in edges:
            continue
        if len(edges) > limit:
            raise TooLarge(limit)
        machine.thaw(state)
        edges[state] = []
        for t in machine.movable():
            machine.thaw(state)
            machine.move(t)
            edges[state].append((t, machine.freeze()))
        work += [following for _, following in edges[state]]
    return edges


def _reached(states: Iterable[Any], after: Any) -> set[Any]:
    seen = set(states)
    work = list(seen)
    while work:
        fresh = set(after(work.pop())) - seen
        seen |= fresh
        work += fresh
    return seen


def _bottom(state: Any, edges: Any, back: Any) -> set[Any]:
    """States that can't be left, and all reach one another, among those that one state leads to."""
    while True:
        inside = _reached([state], lambda each: [following for _, following in edges[each]])
        outside = inside - _reached([state], lambda each: back.get(each, ()))
        if not outside:
            return inside
        state = next(iter(outside))


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
