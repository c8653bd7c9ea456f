"""`itertools.count` in the state that is put back before each run.

Nothing sets such a counter back. But as long as only places that a snapshot knows refer to it, a new one that counts
from the same number can take its place, which the program can't distinguish from it by anything but `id`.
"""

from __future__ import annotations

import ast
import itertools
import sys
import types
from collections.abc import Callable
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass

#: Puts another value in the place of the counter, and takes it for the value that belongs there.
Hold = Callable[[Any], None]


@dataclass(slots=True, eq=False)
class Counter:
    """A counter, or its `__next__`, and the places that refer to it."""

    path: str
    value: Any
    holders: dict[tuple[int, str], Hold] = field(default_factory=dict)
    saved: str = field(init=False)

    def __post_init__(self) -> None:
        self.saved = repr(_counter_of(self.value))

    def is_known(self) -> bool:
        """Whether the counter counts integers, and nothing refers to it but its holders and this object."""
        if _arguments(self.saved) is None:
            return False
        if sys.getrefcount(self.value) != len(self.holders) + 2:  # the argument is one
            return False
        if type(self.value) is itertools.count:
            return True
        return sys.getrefcount(self.value.__self__) == 2  # only its method, and the argument

    def restore(self) -> bool:
        """Put a counter that counts from the saved number in its place, if it has been advanced since."""
        if repr(_counter_of(self.value)) == self.saved:
            return False
        counter = itertools.count(*(_arguments(self.saved) or ()))
        self.value = counter if type(self.value) is itertools.count else counter.__next__
        for hold in self.holders.values():
            hold(self.value)
        return True


def is_counter(value: object) -> bool:
    """Whether it is an ``itertools.count``, or the ``__next__`` of one."""
    return type(_counter_of(value)) is itertools.count


def _counter_of(value: Any) -> Any:
    return value.__self__ if type(value) is types.MethodWrapperType and value.__name__ == "__next__" else value


_NAME: Final = "count"


def _arguments(text: str) -> tuple[int, ...] | None:
    """The arguments that ``repr`` of a counter shows, if they are integers; None if it counts other things."""
    try:
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or ast.unparse(call.func) != _NAME:
            return None
        values = tuple(ast.literal_eval(argument) for argument in call.args)
    except (SyntaxError, ValueError):
        return None
    return values if all(type(value) is int for value in values) else None
