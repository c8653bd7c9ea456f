"""Predicts bugs from one trace: runs an engine, which checks the witness of each finding, and makes the report.

For a long trace each kind of bug is searched for in a thread of its own. The findings, and their order, do not depend
on the speed of these threads.

Findings at the same places are reported once. Findings that the checker rejects are not reported as bugs, but as
internal errors of Mazurka.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from mazurka.lazy_dataclass import dataclass
from mazurka.predict.candidates import Once, Signatures
from mazurka.predict.engines import EngineRun, ProvenBug, run, undecided_after
from mazurka.predict.kinds.definition import Doing
from mazurka.predict.kinds.property_violation import bound_by, call_of
from mazurka.predict.kinds.registry import KINDS, definition
from mazurka.predict.prefetch import Prefetch, as_they_come
from mazurka.predict.suppressions import Rule
from mazurka.properties.property import described
from mazurka.properties.reached import Reached
from mazurka.report.details import Details, Orders
from mazurka.report.finding import (
    CheckedWitness,
    Column,
    Explanation,
    Finding,
    FindingEvent,
    HeldLock,
    ObservedOrder,
    Row,
    WitnessTurn,
)
from mazurka.report.prediction_report import PredictionReport, UsedRule
from mazurka.report.words import LONGEST_NAME, shorten, verb
from mazurka.trace.event import Location, Op
from mazurka.trace.held_locks import Held, Holding
from mazurka.trace.invocations import Invocation, invocations
from mazurka.trace.literals import Raised, Value, value_of, words_of
from mazurka.trace.locations import text_of
from mazurka.trace.property_events import property_events
from mazurka.trace.targets import Kind, kind_of
from mazurka.trace.trace import Trace
from mazurka.witness import CallsReversed, PropertyViolation, Witness
from mazurka.workflows.observed_order import observed_order, shown_rows
from mazurka.workflows.possible_orders import STEPS, orders_of

#: For traces of so many events a thread for each kind of bug pays.
_LONG: Final = 100_000

#: So many findings show the part of the trace that they are about, and so many of these which events can change places.
_DETAILED: Final = 200
_ASKED: Final = 20

#: Seconds after which one of these threads yields the interpreter to another that returns from compiled code (Python's
#: default of 5 ms is longer than most questions take).
_TURN: Final = 0.0005


@dataclass(frozen=True, slots=True)
class Request:
    """The kinds of bugs, the engine, and its limits."""

    source: str
    engine: str
    kinds: tuple[str, ...]
    window: int | None = None
    time_limit: float | None = None
    rules: Sequence[Rule] = ()
    detailed: bool = False  # whether findings show the observed and the predicted order


@dataclass(frozen=True, slots=True)
class Numbered:
    """A trace each of whose rows is a step of its own, and the number of each row's event in its file (negative: none);
    None if that is the number of the row. ``assumed`` are repairs that assume an order which the file does not show."""

    trace: Trace
    numbers: NDArray[np.int64] | None = None
    assumed: tuple[str, ...] = ()

    def event(self, row: int) -> int:
        """The number of the event of a row, or of the last row before it with a number."""
        if self.numbers is None:
            return row
        while row >= 0 and self.numbers[row] < 0:
            row -= 1
        return int(self.numbers[row]) if row >= 0 else -1


class PredictObserver(Protocol):
    """The caller of a prediction, which is informed of its progress."""

    def found(self, number: int, stage: str) -> None:
        """Called after each bug found: their number, and the stage that found the last one."""
        ...

    def compiles(self) -> None:
        """Called before kernels are used that have to be compiled first, although the trace is short."""
        ...

    def confirming(self, number: int, of: int) -> None:
        """Called before finding ``number`` of ``of`` findings is run on the program."""
        ...

    def stopped(self) -> bool:
        """Whether to stop, and report the findings so far."""
        ...


def predict(
    numbered: Numbered,
    request: Request,
    watcher: PredictObserver | None = None,
    happens: Callable[[ProvenBug], bool | None] | None = None,
) -> PredictionReport:
    """The report on a trace. ``happens`` runs a finding's witness on the program, and returns whether the program shows
    it, None if that can't be decided. All reported findings are run, even after the time limit."""
    trace = numbered.trace
    started = time.monotonic()

    def expired() -> bool:
        late = request.time_limit is not None and time.monotonic() - started > request.time_limit
        return late or (watcher is not None and watcher.stopped())

    search = EngineRun(trace, request.window, expired, *(() if watcher is None else (watcher.compiles,)))
    telling = _FindingCollector(numbered, request.detailed)
    alone = len(trace) < _LONG
    searches = [search, *(search if alone else search.beside() for _ in request.kinds[1:])]
    coming = [run(one, request.engine, (kind,)) for one, kind in zip(searches, request.kinds, strict=False)]
    with nullcontext(chain(*coming)) if alone else _together(coming) as findings:
        if not alone:
            search.prepare()
        for found in findings:
            telling.take(found)
            if watcher is not None:
                watcher.found(telling.number, found.stage)
    report = PredictionReport(
        request.source, request.engine, len(trace), len(trace.threads), request.kinds, request.window
    )
    kept = _kept(telling.findings(request.kinds), request.rules)
    report.expired = expired()
    tried = _confirmed(kept, happens, watcher)
    # What rests on an order that a repair assumed is proven by a run only.
    left = [each for each in tried if not (each.replayed if numbered.assumed else each.replayed is not False)]
    report.findings = [each for each in tried if each not in left]
    report.unconfirmed, report.assumed = left, numbered.assumed
    report.counts = telling.counts(left)
    report.lacking, report.is_vacuous = _lacking(trace, request.kinds)
    report.stages = [stage for one in ([search] if alone else searches) for stage in one.stages]
    report.undecided = undecided_after(report.stages)
    report.suppressed = [UsedRule(rule.text, rule.line, rule.used) for rule in request.rules]
    report.refused = telling.refused
    report.seconds = time.monotonic() - started
    return report


def _lacking(trace: Trace, kinds: Iterable[str]) -> tuple[list[str], bool]:
    """Which events of properties a trace does not have, and whether nothing could be found without them."""
    stated = [property_ for kind in kinds if (property_ := KINDS[kind].property) is not None]
    if not stated:
        return [], False
    from mazurka.properties.measuring import doubt, summaries
    from mazurka.properties.registry import own

    had = {each.name: Reached(frozenset(event.event for event in property_events(trace, each.name))) for each in stated}
    doubts = [text for each in own(stated) if (text := doubt(each, had[each.name], lambda site: ""))]
    return [*doubts, *summaries(stated, had)], bool(doubts)


@contextmanager
def _together(coming: Sequence[Iterator[ProvenBug]]) -> Iterator[Iterator[ProvenBug]]:
    """The findings of all iterators, each of which computes its next finding in a thread of its own."""
    with ExitStack() as stack:
        stack.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(_TURN)
        if not gc.get_freeze_count():
            stack.callback(gc.unfreeze)
            gc.freeze()  # to examine all present objects, mostly compiled code, takes a tenth of a second
        yield as_they_come([stack.enter_context(Prefetch(each)) for each in coming])


def _confirmed(
    findings: Sequence[_Proven], happens: Callable[[ProvenBug], bool | None] | None, watcher: PredictObserver | None
) -> list[Finding]:
    """The findings, each with the result of its run on the program."""
    confirmed = []
    for number, (finding, found) in enumerate(findings, 1):
        if happens is not None and not (watcher is not None and watcher.stopped()):
            if watcher is not None:
                watcher.confirming(number, len(findings))
            finding = replace(finding, replayed=happens(found))
        confirmed.append(finding)
    return confirmed


def _kept(findings: Iterable[_Proven], rules: Sequence[Rule]) -> list[_Proven]:
    """The findings that no rule suppresses."""
    kept = []
    for each in findings:
        finding, _ = each
        places = [event.place for event in finding.events]
        functions = [event.location.function for event in finding.events if event.location is not None]
        targets = [event.target for event in finding.events]
        matching = [rule for rule in rules if rule.matches(finding.kind, places, functions, targets)]
        for rule in matching:
            rule.used += 1
        if not matching:
            kept.append(each)
    return kept


#: A finding, and its first proven bug.
_Proven = tuple[Finding, ProvenBug]


@dataclass
class _FindingCollector:
    """Groups proven bugs by their source locations."""

    numbered: Numbered
    detailed: bool = False
    refused: list[str] = field(default_factory=list)
    number: int = 0
    _found: dict[tuple[str, Hashable], _Proven] = field(default_factory=dict)
    _rows: dict[tuple[str, tuple[int, ...]], str] = field(default_factory=dict)  # with fingerprints of their findings
    _places: dict[int, str] = field(default_factory=dict)  # by number of a location

    def __post_init__(self) -> None:
        self.trace = self.numbered.trace
        self._holding = Holding(self.trace)
        self._signatures: dict[str, Signatures] = {}

    def take(self, found: ProvenBug) -> None:
        if found.objections:
            rows, reasons = ", ".join(map(str, found.rows)), "; ".join(found.objections)
            self.refused.append(f"{found.kind} of events {rows}: {reasons}")
            return
        if found.kind not in self._signatures:
            self._signatures[found.kind] = Signatures(self.trace, found.kind, Once.LOCATIONS)
        key = found.kind, self._signatures[found.kind].of(found.rows)
        self.number += 1
        if key in self._found:
            finding, first = self._found[key]
            self._found[key] = replace(finding, alike=finding.alike + 1), first
        else:
            self._found[key] = self._finding(found), found
        self._rows[found.kind, found.rows] = self._found[key][0].fingerprint

    def _finding(self, found: ProvenBug) -> Finding:
        events = tuple([self._event(row) for row in found.rows])
        doing, kind = [self._doing(row) for row in found.rows], definition(found.kind)
        if isinstance(found.witness.claim, CallsReversed):
            returns = found.witness.claim.returns
            doing = [self._calling(*each) for each in zip(doing, found.rows, returns, strict=True)]
        located = [event.location for event in events if event.location is not None]
        observed, details, orders = self._observed(found)
        return Finding(
            kind=found.kind,
            message="; ".join(map(_in_words, events)),
            thread=events[0].thread,
            location=next((place for place in located if place.line), next(iter(located), None)),
            explanation=_explanation(events, self._description(found) or kind.sentence(doing)),
            fingerprint=_fingerprint(found.kind, events),
            events=events,
            witness=self._shown(found.witness, kind.ending(doing)),
            label=events[0].thread,
            engine=found.stage,
            observed=observed,
            details=details,
            orders=orders,
        )

    def _observed(self, found: ProvenBug) -> tuple[ObservedOrder | None, Details | None, Orders | None]:
        """The part of the trace that shows a bug; for the first bugs, the events of it that can change places."""
        if not self.detailed or len(self._found) >= _DETAILED:
            return None, None, None
        trace = self.trace
        acquires = [held.since for row in found.rows for held in self._holding.at(row)]
        observed, details = observed_order(trace, found.rows, found.witness, self._event, acquires)
        if len(self._found) >= _ASKED:
            return observed, details, None
        first = [*found.rows, *acquires, *shown_rows(trace, found.rows)]
        orders = orders_of(trace, len(trace), first, STEPS // 2, words=_words, number=self.numbered.event)
        return observed, details, orders

    def _description(self, found: ProvenBug) -> str:
        """The description of a property that is violated; "" if it has none, and for other kinds."""
        stated, claim = KINDS[found.kind].property, found.witness.claim
        if stated is None or not isinstance(claim, PropertyViolation):
            return ""
        return described(stated.description, bound_by(claim))

    def findings(self, kinds: Sequence[str]) -> list[_Proven]:
        """The findings, sorted by kind, and for each kind in the order in which they were found."""
        return sorted(self._found.values(), key=lambda each: kinds.index(each[0].kind))

    def counts(self, without: Iterable[Finding] = ()) -> dict[str, int]:
        """The counts of proven bugs of each kind, without those of some findings."""
        left_out, counted = {each.fingerprint for each in without}, dict[str, int]()
        for kind in KINDS.values():
            proven = [rows for (name, rows), of in self._rows.items() if name == kind.name and of not in left_out]
            places = [each for each, _ in self._found.values() if each.fingerprint not in left_out]
            counted |= kind.counts(proven, sum(each.kind == kind.name for each in places))
        return counted

    def _doing(self, row: int) -> Doing:
        """An event in the form in which sentences name it."""
        trace = self.trace
        target = shorten(self._target_words(row), LONGEST_NAME)
        return Doing(trace.threads[trace.thread[row]], Op(int(trace.op[row])), target)

    def _calling(self, doing: Doing, row: int, returns: str | None) -> Doing:
        """An event that is a call, with its result in the trace and in the order of a witness."""
        had = self._invocations[row].result
        gives = "waits" if returns is None else _result_words(value_of(returns))
        return doing._replace(had=_result_words(had), gives=gives)

    @cached_property
    def _invocations(self) -> dict[int, Invocation]:
        """Calls by the rows at which they begin."""
        return {call.begin: call for call in invocations(self.trace)}

    def _target_words(self, row: int) -> str:
        """The name of an event's target; for a call, with its arguments."""
        trace = self.trace
        target = trace.targets[trace.target[row]]
        if trace.op[row] == Op.CALL and kind_of(target) is Kind.METHOD and row in self._invocations:
            return self._invocations[row].call
        return call_of(str(target[-1])) if trace.op[row] == Op.POINT else _words(target)

    def _event(self, row: int) -> FindingEvent:
        trace = self.trace
        return FindingEvent(
            self.numbered.event(row),
            trace.threads[trace.thread[row]],
            verb(Op(int(trace.op[row]))),
            self._target_words(row),
            self._location(row),
            self._place(int(trace.site[row])),
            held=tuple([self._lock(held) for held in self._holding.at(row)]),
        )

    def _lock(self, held: Held) -> HeldLock:
        name, site = self.trace.targets[held.lock], int(self.trace.site[held.since])
        return HeldLock(_words(name), self.numbered.event(held.since), self._place(site))

    def _location(self, row: int) -> Location | None:
        site = int(self.trace.site[row])
        return self.trace.locations[site] if 0 <= site < len(self.trace.locations) else None

    def _place(self, site: int) -> str:
        found = self._places.get(site)
        if found is None:
            known = 0 <= site < len(self.trace.locations)
            found = self._places[site] = text_of(self.trace.locations[site]) if known else ""
        return found

    def _shown(self, witness: Witness, ending: str) -> CheckedWitness:
        """The order of an accepted witness, in the form for reports."""
        event, names = self.numbered.event, self.trace.threads
        order = np.array(witness.order, np.int64)
        threads = np.asarray(self.trace.thread)[order]
        ends = np.append(np.flatnonzero(threads[1:] != threads[:-1]), len(order) - 1)[: len(order)]
        lasts = order[ends]
        columns = (threads[ends], np.diff(ends, prepend=-1), lasts)
        turns = [
            WitnessTurn(names[thread], length, event(last))
            for thread, length, last in zip(*[column.tolist() for column in columns], strict=True)
        ]
        unread, claim = tuple(map(event, sorted(witness.unread))), type(witness.claim).__name__
        return CheckedWitness(claim, tuple(turns), event(witness.prefix - 1) + 1, unread, ending=ending)


def _in_words(event: FindingEvent) -> str:
    """A thread's operation and its location, in words."""
    return f"{event.thread} {event.operation} {event.target}" + (f" at {event.place}" if event.place else "")


def _explanation(events: Sequence[FindingEvent], sentence: str) -> Explanation:
    """The events, each in the column of its thread."""
    columns = [Column(thread, thread) for thread in dict.fromkeys(event.thread for event in events)]
    rows = [
        Row(event.number, event.thread, (f"{event.operation} {event.target}",), event.location, failing=True)
        for event in events
    ]
    return Explanation(tuple(columns), tuple(rows), None, sentence)


def _fingerprint(kind: str, events: Sequence[FindingEvent]) -> str:
    """A fingerprint of the kind and the places, equal for the same finding in another trace."""
    places = [event.place or event.target for event in events]
    ordered = places if KINDS[kind].is_ordered else sorted(places)
    return sha256("\0".join((kind, *ordered)).encode()).hexdigest()[:16]


def _result_words(result: Value) -> str:
    """The result of a call, in words."""
    return f"raises {result.kind}" if isinstance(result, Raised) else f"returns {words_of(result)}"


def _words(target: Any) -> str:
    """The name of a target."""
    return " ".join(map(str, target[1:])) or str(target[0])
