"""Invocations: method calls on shared objects, with arguments and result, as a trace holds them.

Definition (thesis, 4.3.2, definition 4.3.3). An invocation is a method of an object, its arguments and its result, with
the events that its thread makes from the call to the return. Those events are *scoped*.

In a trace an invocation is two rows of its thread. Both touch the target ``("method", type, receiver, method)``:

=========  ============================================  =============================
row        operation                                     value
=========  ============================================  =============================
``begin``  CALL                                          the arguments, a tuple
``end``    RETURN                                        the result
=========  ============================================  =============================

Values are texts of :mod:`mazurka.trace.literals`, interned like all others. In a file the target is ``method TYPE
RECEIVER METHOD``; neither types nor methods contain spaces. A CALL without a value, of a function or of a method, says
where control went and is no invocation. Invocations of a thread nest. A call that has not returned is no invocation
yet: its result is not known.

Cost: :func:`invocations` is one pass over the rows that call or return; a text is read once, however often it occurs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from typing import Any, Final

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.trace.event import Op
from mazurka.trace.ids import Row, ThreadIndex
from mazurka.trace.literals import Value, text_of, value_of, words_of
from mazurka.trace.targets import Kind, Target, of_kinds
from mazurka.trace.trace import NO_VALUE, Trace

_METHOD: Final = Kind.METHOD.tag
_is_method: Final = of_kinds(Kind.METHOD)
_CALL, _RETURN = int(Op.CALL), int(Op.RETURN)


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call that has returned. ``receiver`` names the object, ``type_name`` its type, by which its specification is
    found; the rows from ``begin`` to ``end`` that are of ``thread`` are its events."""

    begin: Row
    end: Row
    thread: ThreadIndex
    type_name: str
    receiver: str
    method: str
    arguments: tuple[Value, ...]
    result: Value

    @property
    def call(self) -> str:
        """The call in words, without its result."""
        return f"{self.receiver}.{self.method}({', '.join(map(words_of, self.arguments))})"

    def __str__(self) -> str:
        return f"{self.call} = {words_of(self.result)}"


@dataclass(frozen=True, slots=True)
class RecordedValue:
    """A value of a call as the log of a run holds it. Its ``repr`` is the text, which traces intern."""

    text: str

    def __repr__(self) -> str:
        return self.text


def method_target(type_name: str, receiver: str, method: str) -> Target:
    """The target of an invocation's rows; ValueError for a type or method with a space in it, or an empty name."""
    if not (type_name and receiver and method) or " " in type_name + method:
        raise ValueError(f"no names of a method: {type_name!r}, {receiver!r}, {method!r}")
    return (_METHOD, type_name, receiver, method)


def recorded(value: Value) -> RecordedValue:
    """The arguments (a tuple) or the result of a call, for a log."""
    return RecordedValue(text_of(value))


def invocations(trace: Trace) -> Iterator[Invocation]:
    """The invocations of a trace, in the order in which they return.

    Raises ``trace-malformed`` for a return that does not end its thread's latest call, and for values that are no texts
    of literals.
    """
    reader = _CallReader(trace)
    calls: dict[int, list[int]] = {}  # by thread, the rows of calls that have not returned
    for row in _rows(trace):
        value = trace.value[row]
        if value == NO_VALUE or not reader.is_method(trace.target[row]):
            continue
        thread = trace.thread[row]
        open_calls = calls.setdefault(thread, [])
        if trace.op[row] == _CALL:
            open_calls.append(row)
            continue
        if not open_calls or trace.target[open_calls[-1]] != trace.target[row]:
            raise _malformed(row, "a method returns that is not the latest call of its thread")
        yield reader.invocation(open_calls.pop(), row)


def begun(trace: Trace) -> Iterator[tuple[int, tuple[str, str]]]:
    """The first rows of calls that have not returned, each with its object: type and name."""
    reader = _CallReader(trace)
    calls: dict[int, list[int]] = {}
    for row in _rows(trace):
        if trace.value[row] == NO_VALUE or not reader.is_method(trace.target[row]):
            continue
        open_calls = calls.setdefault(trace.thread[row], [])
        if trace.op[row] == _CALL:
            open_calls.append(row)
        elif open_calls:
            open_calls.pop()
    for rows in calls.values():
        yield from ((row, reader.receiver(row)) for row in rows)


def called_types(trace: Trace) -> list[str]:
    """The types named in the targets of calls, of invocations or of calls that have not returned."""
    named = (names_in(target)[0] for target in trace.targets if _is_method(target))
    return list(dict.fromkeys(named))


def _rows(trace: Trace) -> Iterable[int]:
    """The rows that call or return."""
    if isinstance(trace.op, array):
        return [row for row, op in enumerate(trace.op) if op in (_CALL, _RETURN)]
    import numpy as np

    rows: list[int] = np.flatnonzero((trace.op == _CALL) | (trace.op == _RETURN)).tolist()
    return rows


class _CallReader:
    """Reads names and values of a trace, each once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names: dict[int, tuple[str, str, str]] = {}
        self._values: dict[int, Value] = {}

    def is_method(self, target: int) -> bool:
        return _is_method(self._trace.targets[target])

    def receiver(self, row: int) -> tuple[str, str]:
        type_name, receiver, _ = self._names_of(int(self._trace.target[row]), row)
        return type_name, receiver

    def invocation(self, begin: int, end: int) -> Invocation:
        trace = self._trace
        arguments = self._value(begin)
        if not isinstance(arguments, tuple):
            raise _malformed(begin, "the arguments of a call are no tuple")
        thread = ThreadIndex(int(trace.thread[begin]))
        names = self._names_of(int(trace.target[begin]), begin)
        return Invocation(Row(begin), Row(end), thread, *names, arguments, self._value(end))

    def _value(self, row: int) -> Value:
        number = int(self._trace.value[row])
        if number not in self._values:
            recorded = self._trace.values[number]
            try:
                self._values[number] = value_of(recorded.text if isinstance(recorded, RecordedValue) else str(recorded))
            except ValueError as error:
                raise _malformed(row, str(error)) from None
        return self._values[number]

    def _names_of(self, target: int, row: int) -> tuple[str, str, str]:
        if target not in self._names:
            self._names[target] = names_in(self._trace.targets[target], row)
        return self._names[target]


def names_in(target: Any, row: int = 0) -> tuple[str, str, str]:
    """The type, receiver and method that the target of a call names; ``row`` is for the error."""
    match target:
        case (_, str(type_name), str(receiver), str(method)):
            return type_name, receiver, method
        case (_, str(name)) if name.startswith("("):
            # The name of a target of our own runs where plain words would be ambiguous.
            names = value_of(name)
            if isinstance(names, tuple) and len(names) == 3 and all(isinstance(each, str) for each in names):
                return names  # type: ignore[return-value]
        case (_, str(name)) if name.count(" ") >= 2:
            type_name, _, rest = name.partition(" ")
            receiver, _, method = rest.rpartition(" ")
            if type_name and receiver and method:
                return type_name, receiver, method
    raise _malformed(row, "a call of something that is no type, receiver and method")


def _malformed(row: int, message: str) -> MazurkaError:
    return MazurkaError("trace-malformed", message, where=f"row {row}")
