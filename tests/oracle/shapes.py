"""How the threads of a random program are started, joined and left, and how its main thread ends: shapes, which the
generators of all languages share.

Most programs in books start some threads and join them all. Searches have to be right about the others, too: a thread
that is alive when main ends may still do all of its steps before the process is gone, or none of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

#: How the line begins that shows the final state.
FINAL: Final = "final:"

#: The starter of a thread, if it is main: before its own operations, or after them.
EARLY: Final = -1
LATE: Final = -2
#: The thread that joins another one, if it is main.
MAIN: Final = -1


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a program; its operations are lines of the program's language.

    ``starters`` has for each thread the number of the thread that starts it, a lower one, or ``EARLY`` or ``LATE``.
    ``apart`` are daemons, or detached threads; ``joins`` are pairs of the joining thread (or ``MAIN``) and the joined
    one. ``main`` are the operations of the main thread, ``end`` is how it ends, and ``handlers`` has the operations of
    each exit handler. With ``shows`` main prints the final state before it ends; the first exit handler does it if
    there is one. ``at_end`` is for languages in which a program may also be a function that the caller explores, with
    a function to be called at its end.
    """

    starters: tuple[int, ...]
    apart: frozenset[int] = frozenset()
    joins: tuple[tuple[int, int], ...] = ()
    main: tuple[str, ...] = ()
    end: str = ""
    handlers: tuple[tuple[str, ...], ...] = ()
    shows: bool = False
    at_end: bool = False

    def started_by(self, starter: int) -> list[int]:
        """The threads that a thread starts."""
        return [thread for thread, by in enumerate(self.starters) if by == starter]

    def joined_by(self, joiner: int) -> list[int]:
        """The threads that a thread joins."""
        return [thread for by, thread in self.joins if by == joiner]

    def without(self, gone: int) -> Shape:
        """The shape of the program without a thread, which starts no other."""

        def moved(thread: int) -> int:
            return thread - (thread > gone)

        return replace(
            self,
            starters=tuple(moved(by) for thread, by in enumerate(self.starters) if thread != gone),
            apart=frozenset(map(moved, self.apart - {gone})),
            joins=tuple((moved(by), moved(thread)) for by, thread in self.joins if gone not in (by, thread)),
        )

    def smaller(self) -> Iterator[Shape]:
        """Shapes with one thing less."""
        for place in range(len(self.main)):
            yield replace(self, main=(*self.main[:place], *self.main[place + 1 :]))
        for place, operations in enumerate(self.handlers):
            others = self.handlers[:place], self.handlers[place + 1 :]
            yield replace(self, handlers=(*others[0], *others[1]))
            for left_out in range(len(operations)):
                rest = (*operations[:left_out], *operations[left_out + 1 :])
                yield replace(self, handlers=(*others[0], rest, *others[1]))
        if self.end:
            yield replace(self, end="")
        if self.shows:
            yield replace(self, shows=False)
        for pair in self.joins:
            yield replace(self, joins=tuple(each for each in self.joins if each != pair))
        for thread in sorted(self.apart):
            yield replace(self, apart=self.apart - {thread})
        for thread, by in enumerate(self.starters):
            if by != EARLY:
                yield replace(self, starters=(*self.starters[:thread], EARLY, *self.starters[thread + 1 :]))


@dataclass(frozen=True, slots=True)
class Ends:
    """The ways in which a main thread of a language ends, other than by returning, and how likely a program has exit
    handlers. With ``joins_apart`` detached threads can be joined; with ``joins_any`` a thread can join one that may
    not have been started."""

    ends: tuple[str, ...]
    handlers: float = 0.25
    at_end: float = 0.0
    joins_apart: bool = True
    joins_any: bool = True


def drawn_shape(chance: random.Random, threads: int, ends: Ends, operation: Callable[[], str]) -> Shape:
    """The shape of a program with that many threads."""
    starters = [EARLY]
    for thread in range(1, threads):
        kind = chance.random()
        starters.append(EARLY if kind < 0.6 else LATE if kind < 0.75 else chance.randrange(thread))
    apart = frozenset(thread for thread in range(threads) if chance.random() < 0.35)
    joins = set[tuple[int, int]]()
    for thread, starter in enumerate(starters):
        if thread in apart and not (ends.joins_apart and chance.random() < 0.2):
            continue
        if chance.random() < 0.5:
            if starter < 0 or ends.joins_any:
                joins.add((MAIN, thread))
            elif chance.random() < 0.6:
                joins.add((starter, thread))
        elif chance.random() < 0.25:
            # Who joins a thread was started after it, or starts it.
            able = [
                other
                for other in range(threads)
                if other != thread and (ends.joins_any or starter == other or _is_later(starters, other, thread))
            ]
            if able:
                joins.add((chance.choice(able), thread))
    is_function = chance.random() < ends.at_end
    with_handlers = not is_function and chance.random() < ends.handlers
    return Shape(
        tuple(starters),
        apart,
        tuple(sorted(joins)),
        tuple(operation() for _ in range(chance.choice((0, 1, 1, 2)))),
        chance.choice(ends.ends) if not is_function and chance.random() < 0.45 else "",
        tuple((operation(),) for _ in range(chance.choice((1, 1, 2)))) if with_handlers else (),
        chance.random() < 0.5,
        is_function,
    )


def _is_later(starters: list[int], thread: int, than: int) -> bool:
    """Whether main starts a thread after another one."""
    return (starters[thread], starters[than]) == (LATE, EARLY) or (
        starters[thread] == starters[than] and starters[thread] < 0 and thread > than
    )
