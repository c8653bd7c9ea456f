"""The conflict relation if objects have specifications: accesses conflict as reads and writes, calls unless they
commute.

This is a :class:`~mazurka.trace.conflicts.Conflicts`. Calls of one object conflict unless its type's specification says
that they commute; calls of types or methods without a specification always conflict. A condition on states holds only
if the states are known in which the calls begin; :func:`states_before` computes them by the model.

Cost: a look-up and a condition for each pair that is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mazurka.commute.formula import State
from mazurka.commute.shared_type import BLOCKED, SharedType, methods_of
from mazurka.commute.specification import Specification
from mazurka.trace.conflicts import READ_WRITE, OpTable
from mazurka.trace.ids import Row
from mazurka.trace.invocations import Invocation


class SpecifiedConflicts:
    """See the module; ``specifications`` are by type, ``states`` by the row at which a call begins."""

    accesses: Final[OpTable] = READ_WRITE.accesses

    def __init__(self, specifications: Mapping[str, Specification], states: Mapping[Row, State] | None = None) -> None:
        self._specifications = specifications
        self._states = states or {}

    def invocations(self, one: Invocation, other: Invocation) -> bool:
        """Whether two calls of one object do not commute, by their type's specification."""
        if one.receiver != other.receiver:
            return False
        specification = self._specifications.get(one.type_name)
        if specification is None or one.type_name != other.type_name:
            return True
        known = self._states
        states = (known[one.begin], known[other.begin]) if one.begin in known and other.begin in known else None
        return not specification.commute(one, other, states)


def states_before(kind: type[SharedType], initial: State, calls: Iterable[Invocation]) -> Iterator[tuple[Row, State]]:
    """The states in which calls of one object begin, by their first rows. ``calls`` are in the order in which they took
    effect, which is that of their returns if none overlap. The last call whose state is known is the first one that the
    model lacks, or whose result differs from the model's.
    """
    methods, state = methods_of(kind), initial
    for call in calls:
        method = methods.get(call.method)
        yield call.begin, state
        if method is None or len(method.parameters) != len(call.arguments):
            return
        step = method.step(state, *call.arguments)
        if step is BLOCKED or step[1] != call.result:
            return
        state = step[0]
