"""The relation between methods of a type that one observes another: its result may differ after a call of the other.

It is computed exhaustively in the type's scope (:mod:`mazurka.commute.verification`): a method observes another one if
in some state some call of it has another result, or has to wait where it did not, right after some call of the other. A
``close`` that always returns None observes no method, although it commutes with no ``write``.

Cost: all states and pairs of calls of the scope; once for a type.
"""

from __future__ import annotations

from functools import cache
from itertools import product

from mazurka.commute.named import shared_type
from mazurka.commute.shared_type import BLOCKED, Method, SharedType, methods_of
from mazurka.commute.specification import Methods
from mazurka.commute.verification import arguments_of, states_of


@cache
def observations(type_name: str) -> frozenset[Methods]:
    """The pairs (method, method that observes it) of a type of the library."""
    kind = shared_type(type_name)
    states, methods = states_of(kind), methods_of(kind).values()
    return frozenset(
        (one.name, other.name) for one, other in product(methods, methods) if _observes(kind, one, other, states)
    )


def _observes(kind: type[SharedType], one: Method, other: Method, states: list[object]) -> bool:
    for state, mine, theirs in product(states, list(arguments_of(kind, one)), list(arguments_of(kind, other))):
        first = one.step(state, *mine)
        if first is not BLOCKED and _result(other, first[0], theirs) != _result(other, state, theirs):
            return True
    return False


def _result(method: Method, state: object, arguments: tuple[object, ...]) -> object:
    step = method.step(state, *arguments)
    return step if step is BLOCKED else (type(step[1]), step[1])
