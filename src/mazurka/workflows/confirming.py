"""Executes predictions from a recording on the program itself, and tests whether they happen.

The witness of a finding is an order of recorded events. The program is run under control (as `mazurka check` does) and
its threads are moved in that order as nearly as possible (policy.Guided) or, if that fails, the threads of a race each
up to its access. Then the run is tested for the claim: two adjacent accesses at these places, the access of another
thread in between, a deadlock. A finding that is not confirmed may still be right: names of threads, random numbers and
inputs may have differed in the recording.

Cost: preparing the program, and one to twelve runs a finding, which end soon after they show it.
"""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from mazurka.config import Options
from mazurka.errors import UsageError
from mazurka.predict.engines import ProvenBug
from mazurka.predict.kinds.registry import ATOMICITY, CALL_ORDER, DEADLOCK, KINDS, ORDER_VIOLATION
from mazurka.program.guide import ITEM_NAME, GuideStep, is_called
from mazurka.program.protocol import (
    FailureKind,
    KnownCall,
    LearnsPoints,
    OrderedCalls,
    Plan,
    Program,
    Run,
    Step,
    TailPolicy,
    learned_points,
)
from mazurka.trace.conflicts import RACE, conflict, shown
from mazurka.trace.event import WRITES, Op
from mazurka.trace.ids import SiteNumber
from mazurka.trace.invocations import invocations
from mazurka.trace.literals import Opaque, Raised, Value, text_of, value_of
from mazurka.trace.property_events import PropertyEvent, property_events
from mazurka.trace.targets import VARIABLE, Kind, kind_of, wholes_of
from mazurka.trace.trace import NO_VALUE, Trace
from mazurka.witness import CallsReversed, PropertyViolation
from mazurka.workflows.program_spec import ProgramSpec, open_program
from mazurka.workflows.recorded_properties import PROPERTIES
from mazurka.workflows.recording_runs import DESCRIPTION

_STOPPING: Final = (FailureKind.DEADLOCK, FailureKind.BLOCKED)
_GUIDING: Final = frozenset({Op.READ, Op.WRITE, Op.RMW, Op.ACQUIRE})

#: The most runs that are repeated because they found new points.
_TRIES: Final = 3

#: Random runs after the guided ones, for bugs that any order of some kind shows.
_AT_RANDOM: Final = 20

#: After so many consecutive findings whose runs were cut short (the program waits outside the model, say) no more are
#: run.
_PATIENCE: Final = 2


class Confirmer:
    """Runs findings of one trace on the recorded program."""

    def __init__(self, recording: Path, trace: Trace) -> None:
        self._trace = trace
        known = _description(recording)
        self._program = _program(known, recording)
        self._directory = str(known["directory"])
        self._cut = 0  # consecutive findings whose runs were cut short
        self.trouble = ""  # the reason why no more findings are run

    def close(self) -> None:
        """Undo the instrumentation of the program."""
        self._program.close()

    def happens(self, found: ProvenBug) -> bool | None:
        """Whether a run shows the bug; None if the program can't be run for that, or there is no rule for such bugs in
        runs."""
        known = _CONFIRMATIONS.get(found.kind if KINDS[found.kind].property is None else _PROPERTY)
        if self.trouble or known is None:
            return None
        self._program.prepare()
        for plan in self._plans(found, known):
            learned_points(self._program).points.update(site for wanted in plan.guide for site in wanted.sites)
            for _ in range(_TRIES):
                run = self._program.execute(plan)
                if known.shows(self, run, found):
                    self._cut = 0
                    return True
                if run.truncated:
                    self._note_cut(run.truncated)
                    return None
                if not run.found_new_points:
                    break
        self._cut = 0
        return False

    def _plans(self, found: ProvenBug, known: _Confirmation) -> Iterator[Plan]:
        """The plans of runs that may show the bug, the likeliest first."""
        calls = self._calls_of(found) if known.reverses else None
        for guide in self._guides(found, known):
            yield Plan(tail=TailPolicy.GUIDED, guide=guide, brief=not known.ends, calls=calls)
        if calls is not None:
            yield Plan(tail=TailPolicy.GUIDED, calls=calls._replace(meets=True))
        for seed in range(_AT_RANDOM if calls is not None else 0):
            yield Plan(tail=TailPolicy.RANDOM, seed=seed, calls=calls and calls._replace(meets=bool(seed % 2)))

    def _calls_of(self, found: ProvenBug) -> OrderedCalls:
        """The two calls of a finding, in the form for plans."""
        first, second = map(self._call, found.rows)
        return OrderedCalls(first, second)

    def _call(self, row: int) -> KnownCall:
        trace = self._trace
        thread = int(trace.thread[row])
        own = [call for call in invocations(trace) if call.thread == thread and call.begin <= row]
        this = next(call for call in own if call.begin == row)
        same = sum((call.type_name, call.method) == (this.type_name, this.method) for call in own)
        return KnownCall(trace.threads[thread], this.type_name, this.method, same - 1)

    def come_reversed(self, run: Run, found: ProvenBug) -> bool:
        """Whether two calls have come in the other order, and returned the predicted results."""
        claim = found.witness.claim
        if not isinstance(claim, CallsReversed) or run.returned is None:
            return False
        known = {int(call.begin): call for call in invocations(self._trace)}
        recorded = [text_of(known[row].result) for row in found.rows]
        return all(_is_as_predicted(*each) for each in zip(run.returned, claim.returns, recorded, strict=True))

    def _note_cut(self, reason: str) -> None:
        self._cut += 1
        if self._cut == _PATIENCE:
            self.trouble = reason

    def _guides(self, found: ProvenBug, known: _Confirmation) -> Iterator[tuple[GuideStep, ...]]:
        """The guides to the bug, those nearest to the order first."""
        for rows in known.orders(self, found):
            yield tuple(self._guide(rows))
            if events := self._events_to_meet(found):
                yield tuple(self._guide(rows, events))
        if known.stands:
            before = [list(self._before(found, row)) for row in found.rows]
            if all(before):
                ends = [wanted[-1] for wanted in before]
                for one, other in ((0, 1), (1, 0)):
                    stand = [*before[one][:-1], ends[one]._replace(stays=True)]
                    stand += [*before[other][:-1], ends[other]._replace(stays=True)]
                    yield (*stand, ends[one], ends[other])

    def _before(self, found: ProvenBug, row: int) -> Iterator[GuideStep]:
        """The earlier events of the same thread, operation and site as a row, which the proven order has before it, and
        the row."""
        trace, lead = self._trace, self._leads[row]
        own = (trace.thread[lead], trace.op[lead], trace.site[lead])
        for each in _proven(found):
            if each not in found.rows and (trace.thread[each], trace.op[each], trace.site[each]) == own and each < lead:
                yield from self._guide([each])
        yield from self._guide([lead])

    def orders_before(self, found: ProvenBug) -> Iterator[Sequence[int]]:
        """The proven order, up to the events at which threads wait."""
        leads = {self._leads[row] for row in found.rows}
        yield [row for row in _proven(found) if self._leads[row] not in leads]

    def orders_of_both(self, found: ProvenBug) -> Iterator[Sequence[int]]:
        """The proven order up to the two events, and then these in either order."""
        leads = [self._leads[row] for row in found.rows]
        for before in self.orders_before(found):
            yield [*before, *leads]
            yield [*before, *reversed(leads)]

    def orders_as_proven(self, found: ProvenBug) -> Iterator[Sequence[int]]:
        """The whole proven order."""
        yield _proven(found)

    def _events_to_meet(self, found: ProvenBug) -> frozenset[int]:
        """The rows of a property's events that no other step of a guide leads to: releases of locks, and events that
        are no operation but the call of a function. Those before there is a second thread are no choice."""
        claim = found.witness.claim
        if not isinstance(claim, PropertyViolation):
            return frozenset()
        rows = {each.row for each in self._events_of(claim) if self._trace.op[each.row] in (Op.RELEASE, Op.POINT)}
        start = next((row for row in range(len(self._trace)) if self._trace.op[row] == Op.FORK), len(self._trace))
        return frozenset(row for row in rows if row > start)

    def _events_of(self, claim: PropertyViolation) -> Sequence[PropertyEvent]:
        return property_events(self._trace, claim.property.name)

    def _guide(self, rows: Sequence[int], events: frozenset[int] = frozenset()) -> Iterator[GuideStep]:
        trace = self._trace
        for row in rows:
            if self._leads[row] != row:
                continue
            op = Op(int(trace.op[row]))
            kind = kind_of(trace.targets[trace.target[row]])
            if op is Op.FORK:
                yield GuideStep(str(trace.targets[trace.target[row]][-1]), Op.BEGIN, frozenset())
            elif op is Op.POINT and row in events:
                name = str(trace.targets[trace.target[row]][1]).partition(".")[0]
                yield GuideStep(trace.threads[trace.thread[row]], op, frozenset(), name)
            elif (op in _GUIDING or row in events) and kind is not Kind.HIDDEN:
                places = self._sites_of(row)
                if places or op in (Op.ACQUIRE, Op.RELEASE):
                    yield GuideStep(trace.threads[trace.thread[row]], op, places, self._name_of(row))

    @cached_property
    def _leads(self) -> list[int]:
        """For each row the first row of its operation. An operation on a container may be recorded as accesses of an
        item and of the structure, one on an attribute as accesses of an instance and a class."""
        trace = self._trace
        leads: list[int] = []
        last: dict[int, int] = {}  # by thread: its last row
        columns = (trace.thread.tolist(), trace.op.tolist(), trace.site.tolist())
        for row, (thread, op, site) in enumerate(zip(*columns, strict=True)):
            before, lead = last.get(thread), row
            if before is not None and trace.site[before] == site != NO_VALUE and self._goes_on(leads[before], row):
                lead = leads[before]
            leads.append(lead)
            if op not in (Op.BRANCH, Op.POINT):  # a property's event is no access
                last[thread] = row
        return leads

    def _goes_on(self, lead: int, row: int) -> bool:
        """Whether a row at the same site belongs to the operation that ``lead`` begins."""
        (kind, name), (own_kind, own) = [self._trace.targets[self._trace.target[each]] for each in (lead, row)]
        if own_kind == Kind.STRUCTURE.recorded:
            return bool(own != name)
        if kind == Kind.STRUCTURE.recorded:
            return bool(own_kind == VARIABLE)
        reads = self._trace.op[lead] == self._trace.op[row] == Op.READ
        return bool(reads and own != name and own.rpartition(".")[2] == name.rpartition(".")[2] and own[-1:] != "]")

    def _name_of(self, row: int) -> str:
        """The name of the attribute or global that a row accesses; for an item, a word for items."""
        kind, name = self._trace.targets[self._trace.target[row]]
        if kind == Kind.STRUCTURE.recorded or (kind == VARIABLE and name[-1:] == "]"):
            return ITEM_NAME
        return name.rpartition(".")[2] if kind == VARIABLE else ""

    def _sites_of(self, row: int) -> frozenset[SiteNumber]:
        number = int(self._trace.site[row])
        if not 0 <= number < len(self._trace.locations):
            return frozenset()
        location = self._trace.locations[number]
        if not isinstance(self._program, LearnsPoints):
            return frozenset()
        place = replace(location, file=os.path.join(self._directory, location.file))
        return self._program.sites_at(place, str(self._trace.targets[self._trace.target[row]][-1]))

    def _places(self, found: ProvenBug) -> list[frozenset[SiteNumber]]:
        """For each event of a finding the sites at which the program may make it."""
        return [self._sites_of(row) | self._sites_of(self._leads[row]) for row in found.rows]

    def races(self, run: Run, found: ProvenBug) -> bool:
        """Whether two accesses at these places are adjacent."""
        places, name = self._places(found), self._name_of(found.rows[0])
        pairs = (
            (run.log[each.first].site, run.log[each.second].site)
            for each in shown(run.log)
            if not name or is_called(each.target, name)
        )
        return any(
            one in places[0] and other in places[1] or one in places[1] and other in places[0] for one, other in pairs
        )

    def stops(self, run: Run, found: ProvenBug) -> bool:  # at any place
        """Whether threads wait for ever."""
        return any(failure.kind in _STOPPING for failure in run.failures)

    def interleaves(self, run: Run, found: ProvenBug) -> bool:
        """Whether another thread's access comes between two accesses of one thread."""
        first, between, last = self._places(found)
        for number, step in enumerate(run.log):
            if step.site not in first:
                continue
            met = False
            for later in run.log[number + 1 :]:
                if later.task != step.task and later.site in between and _meets(step, later):
                    met = True
                elif later.task == step.task and later.site in last:
                    if met:
                        return True
                    break
        return False

    def is_too_early(self, run: Run, found: ProvenBug) -> bool:
        """Whether a thread uses a location that the other one initialises only later."""
        (user, uses), (maker, makes) = [
            (self._trace.threads[self._trace.thread[row]], self._sites_of(row)) for row in found.rows
        ]
        used: dict[Any, Step] = {}
        made: set[Any] = set()
        for step in run.log:
            if step.site in uses and run.tasks[step.task] == user:
                used.setdefault(step.target, step)
            elif step.site in makes and run.tasks[step.task] == maker and step.target not in made:
                made.add(step.target)
                if step.target in used and conflict(used[step.target], step) is not None:
                    return True
        return False

    def orders_of_words(self, found: ProvenBug) -> Iterator[Sequence[int]]:
        """The proven order; for events that are next at once, in either order."""
        claim = found.witness.claim
        if isinstance(claim, PropertyViolation) and claim.at_once:
            rows = {event.point: event.row for event in self._events_of(claim)}
            leads = [self._leads[rows[step]] for step in claim.steps[-2:]]
            yield [*_proven(found), *leads]
            yield [*_proven(found), *reversed(leads)]
        else:
            yield _proven(found)

    def violates(self, run: Run, found: ProvenBug) -> bool:
        """Whether the run violates the property."""
        return any(failure.rule == found.kind for failure in run.failures)


class _Confirmation(NamedTuple):
    """The rule to confirm a kind of bug: the orders that guide a run, and the test whether it shows the bug.
    ``stands``: runs may also stop threads before their events; ``ends``: the end of the run counts; ``reverses``: the
    run is guided to have two calls in the other order."""

    shows: Callable[[Confirmer, Run, ProvenBug], bool]
    orders: Callable[[Confirmer, ProvenBug], Iterator[Sequence[int]]]
    stands: bool = False
    ends: bool = False
    reverses: bool = False


#: All properties, among kinds of bugs.
_PROPERTY: Final = "property"

_CONFIRMATIONS: Final = {
    RACE: _Confirmation(Confirmer.races, Confirmer.orders_of_both, stands=True),
    DEADLOCK: _Confirmation(Confirmer.stops, Confirmer.orders_before, ends=True),
    ATOMICITY: _Confirmation(Confirmer.interleaves, Confirmer.orders_as_proven),
    ORDER_VIOLATION: _Confirmation(Confirmer.is_too_early, Confirmer.orders_as_proven),
    _PROPERTY: _Confirmation(Confirmer.violates, Confirmer.orders_of_words, ends=True),
    CALL_ORDER: _Confirmation(Confirmer.come_reversed, Confirmer.orders_as_proven, ends=True, reverses=True),
}


def _is_as_predicted(returned: str | None, predicted: str | None, recorded: str) -> bool:
    """Whether a call returned the result of a model. For an exception any exception will do. Objects have other numbers
    in another run, so that only their classes are compared if these differ from those recorded."""
    if returned is None or predicted is None or returned == predicted:
        return returned == predicted
    given, wanted, had = map(value_of, (returned, predicted, recorded))
    if isinstance(given, Raised) and isinstance(wanted, Raised):
        return not hasattr(builtins, wanted.kind)
    return _classes(given) == _classes(wanted) and (predicted == recorded or _classes(wanted) != _classes(had))


def _classes(value: Value) -> Value:
    """A value with classes in place of objects."""
    if isinstance(value, (tuple, frozenset)):
        return type(value)(map(_classes, value))
    return Opaque(value.name.partition("@")[0]) if isinstance(value, Opaque) else value


def _meets(step: Step, later: Step) -> bool:
    """Whether two steps conflict; or the later one changes the container, or an item of the container, that the other
    tests or iterates over."""
    if conflict(step, later) is not None:
        return True
    return bool(WRITES[later.op]) and (step.target == later.target or step.target in wholes_of(later.target))


def _proven(found: ProvenBug) -> list[int]:
    """The whole order that shows a finding."""
    return [*range(found.witness.prefix), *found.witness.order]


def _description(recording: Path) -> dict[str, Any]:
    """The description in a recording."""
    try:
        known: dict[str, Any] = json.loads((recording / DESCRIPTION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(
            "no-program",
            "this trace does not name its program",
            where=str(recording),
            hint="only recordings by `mazurka record` can be confirmed",
        ) from None
    return known


def _program(known: dict[str, Any], recording: Path) -> Program:
    """The program of a recording."""
    try:
        target = os.path.join(known["directory"], known["program"])
        subject = ProgramSpec(target, tuple(known["arguments"]))
        properties = (str(recording / PROPERTIES),) if (recording / PROPERTIES).is_file() else ()
        return open_program(subject, replace(Options(), include=tuple(known["include"]), properties=properties))
    except (KeyError, TypeError):
        raise UsageError("no-program", "its description is damaged", where=str(recording / DESCRIPTION)) from None
