"""The function that looks at the end of each execution of a program that is a function. It's instrumented with the
program, and hands on nothing but text, to code that isn't: what this collects is no part of the program's state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Look:
    """Keeps what the program's own function for the end returns, or the program's result if it has none."""

    at_end: Callable[[Any], object] | None
    keep: Callable[[str], None]

    def __call__(self, result: Any) -> None:
        self.keep(repr(result if self.at_end is None else self.at_end(result)))
