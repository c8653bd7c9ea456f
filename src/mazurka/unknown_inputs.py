"""Unknown inputs of programs: a check searches all of their values.

    n = mazurka.symbolic_int("n", 0, 100)
    if n > 10: ...

In a check each input is a number that remembers how results depend on it; outside of a check it is the number of its
range that is nearest to zero. Conditions that the program tests are noted, and the search goes on with values for which
some condition is another (:mod:`mazurka.symbolic.input_classes`). A failure names the inputs, and its replay has them.

An input is that of its thread: two threads that ask for one name have different inputs, and so has a thread that asks
twice.

Imports nothing of Mazurka, so that importing it costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

_Option = TypeVar("_Option")


class InputsModel(Protocol):
    """The runtime of a check."""

    def is_running(self) -> bool:
        """Whether the caller is a thread of an execution; if not, inputs are known."""
        ...

    def integer(self, name: str, low: int, high: int) -> int:
        """An unknown number from ``low`` to ``high``."""
        ...


#: Set while a program is checked.
model: InputsModel | None = None


def symbolic_int(name: str, low: int = -(2**31), high: int = 2**31 - 1) -> int:
    """An unknown number from ``low`` to ``high``, both included; raises :class:`ValueError` if there is none."""
    low, high = int(low), int(high)
    if low > high:
        raise ValueError(f"no number is at least {low} and at most {high}")
    if model is None or not model.is_running():
        return min(max(0, low), high)
    return model.integer(str(name), low, high)


def symbolic_bool(name: str) -> bool:
    """An unknown truth value."""
    return bool(symbolic_int(name, 0, 1))


def symbolic_choice(name: str, options: Sequence[_Option]) -> _Option:
    """An unknown one of these options; raises :class:`ValueError` if there are none."""
    if not options:
        raise ValueError("there is no option to choose")
    return options[int(symbolic_int(name, 0, len(options) - 1))]


def symbolic_str(name: str, length: int, alphabet: str = "ab") -> str:
    """An unknown text of at most ``length`` characters of an alphabet. Each text is searched by itself: there are many
    of them."""
    characters = symbolic_int(f"length of {name}", 0, length)
    return "".join([symbolic_choice(f"{name}[{index}]", alphabet) for index in range(int(characters))])
