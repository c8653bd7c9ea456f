"""Checks a finding by the witness checker, which shares no code with the engine that found it.

The detailed failing run is the trace; the witness is its own order up to the failure; the claim is about the end: the
thread that fails there, or the threads that wait, with the operations they wait for and the holders.

Only values whose texts can't change are compared: numbers, texts, and counts. The recorded text of a mutable object may
change without a write to the location that holds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import PurePath
from typing import Final

from mazurka.config import FORMATS, Options
from mazurka.errors import MazurkaError
from mazurka.program.memory import is_flusher, store_target
from mazurka.program.protocol import Failure, FailureKind, Run, Step
from mazurka.report.details import Orders
from mazurka.report.finding import CheckedWitness, WitnessTurn
from mazurka.report.words import numbered, target_words
from mazurka.trace.conflicts import shown_at
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.trace import Trace, trace_of
from mazurka.witness import DeadlockState, Fails, LivelockLasso, Races, StuckThread, Witness, contradictions, objections

#: The first characters of texts of values that can't change, and other such texts.
_PLAIN: Final = tuple("0123456789-'\"")
_CONSTANTS: Final = frozenset({"True", "False", "None"})


#: The forms of reports that show the answers.
_FORMS: Final = frozenset({"html", "json"})


class WitnessRefused(MazurkaError):
    """The checker rejects a finding: an error in Mazurka."""


def examined(run: Run, failure: Failure) -> CheckedWitness | None:
    """The checker's verdict on a failure of a detailed run; raises :class:`WitnessRefused`.

    None for a program that behaves differently under the same schedule: no order of its events shows that.
    """
    if failure.kind is FailureKind.NONDETERMINISM:
        return None
    trace, witness = witness_of(run, failure)
    refused = objections(trace, witness)
    if refused:
        raise WitnessRefused(
            "witness-refused",
            f"a failure was found ({failure.message}), but its interleaving does not hold: {'; '.join(refused[:3])}",
            hint="this is an error in Mazurka, please report it",
        )
    claim = type(witness.claim).__name__
    return CheckedWitness(claim, _turns(run, witness.order), contradictions=tuple(contradictions(trace, witness)))


def orders_in(run: Run, failure: Failure, first: Sequence[int]) -> Orders | None:
    """Which steps of a detailed run, up to its failure, can change places; the ``first`` of them if they are many.

    None if the trace does not have all that orders the steps: operations that are not tracked or not scheduled,
    timeouts that fire, stores that arrive late.
    """
    hidden = run.untracked or run.uncontrolled or run.ended or any(map(is_flusher, run.tasks))
    if hidden or failure.kind is FailureKind.NONDETERMINISM:
        return None
    from mazurka.workflows.possible_orders import orders_of

    end = len(run.log) if failure.waiting else failure.step
    trace, numbers = trace_of(run.tasks, _comparable(run)), numbered(run)
    return orders_of(trace, end, first, words=lambda target: target_words(run, target, numbers))


def orders_wanted(options: Options) -> bool:
    """Whether a report that these settings ask for shows which steps can change places."""
    forms = {options.format}
    for each in options.output:
        form, colon, _ = each.partition(":")
        suffix = PurePath(each).suffix.lstrip(".")
        forms.add(form if colon and form in FORMATS else {"htm": "html"}.get(suffix, suffix))
    return bool(forms & _FORMS)


def _turns(run: Run, order: Sequence[int]) -> tuple[WitnessTurn, ...]:
    """The turns of an order: threads, each with a number of steps."""
    turns = []
    for task, own in groupby(order, key=lambda step: run.log[step].task):
        steps = list(own)
        turns.append(WitnessTurn(run.tasks[task], len(steps), steps[-1] + 1))
    return tuple(turns)


def _first(count: int) -> tuple[StepIndex, ...]:
    return tuple(map(StepIndex, range(count)))


def witness_of(run: Run, failure: Failure) -> tuple[Trace, Witness]:
    """The run as a trace, and the failure as a claim about its end."""
    end = len(run.log) if failure.waiting else failure.step
    trace = trace_of(run.tasks, _comparable(run))
    if failure.is_race and failure.adjacent:
        race = shown_at(run.log, end)
        assert race is not None
        return trace, Witness(_first(race.first), claim=Races(race.first, race.second))
    return trace, Witness(_first(end), claim=_claim(run, failure))


def _comparable(run: Run) -> Iterator[Step]:
    for step in run.log:
        yield step if _is_plain(step.value) else step._replace(value=None)


def _is_plain(value: object) -> bool:
    return not isinstance(value, str) or value.startswith(_PLAIN) or value in _CONSTANTS


def _claim(run: Run, failure: Failure) -> Fails | DeadlockState | LivelockLasso:
    if not failure.waiting:
        own = sum(run.tasks[step.task] == failure.thread for step in run.log[: failure.step])
        return Fails(failure.thread, own)
    if run.again:
        return _lasso_of(run)
    holders = {waiting.thread: waiting.held_by for waiting in failure.waiting}
    waiting = tuple(
        StuckThread(run.tasks[each.task], each.op, each.target, holders.get(run.tasks[each.task]), each.repeats)
        for each in run.blocked
    )
    waits = failure.kind is FailureKind.DEADLOCK and holders.keys() <= set(run.tasks)  # tasks of a loop are no threads
    cycle = frozenset(holders) if waits else frozenset()
    return DeadlockState((*waiting, *_idle(run)), cycle)


def _lasso_of(run: Run) -> LivelockLasso:
    """The claim of a livelock: the last steps, from the point on at which the lasso begins again."""
    points = [index for index, step in enumerate(run.log) if step.point]
    steps = len(run.log) - points[-run.again]
    moved = {step.task for step in run.log[-steps:]}
    waiting = [
        StuckThread(run.tasks[b.task], b.op, b.target, None, b.repeats) for b in run.blocked if b.task not in moved
    ]
    return LivelockLasso(steps, (*waiting, *_idle(run)))


def _idle(run: Run) -> Iterator[StuckThread]:
    """Under TSO and PSO: each queue of stores waits for a store after its last one."""
    for task, name in enumerate(run.tasks):
        if is_flusher(name):
            arrived = sum(step.task == task and step.op is Op.WRITE for step in run.log)
            yield StuckThread(name, Op.READ, store_target(name, arrived + 1))
