"""Draws small clients of shared objects: sets, maps, counters, queues and registers, beside variables and locks.

Two to four threads call methods whose arguments may be results of earlier calls; main looks at all objects at the end.
:func:`commuting_classes` says which executions of a program are equivalent under the specifications of its objects.
"""

from __future__ import annotations

import random
from typing import Any

from tests.oracle.enumerate import TooLarge
from tests.oracle.language import Assert, Call, If, Lock, Read, SmallProgram, Unlock, Write
from tests.oracle.program import Stepper

from mazurka.commute.registry import specification
from mazurka.commute.specification import Specification
from mazurka.program.protocol import Step
from mazurka.trace.event import WRITES
from mazurka.trace.ids import Row, ThreadIndex
from mazurka.trace.invocations import Invocation
from mazurka.trace.literals import value_of
from mazurka.trace.logged_calls import LoggedCall, logged_call
from mazurka.trace.targets import INVOKED

#: By type: its methods, and for each of their parameters the possible arguments.
_METHODS: dict[str, tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]] = {
    "concurrent_set": (
        *((method, (("0", "1", "1 if a else 0"),)) for method in ("add", "add", "remove", "contains")),
        *((method, ()) for method in ("size", "clear", "pop_min")),
    ),
    "hash_table": (
        *((method, (("'k'", "'l'"), ("0", "1"))) for method in ("put", "put", "put_if_absent")),
        *((method, (("'k'", "'l'"),)) for method in ("get", "remove", "contains")),
        ("size", ()),
    ),
    "counter": (
        *((method, ()) for method in ("inc", "inc", "dec", "read", "reset", "is_zero")),
        *((method, (("0", "1", "2"),)) for method in ("add", "fetch_add")),
    ),
    "queue": (("enq", (("0", "1"),)), ("enq", (("1", "2"),)), *((name, ()) for name in ("deq", "deq", "peek", "size"))),
    "register": (
        *((method, (("0", "1"),)) for method in ("write", "swap")),
        ("cas", (("0", "1"), ("1", "2"))),
        ("read", ()),
    ),
}  # fmt: skip

_LOOKS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "concurrent_set": (("size", ()), ("contains", ("0",)), ("contains", ("1",))),
    "hash_table": (("get", ("'k'",)), ("get", ("'l'",))),
    "counter": (("read", ()),),
    "queue": (("deq", ()), ("deq", ()), ("deq", ()), ("size", ())),
    "register": (("read", ()),),
}


def random_client(number: int, *, mixed: bool = True) -> SmallProgram:
    """The program of that number; ``mixed`` ones use variables and locks besides."""
    rng = random.Random(f"client {number}")
    things = {f"o{i}": rng.choice(list(_METHODS)) for i in range(rng.choice((1, 1, 2)))}
    count = rng.choice((2, 2, 3, 3, 4))
    most = {2: 3, 3: 2, 4: 1}[count]
    threads = tuple(_body(rng, things, rng.randint(1, most), mixed) for _ in range(count))
    looks = [(thing, look) for thing, kind in things.items() for look in _LOOKS[kind]]
    after: list[Any] = [Call(f"f{i}", thing, method, given) for i, (thing, (method, given)) in enumerate(looks)]
    if mixed:
        after += [Read("x", "x"), Read("y", "y")]
    return SmallProgram(threads, after=tuple(after), things=things)


def _body(rng: random.Random, things: dict[str, str], size: int, mixed: bool) -> tuple[Any, ...]:
    return tuple(each for _ in range(size) for each in _statements(rng, things, mixed))


def _statements(rng: random.Random, things: dict[str, str], mixed: bool) -> list[Any]:
    choice = rng.randrange(12) if mixed else 0
    if choice == 11:
        return [Write(rng.choice("xy"), rng.choice(("1", "2")))]
    if choice == 10:
        return [Read("b", rng.choice("xy"))]
    if choice == 9:
        return [If("b == 1", (_call(rng, things),), (_call(rng, things),))]
    if choice == 8:
        return [Lock("l"), _call(rng, things), Unlock("l")]
    if choice == 7:
        return [_call(rng, things), Assert("a != 2")]
    return [_call(rng, things)]


def _call(rng: random.Random, things: dict[str, str]) -> Call:
    thing = rng.choice(list(things))
    method, parameters = rng.choice(_METHODS[things[thing]])
    return Call("a", thing, method, tuple([rng.choice(values) for values in parameters]))


# -- equivalence under the specifications -----------------------------------------------------------------------------


def commuting_classes(program: SmallProgram, limit: int) -> dict[tuple[str, ...], int]:
    """For each execution, as the threads that moved at its points, the number of its class.

    Executions are equivalent if they come of each other by exchanging adjacent steps that are independent, or calls
    that commute by the specification in the state in which they are made.
    """
    logs = dict(_executions(program, limit))
    specifications = {name: specification(kind, "fine") for name, kind in program.things.items()}
    parents = {schedule: schedule for schedule in logs}

    def find(schedule: tuple[str, ...]) -> tuple[str, ...]:
        while parents[schedule] != schedule:
            schedule = parents[schedule]
        return schedule

    for schedule, steps in logs.items():
        for at in range(len(steps) - 1):
            one, other = steps[at], steps[at + 1]
            exchanged = (*schedule[:at], schedule[at + 1], schedule[at], *schedule[at + 2 :])
            if one.task != other.task and exchanged in logs and _commute(one, other, specifications):
                parents[find(schedule)] = find(exchanged)
    return {schedule: hash(find(schedule)) for schedule in logs}


def _executions(program: SmallProgram, limit: int) -> list[tuple[tuple[str, ...], list[Step]]]:
    found: list[tuple[tuple[str, ...], list[Step]]] = []
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        prefix = waiting.pop()
        stepper = Stepper(program)
        stepper.begin()
        for name in prefix:
            stepper.advance(next(t for t in stepper.at_points() if stepper.name_of(t) == name))
        enabled = stepper.at_points()
        if not enabled:
            found.append((prefix, [step for step in stepper.log if step.point]))
        if len(found) + len(waiting) > limit:
            raise TooLarge(limit)
        waiting += [(*prefix, stepper.name_of(t)) for t in enabled]
    return found


def _commute(one: Step, other: Step, specifications: dict[str, Specification]) -> bool:
    if one.target != other.target:
        return True
    if one.target[0] != INVOKED:
        return not (WRITES[one.op] or WRITES[other.op])
    first, second = logged_call(one.value), logged_call(other.value)
    assert first is not None
    assert second is not None
    states = value_of(first.before), value_of(second.before)
    return specifications[one.target[1]].commute(_invocation(first), _invocation(second), states)


def _invocation(call: LoggedCall) -> Invocation:
    arguments = value_of(call.arguments)
    assert isinstance(arguments, tuple)
    number = Row(0)
    return Invocation(number, number, ThreadIndex(0), call.type_name, "", call.method, arguments, value_of(call.result))
