"""Which places of a small program's source race: by searching all its states for two threads that stand before
conflicting accesses of one variable."""

from __future__ import annotations

from tests.oracle.enumerate import TooLarge
from tests.oracle.language import SmallProgram
from tests.oracle.machine import Machine

from mazurka.trace.event import WRITES, Op

_PLAIN = (Op.READ, Op.WRITE, Op.RMW)


def races(program: SmallProgram, limit: int = 200_000) -> set[tuple[int, int]]:
    """Pairs of sites (as :class:`tests.oracle.program.Stepper` numbers them), ascending."""
    machine = Machine(program)
    first = machine.freeze()
    stack, seen, found = [first], {first}, set()
    while stack:
        state = stack.pop()
        machine.thaw(state)
        standing: list[tuple[int, int, Op, object]] = []
        for t in machine.movable():
            machine.thaw(state)
            assert isinstance(t, int)
            site = t * 1000 + machine.pc[t] + 1
            op, target, _, _ = machine.move(t)
            if target[0] == "var" and op in _PLAIN:
                standing.append((t, site, op, target))
            following = machine.freeze()
            if following not in seen:
                seen.add(following)
                if len(seen) > limit:
                    raise TooLarge(limit)
                stack.append(following)
        for t, site, op, target in standing:
            for other, there, does, meant in standing:
                if t < other and target == meant and (WRITES[op] or WRITES[does]):
                    found.add((min(site, there), max(site, there)))
    return found
