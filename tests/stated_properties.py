"""Properties built by hand for tests, and recordings of small programs with their events."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mazurka.explore.explorer import Explorer
from mazurka.explore.outcome import Verified
from mazurka.program import forked
from mazurka.program.python.entry import Script
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.instrument.loader import Loader
from mazurka.program.python.opening import entry_of
from mazurka.program.python.program import PythonProgram
from mazurka.program.python.recording.record import record
from mazurka.program.settings import ProgramSettings
from mazurka.properties.property import (
    Anything,
    EventDeclaration,
    Moment,
    Named,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.properties.reached import Reached
from mazurka.trace.patterns import Concatenation, Letter, Pattern, Repetition
from mazurka.trace.property_events import property_events
from mazurka.trace.reading import read_trace


def calls(
    name: str,
    *names: str,
    operands: Sequence[Operand] | None = None,
    moment: Moment = Moment.BEFORE,
    result: Operand | None = None,
    condition: str = "",
) -> EventDeclaration:
    """An event for calls by one of these names."""
    given = None if operands is None else tuple(operands)
    more: dict[str, Operand] = {} if result is None else {"result": result}
    pointcut = Pointcut(PointcutKind.CALL, names, moment, given, condition=condition, **more)
    return EventDeclaration(name, pointcut.binds(), (pointcut,))


def accesses(
    name: str,
    kind: PointcutKind,
    *names: str,
    operands: Sequence[Operand] | None = None,
    moment: Moment = Moment.BEFORE,
    condition: str = "",
) -> EventDeclaration:
    """An event for accesses to attributes of one of these names."""
    given = None if operands is None else tuple(operands)
    pointcut = Pointcut(kind, names, moment, given, condition=condition)
    return EventDeclaration(name, pointcut.binds(), (pointcut,))


def word(*letters: Pattern | str) -> Pattern:
    """A sequence of letters, given by events or patterns."""
    return Concatenation(tuple(Letter(each) if isinstance(each, str) else each for each in letters))


def stated(name: str, events: Sequence[EventDeclaration], pattern: Pattern) -> Property:
    """A property with the parameters of its events."""
    parameters = tuple(dict.fromkeys(each for event in events for each in event.parameters))
    return Property(name, parameters, tuple(events), pattern, description=f"{name} is violated")


#: FIG. 10 of the patent.
UNSAFE_ITERATION = stated(
    "unsafe-iteration",
    [
        calls(
            "create",
            *(f"{kind}.__iter__" for kind in ("list", "dict", "set")),
            operands=[Named("c")],
            moment=Moment.RETURNING,
            result=Named("i"),
        ),
        calls(
            "update",
            *("list.append", "list.remove", "dict.__setitem__", "dict.pop", "dict.__delitem__", "set.add"),
            operands=[Named("c"), Anything(more=True)],
            moment=Moment.AFTER,
        ),
        calls("next", "*.__next__", operands=[Named("i")]),
    ],
    word("create", Repetition(Letter("next"), 0, True), Repetition(Letter("update"), 1, True), "next"),
)

#: FIG. 20 of the patent.
CHECK_THEN_ACT = stated(
    "check-then-act",
    [
        calls(
            "check",
            *("dict.get", "dict.__contains__", "dict.__getitem__"),
            operands=[Named("m"), Named("key"), Anything(more=True)],
            moment=Moment.AFTER,
        ),
        calls("act", "dict.pop", "dict.__delitem__", operands=[Named("m"), Named("key"), Anything(more=True)]),
    ],
    word(Letter("check", "t1"), Repetition(Letter("act", "t2"), 1, True), Letter("act", "t1")),
)


class RecordedEvents(NamedTuple):
    """The property events of a recording in its order: thread, event with its objects, and whether each is together
    with an access; and the operations that were not tracked."""

    events: list[tuple[str, str, bool]]
    untracked: list[str]
    error: str


def recorded(source: str, folder: Path, *properties: Property) -> RecordedEvents:
    """Record a program, which runs as ``__main__`` of ``shop.py``, in a child."""
    file = folder / "shop.py"
    file.write_text(textwrap.dedent(source))
    return forked.call(lambda: _recorded(file, folder / "recording", properties))


def _recorded(file: Path, out: Path, properties: Sequence[Property]) -> RecordedEvents:
    known = {"version": 1, "program": str(file), "arguments": [], "include": [], "directory": "", "python": ""}
    made = record(entry_of(str(file), ()), Loader((str(file.parent),)), out, known, properties=properties)
    trace = read_trace(out)
    found = [
        (trace.threads[each.thread], f"{each.event}({', '.join(each.objects)})", each.row != each.point)
        for each in property_events(trace)
    ]
    return RecordedEvents(found, list(made.untracked), repr(made.error) if made.error is not None else "")


class Checked(NamedTuple):
    """The outcome of a check: whether it verified the program, the kinds of the failures, the events of the first one,
    the operations that were not tracked, and what executions had of each property."""

    verified: bool
    kinds: list[str]
    events: list[tuple[str, str]]
    untracked: list[str]
    reached: Mapping[str, Reached]


def checked(source: str, folder: Path, *properties: Property, strategy: str = "dpor") -> Checked:
    """Check a program, which runs as ``__main__`` of ``shop.py``, in a child."""
    file = folder / "shop.py"
    file.write_text(textwrap.dedent(source))
    return forked.call(lambda: _checked(file, properties, strategy))


def _checked(file: Path, properties: Sequence[Property], strategy: str) -> Checked:
    settings = ProgramSettings(roots=(str(file.parent),), properties=tuple(properties))
    program = PythonProgram(Script(str(file), [], instrument_source), settings)
    program.prepare()
    explorer = Explorer(program, strategy)
    for _ in explorer.progress():
        pass
    program.close()
    outcome = explorer.outcome
    failures = [each.failure for each in outcome.found]
    events = (
        [(each.thread, f"{each.event}({', '.join(each.objects)})") for each in failures[0].events] if failures else []
    )
    kinds = [each.kind_name for each in failures]
    return Checked(isinstance(outcome.verdict, Verified), kinds, events, list(outcome.untracked), outcome.reached)
