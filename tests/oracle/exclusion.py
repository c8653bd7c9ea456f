"""Mutual exclusion without locks, and two ways to hand something over, with the verdict for each memory model.

Each algorithm stands as its author wrote it, except that a thread that has waited in vain gives up instead of trying
for ever, and that ``fences`` may be put where stores matter: none, one after the stores that announce a thread
(``ENTRY``), or one after every store (``ALL``). In the critical section a thread leaves its mark and asserts that it
is still there.

Published: Nidhugg's verdicts for Peterson (unfenced wrong under TSO and PSO, with one fence right under TSO, wrong
under PSO, since the two stores before it may overtake each other), store buffering and message passing; for Dekker,
Lamport's fast algorithm and the bakery, that they are right under SC and need fences elsewhere (Dijkstra, EWD 123,
1965; Lamport, CACM 17, 1974, and TOCS 5, 1987; Adve and Gharachorloo, IEEE Computer 29, 1996).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from tests.oracle.language import Assert, Break, Fence, If, Read, Set, SmallProgram, While, Write

from mazurka.program.memory import MemoryModel

Body = tuple[Any, ...]

SC, TSO, PSO = MemoryModel


class Fences(Enum):
    NONE = "unfenced"
    ENTRY = "one fence"
    ALL = "fences"


def _entry(fences: Fences, *stores: Write) -> Body:
    """Stores that announce a thread."""
    if fences is Fences.ALL:
        return tuple(each for store in stores for each in (store, Fence()))
    return (*stores, Fence()) if fences is Fences.ENTRY else stores


def _stored(fences: Fences, store: Write) -> Body:
    return (store, Fence()) if fences is Fences.ALL else (store,)


def _critical(fences: Fences, me: int, *leave: Write) -> Body:
    check = (Read("seen", "owner"), Assert(f"seen == {me}"))
    leaving = tuple(each for store in leave for each in _stored(fences, store))
    return (*_stored(fences, Write("owner", str(me))), *check, *leaving)


def peterson(fences: Fences) -> SmallProgram:
    """With two rounds of waiting, as Nidhugg's count of 20 traces has it."""

    def side(me: int, other: int) -> Body:
        enter = _entry(fences, Write(f"flag{me}", "1"), Write("turn", str(other)))
        go = (Set("go", "1"), Break())
        look = (Read("f", f"flag{other}"), If("f == 0", go), Read("t", "turn"), If(f"t != {other}", go))
        wait = While("True", look, 2)
        return (*enter, wait, If("go == 1", _critical(fences, me, Write(f"flag{me}", "0"))))

    return SmallProgram((side(1, 2), side(2, 1)))


def dekker(fences: Fences) -> SmallProgram:
    def side(me: int, other: int) -> Body:
        leave = (Write("turn", str(other)), Write(f"flag{me}", "0"))
        enter = _entry(fences, Write(f"flag{me}", "1"))
        back = (
            *_stored(fences, Write(f"flag{me}", "0")),
            Read("t", "turn"),
            If(f"t == {me}", (*enter, Read("f", f"flag{other}"))),
        )
        return (*enter, Read("f", f"flag{other}"), If("f == 1", back), If("f == 0", _critical(fences, me, *leave)))

    return SmallProgram((side(1, 2), side(2, 1)), initial={"turn": 1})


def lamport(fences: Fences) -> SmallProgram:
    """The fast algorithm's first attempt: a thread that meets contention gives up unless it sees that the other has."""

    def side(me: int, other: int) -> Body:
        contended = (*_stored(fences, Write(f"b{me}", "0")), Read("b", f"b{other}"), If("b == 0", (Read("y", "y"),)))
        attempt = (
            *_entry(fences, Write("y", str(me))),
            Read("x", "x"),
            If(f"x != {me}", contended, (Set("y", str(me)),)),
        )
        inside = If(f"y == {me}", _critical(fences, me, Write("y", "0"), Write(f"b{me}", "0")))
        return (
            *_entry(fences, Write(f"b{me}", "1"), Write("x", str(me))),
            Read("y", "y"),
            If("y == 0", (*attempt, inside)),
        )

    return SmallProgram((side(1, 2), side(2, 1)))


def bakery(fences: Fences) -> SmallProgram:
    def side(me: int, other: int) -> Body:
        take = (
            *_entry(fences, Write(f"choosing{me}", "1")),
            Read("n", f"number{other}"),
            *_entry(fences, Write(f"number{me}", "n + 1"), Write(f"choosing{me}", "0")),
        )
        mine = f"n == 0 or n > m or (n == m and {me} < {other})"
        ask = (
            Set("m", "n + 1"),
            Read("c", f"choosing{other}"),
            If("c == 0", (Read("n", f"number{other}"), If(mine, (Set("go", "1"),)))),
        )
        return (*take, *ask, If("go == 1", _critical(fences, me, Write(f"number{me}", "0"))))

    return SmallProgram((side(1, 2), side(2, 1)))


def store_buffering(fences: Fences) -> SmallProgram:
    threads = tuple(
        (*_entry(fences, Write(mine, "1")), Read("seen", other)) for mine, other in (("x", "y"), ("y", "x"))
    )
    after = (Read("x", "seen1"), Read("y", "seen2"), Assert("x == 1 or y == 1"))
    told = tuple((*body, Write(f"seen{number}", "seen")) for number, body in enumerate(threads, 1))
    return SmallProgram(told, after=after)


def message_passing(fences: Fences) -> SmallProgram:
    send = (*_entry(fences, Write("data", "1")), Write("ready", "1"))
    return SmallProgram((send, (Read("r", "ready"), If("r == 1", (Read("d", "data"), Assert("d == 1"))))))


@dataclass(frozen=True, slots=True)
class Case:
    """One algorithm with fences, and the models under which it is wrong."""

    make: Callable[[Fences], SmallProgram]
    fences: Fences
    wrong: frozenset[MemoryModel]

    def __str__(self) -> str:
        return f"{self.make.__name__}, {self.fences.value}"

    def program(self) -> SmallProgram:
        return self.make(self.fences)


def _cases(make: Callable[[Fences], SmallProgram], *wrong: tuple[MemoryModel, ...]) -> tuple[Case, ...]:
    return tuple(Case(make, fences, frozenset(models)) for fences, models in zip(Fences, wrong, strict=True))


CASES: Final = (
    *_cases(peterson, (TSO, PSO), (PSO,), ()),
    *_cases(dekker, (TSO, PSO), (PSO,), ()),
    *_cases(lamport, (TSO, PSO), (PSO,), ()),
    *_cases(bakery, (TSO, PSO), (PSO,), ()),
    *_cases(store_buffering, (TSO, PSO), (), ()),
    *_cases(message_passing, (PSO,), (), ()),
)
