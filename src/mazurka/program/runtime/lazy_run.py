"""A run as its runtime leaves it: steps and choices are made from the log when they are first read, and fields that the
execution has given no value get their default then.

Most strategies never look at most runs' steps, and making them takes as long as a quarter of a short run; the fields of
a run, a tenth of it.

Invariant: every reader, and every process that it is sent to, sees the run that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from operator import itemgetter
from typing import Any, Final

from mazurka.program.protocol import Access, Choice, Run, Step, folded
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, kind_of

_is_point: Final[Callable[[Any], bool]] = itemgetter(4)

#: A step as the runtime logs it: the fields of :class:`Step`.
Entry = tuple[int, Op, Target, int, bool, Any, tuple[Access, ...]]


class LazyRun(Run):
    """A run whose ``log`` and ``choices`` come into being when they are first asked for."""

    __slots__ = ("_choices", "_entries")

    def __init__(self, tasks: list[str], entries: list[Entry], choices: list[tuple[int, int, tuple[int, ...]]]) -> None:
        # Fields that are read of every run are set here; the rest is set by the runtime, or by `__getattr__`.
        self.tasks = tasks
        self._entries = entries
        self._choices = choices
        self.divergence = None
        self.settled = self.found_new_points = self.limited = self.withheld = False
        self.truncated = ""
        self.expired = self.again = 0
        self.slept = self.lag = 0.0
        self.inputs = self.conditions = ()

    def __getattr__(self, name: str) -> Any:  # called only for missing attributes
        if name == "log":
            self.log = list(map(Step._make, self._entries))
            return self.log
        if name == "choices":
            self.choices = list(map(Choice._make, self._choices))
            return self.choices
        if (found := Run.__dataclass_fields__.get(name)) is None:
            raise AttributeError(name)
        value = found.default_factory() if found.default_factory is not MISSING else found.default
        setattr(self, name, value)
        return value

    def replace_entries(self, entries: list[Entry]) -> None:
        """Replace the steps by others without keys of values, which were recorded for another purpose."""
        self._entries = entries
        self.first = {}

    def drop_values(self) -> None:
        """Remove the keys of values from the steps."""
        self.replace_entries([(*each[:5], None, without_keys(each[6])) for each in self._entries])

    def schedule(self) -> tuple[str, ...]:
        tasks = self.tasks
        return folded(tuple([tasks[entry[0]] for entry in self._entries if entry[4]]), self.again)

    def entries(self) -> list[Entry]:
        return self._entries

    def decisions(self) -> list[tuple[int, int, tuple[int, ...]]]:
        return self._choices

    def passed(self) -> int:
        return sum(map(_is_point, self._entries))

    def __reduce__(self) -> tuple[Any, ...]:
        return Run, tuple([getattr(self, name) for name in Run.__dataclass_fields__])


def without_keys(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
    """Accesses as executions log them that record no keys: those of the lives of objects have values all the same."""
    return tuple([each if kind_of(each.target) is Kind.OBJECT else Access(each.op, each.target) for each in accesses])
