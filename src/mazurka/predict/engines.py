"""The engines that find bugs in traces, by name, and the stages that they are made of.

A stage has candidates, and asks for a witness of each (*vindication*): SeqCheck, the maximal causal model, or SeqCheck
first and then the model. Candidates without a witness are refuted, and counted. One bug is searched for at each set of
places in the source, and one race for each later access: that gives all places, and all racy events. Later stages skip
signatures that an earlier stage has settled.

The registry of kinds (kinds/registry.py) says which engine finds a kind by which stages. A new stage is one function
and one row of :data:`_STAGES`.

Cost: that of finding the candidates, and mostly some microseconds for each.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import field
from functools import cached_property, partial
from importlib import import_module
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from mazurka.causal.solver import Infeasible, Unknown
from mazurka.commute.effects import LibraryModels
from mazurka.errors import missing_extra
from mazurka.jit.compile import is_available
from mazurka.lazy_dataclass import dataclass
from mazurka.predict.candidates import Groups, Once, Signatures, grouped
from mazurka.predict.kinds.definition import LIMIT, Rows
from mazurka.predict.kinds.registry import CALL_ORDER, ENGINES, KINDS, ORDERS, PROPERTY_STAGE, definition
from mazurka.predict.prefetch import Prefetch, Shared
from mazurka.predict.questions import Questions, Verdict
from mazurka.trace.columns import columns_of
from mazurka.trace.conflicts import RACE, may_race
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace
from mazurka.witness import Checker, Claim, PropertyViolation, Witness

if TYPE_CHECKING:
    from mazurka.predict.call_orders.objects import ModelledCalls
    from mazurka.predict.call_orders.vindication import CallOrders
    from mazurka.predict.seqcheck.engine import SeqCheck

#: Without ``window`` the model covers a whole trace if its number of rows times threads is at most this.
_AFFORDABLE: Final = 8_000_000

#: The stage that finds deadlocks that no other stage looks for.
COMMUNICATION: Final = "communication"

#: Otherwise the model covers so many rows at a time.
_WINDOW: Final = 20_000

#: The most events, times threads, that SeqCheck examines for far-reaching questions.
_WORK: Final = 16_000_000

#: The default engine. Compiled code, partial orders, and SeqCheck's pass over the whole trace instead of the quick
#: check take time to load: they pay for traces of so many events, or of so many candidates times events.
AUTO: Final = "auto"
_LONG: Final = 30_000
_MUCH: Final = 2_000_000

_IS_DATA: Final = np.isin(np.arange(len(Op)), (Op.READ, Op.WRITE, Op.RMW))


class ProvenBug(NamedTuple):
    """A bug, with its witness, the stage that found it, and the checker's objections to the witness: none, unless
    there is an error in Mazurka."""

    kind: str
    rows: Rows
    witness: Witness
    stage: str
    objections: tuple[str, ...]


@dataclass(slots=True)
class Stage:
    """One step of an engine: the number of candidates it asked about, and the results. ``undecided`` counts the units
    (places, racy events) that were neither found nor refuted, of which ``because`` says why some are so."""

    name: str
    kind: str
    candidates: int = 0
    found: int = 0
    refuted: int = 0
    undecided: int = 0
    seconds: float = 0.0
    because: list[str] = field(default_factory=list)


@dataclass
class EngineRun:
    """One engine on one trace: the data that its stages share. ``expired`` says whether to stop; ``compiles`` is called
    before compiled code is used for a short trace. Not slotted: costly parts are made when first asked for."""

    trace: Trace
    window: int | None = None
    expired: Callable[[], bool] = lambda: False
    compiles: Callable[[], None] = lambda: None
    stages: list[Stage] = field(default_factory=list)
    settled: dict[str, set[Hashable]] = field(default_factory=lambda: {kind: set() for kind in KINDS})
    _groups: dict[str, tuple[Groups, set[Hashable]]] = field(default_factory=dict)
    _much: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._signatures = {kind: Signatures(self.trace, kind, Once.LOCATIONS) for kind in KINDS}
        self._index = Shared(self._indexed)
        self._checkers = Shared(partial(Checker, self.trace, LibraryModels()))

    def _indexed(self) -> SeqCheck:
        from mazurka.predict.seqcheck.engine import SeqCheck

        work = _WORK // max(len(self.trace.threads), 1)
        return SeqCheck(self.trace, complete_up_to=0, work=work, kernel=self._kernel)

    @property
    def _kernel(self) -> Any:
        """SeqCheck's index of the trace."""
        from mazurka.predict.seqcheck.kernel import COMPILE_FROM, kernel_for

        return kernel_for(max(len(self.trace), COMPILE_FROM if any(self._much.values()) else 0))

    @cached_property
    def questions(self) -> Questions:
        """The maximal causal model, to ask about claims."""
        return Questions(self.trace, self.reordered)

    @property
    def reordered(self) -> int | None:
        """The number of rows that are reordered at a time; None: all."""
        long = len(self.trace) * len(self.trace.threads) > _AFFORDABLE
        return self.window or (_WINDOW if long else None)

    @cached_property
    def calls(self) -> ModelledCalls:
        """The calls of modelled objects, which may come in another order."""
        from mazurka.predict.call_orders.objects import ModelledCalls

        return ModelledCalls(self.trace)

    @cached_property
    def call_orders(self) -> CallOrders:
        """Decides whether two calls can come in the other order."""
        from mazurka.predict.call_orders.vindication import CallOrders

        return CallOrders(self.calls, self.reordered)

    @cached_property
    def quick(self) -> SeqCheck:
        """SeqCheck, to ask about claims."""
        return self._index.own()

    def beside(self) -> EngineRun:
        """A second run on the same trace, which may be used at the same time."""
        other = EngineRun(self.trace, self.window, self.expired, self.compiles)
        other._index, other._checkers = self._index, self._checkers
        return other

    def prepare(self) -> None:
        """Make the shared data that is used last now; the other shared data is made on its first use."""
        self._checkers.own()

    def asks_much(self, kind: str) -> bool:
        """Whether there are so many questions that modules that take time to load pay."""
        if kind not in self._much:
            events, most = len(self.trace), _MUCH // max(len(self.trace), 1) + 1
            self._much[kind] = is_available() and (events >= _LONG or self._has_candidates(kind, most))
            if self._much[kind] and events < _LONG:
                self.compiles()
                self.quick.kernel = self._kernel
        return self._much[kind]

    def _has_candidates(self, kind: str, most: int) -> bool:
        """Whether there are at least ``most`` candidates of a kind."""
        if KINDS[kind].by_last_event:
            _, op, target, _, _ = columns_of(self.trace)
            accesses = np.bincount(target[_IS_DATA[op]]).astype(np.int64)
            pairs = definition(kind).candidates(self.trace, False) if (accesses**2).sum() >= 2 * most else ()
            return sum(1 for _ in islice(pairs, most)) == most
        return sum(map(len, self.groups(kind)[0].values())) >= most

    @cached_property
    def checker(self) -> Checker:
        """The checker of witnesses."""
        return self._checkers.own()

    @cached_property
    def _waits(self) -> bool:
        """Whether threads wait on conditions, which SeqCheck ignores."""
        return Op.WAIT in columns_of(self.trace).op

    def ask_quickly(self, claim: Claim) -> Verdict:
        """The verdict of SeqCheck."""
        answer = self.quick.prove(claim)
        if not self._waits or (isinstance(answer, Witness) and not self.checker.objections(answer)):
            return answer
        return Unknown("threads wait on conditions")

    def believed(self, witness: Witness) -> Verdict:
        """The witness, which SeqCheck has given; if threads wait on conditions, which SeqCheck ignores, the model's
        answer."""
        if not self._waits or witness.claim is None or not self.checker.objections(witness):
            return witness
        return self.questions.ask(witness.claim)

    def vindicate(self, claim: Claim) -> Verdict:
        """The verdict of SeqCheck, or of the model if that is undecided."""
        answer = self.ask_quickly(claim)
        return self.questions.ask(claim) if isinstance(answer, Unknown) else answer

    def groups(self, kind: str) -> tuple[Groups, set[Hashable]]:
        """Candidates by signature, and the signatures with more candidates than are decided."""
        if kind not in self._groups:
            once = (Once.LOCATIONS, Once.EVENTS) if KINDS[kind].by_last_event else (Once.LOCATIONS,)
            groups, left = grouped(self.trace, kind, *once, possible=self._possible(kind))
            places = {key: several for key, several in groups.items() if isinstance(key, tuple)}
            events = {key: several for key, several in groups.items() if not isinstance(key, tuple)}
            self._groups[kind] = (places | events if len(places) <= len(events) else events | places), left
        return self._groups[kind]

    def _possible(self, kind: str) -> Iterable[Rows] | None:
        """The candidates of a kind, if the data that they are made of is there already."""
        if kind != CALL_ORDER:
            return None
        from mazurka.predict.kinds.call_order import candidates_of

        return candidates_of(self.calls, False, LIMIT + 1)

    def is_passed_over(self, kind: str) -> bool:
        """Whether SeqCheck, if there are many questions, answers them in one pass over the trace. Not if threads wait
        on conditions, which it ignores."""
        return kind == RACE and not self._waits

    def leave(self, races: Iterable[Rows], unasked: int) -> None:
        """Leave these races undecided, and ``unasked`` others: later stages only look at these."""
        left: Groups = {}
        for rows in races:
            for key in (self._signatures[RACE].of(rows), rows[-1]):
                left.setdefault(key, []).append(rows)
        self._groups[RACE] = left, {("unasked", number) for number in range(unasked)}

    def is_settled(self, kind: str, rows: Rows) -> bool:
        """Whether a bug with the same signature has been found."""
        return self._signatures[kind].of(rows) in self.settled[kind]

    def found(self, stage: Stage, rows: Rows, witness: Witness) -> ProvenBug:
        """A finding, whose witness is checked."""
        return ProvenBug(stage.kind, rows, witness, stage.name, tuple(self.checker.objections(witness)))

    def settle(self, kind: str, rows: Rows) -> None:
        """Record that a bug of this signature has been found."""
        self.settled[kind] |= {rows[-1], self._signatures[kind].of(rows)}


def run(search: EngineRun, engine: str, kinds: Iterable[str]) -> Iterator[ProvenBug]:
    """The findings of an engine, of these kinds, each as soon as it is known."""
    for kind in kinds:
        for name in ENGINES[engine].get(kind, ()):
            if engine == AUTO and name in ORDERS and not search.asks_much(kind):
                continue
            stage = Stage(name, kind)
            search.stages.append(stage)
            started = time.monotonic()
            for found in _STAGES[name](search, stage):
                stage.found += 1
                stage.seconds = time.monotonic() - started
                yield found
            stage.seconds = time.monotonic() - started


_Findings = Iterator[ProvenBug]
_Ask = Callable[[Any], Verdict]


@dataclass(slots=True)
class _Outcome:
    """The result for a group of candidates, asked about one by one until one has a witness."""

    key: Hashable
    found: ProvenBug | None = None
    candidates: int = 0
    refuted: int = 0
    unsure: bool = False


def _decided(search: EngineRun, stage: Stage, outcomes: Iterable[_Outcome], whole: bool = True) -> _Findings:
    """The bugs found. ``whole``: the groups are complete, so that a group without a witness refutes its signature."""
    settled = search.settled[stage.kind]
    for outcome in outcomes:
        stage.candidates += outcome.candidates
        stage.refuted += outcome.refuted
        if outcome.found is not None:
            search.settle(stage.kind, outcome.found.rows)
            yield outcome.found
        if outcome.key not in settled:
            stage.undecided += outcome.unsure
            if whole and not outcome.unsure:
                settled.add(outcome.key)


def _outcomes(
    search: EngineRun, stage: Stage, groups: Iterable[tuple[Hashable, list[Rows]]], ask: _Ask
) -> Iterator[_Outcome]:
    """The outcome of each group that is not settled when its turn comes."""
    open_rows: set[Rows] = set()
    for key, several in groups:
        if key not in search.settled[stage.kind]:
            yield _outcome(search, stage, key, several, ask, open_rows)


def _outcome(
    search: EngineRun, stage: Stage, key: Hashable, several: list[Rows], ask: _Ask, open_rows: set[Rows]
) -> _Outcome:
    outcome, claim = _Outcome(key), definition(stage.kind).claim
    for rows in several:
        if search.expired():
            outcome.unsure = True
            break
        if rows in open_rows:
            outcome.unsure = True
            continue
        outcome.candidates += 1
        answer = ask(claim(rows))
        if isinstance(answer, Witness):
            outcome.found = search.found(stage, rows, answer)
            break
        outcome.refuted += isinstance(answer, Infeasible)
        if isinstance(answer, Unknown):
            outcome.unsure = True
            open_rows.add(rows)
    return outcome


def _by_order(search: EngineRun, stage: Stage) -> _Findings:
    """The events that race under a partial order, each with an earlier one."""
    _need_compiled_code(stage)
    search.asks_much(stage.kind)
    racy = import_module(f"mazurka.order.{_MODULES.get(stage.name, stage.name)}").races(search.trace)
    target, names = search.trace.target, search.trace.targets
    groups = ((pair[-1], [pair]) for pair in racy.pairs() if may_race(names[target[pair[-1]]]))
    return _decided(search, stage, _outcomes(search, stage, groups, search.vindicate), False)


def _need_compiled_code(stage: Stage) -> None:
    """The error that a stage can't be interpreted, if there is no compiler. The default engine leaves such stages out:
    they decide much at once, and nothing that others do not decide."""
    if not is_available():
        raise missing_extra("numba", f"stage {stage.name}")


def _by_seqcheck(search: EngineRun, stage: Stage) -> _Findings:
    """The bugs among all candidates, as far as SeqCheck decides them."""
    if search.asks_much(stage.kind) and search.is_passed_over(stage.kind):
        yield from _by_pass(search, stage)
        return
    groups, left = search.groups(stage.kind)
    if KINDS[stage.kind].by_last_event or len(search.trace) < _LONG:
        yield from _decided(search, stage, _outcomes(search, stage, groups.items(), search.ask_quickly))
    else:
        with _by_turns(search, stage, groups) as outcomes:
            yield from _decided(search, stage, outcomes)
    stage.undecided += len(left - search.settled[stage.kind])


@contextmanager
def _by_turns(search: EngineRun, stage: Stage, groups: Groups) -> Iterator[Iterator[_Outcome]]:
    """The outcomes of groups that two threads decide in turn; the result of one group does not settle another."""
    open_ = [each for each in groups.items() if each[0] not in search.settled[stage.kind]]
    with ExitStack() as stack:
        halves = []
        for number in (0, 1):
            own = search.beside()
            halves.append(stack.enter_context(Prefetch(_outcomes(own, stage, open_[number::2], own.ask_quickly))))
        yield (each for both in zip_longest(*halves) for each in both if each is not None)


def _by_pass(search: EngineRun, stage: Stage) -> _Findings:
    """All races that SeqCheck decides in one pass over the trace."""
    from mazurka.predict.seqcheck.races import SeqCheckRaces
    from mazurka.predict.seqcheck.scan import EVENT, PLACE

    asking, doubtful, late = SeqCheckRaces(EVENT | PLACE), list[Rows](), False
    with Prefetch(asking.answers(search.quick)) as answers:
        for claim, answer in answers:
            rows = (claim.first, claim.second)
            if isinstance(answer, Unknown):
                doubtful.append(rows)
            elif not (rows[-1] in search.settled[RACE] and search.is_settled(RACE, rows)):
                search.settle(RACE, rows)
                yield search.found(stage, rows, answer)
            if late := search.expired():
                break
    search.leave(doubtful, asking.unasked + late)
    groups, left = search.groups(RACE)
    stage.candidates, stage.refuted = asking.asked, asking.refuted
    stage.undecided = len(groups.keys() - search.settled[RACE]) + len(left)


def _by_model(search: EngineRun, stage: Stage) -> _Findings:
    """The bugs among all candidates."""
    groups, left = search.groups(stage.kind)
    ask = search.call_orders.ask if stage.kind == CALL_ORDER else search.questions.ask
    yield from _decided(search, stage, _outcomes(search, stage, groups.items(), ask))
    stage.undecided += len(left - search.settled[stage.kind])
    if stage.kind == CALL_ORDER:
        stage.undecided += len(search.calls.unknown)
        stage.because += search.calls.unknown


def _by_call_order(search: EngineRun, stage: Stage) -> _Findings:
    """Calls that extended-doesn't-commute leaves unordered."""
    from mazurka.predict.kinds.call_order import candidates_of

    place = Signatures(search.trace, stage.kind, Once.LOCATIONS).of
    asked: Counter[Hashable] = Counter()

    def groups() -> Iterator[tuple[Hashable, list[Rows]]]:
        for rows in candidates_of(search.calls, True, LIMIT + 1):
            asked[key := place(rows)] += 1
            if asked[key] <= LIMIT:
                yield key, [rows]

    yield from _decided(search, stage, _outcomes(search, stage, groups(), search.call_orders.ask), False)
    stage.undecided += sum(number > LIMIT and key not in search.settled[stage.kind] for key, number in asked.items())


def _by_sync_preserving(search: EngineRun, stage: Stage) -> _Findings:
    """Deadlocks in reorderings that keep the order of sections."""
    _need_compiled_code(stage)
    from mazurka.predict.deadlocks.sync_preserving import SyncDeadlockPredictor

    for prediction in SyncDeadlockPredictor().predict(search.trace):
        stage.candidates += 1
        answer = search.believed(prediction.witness)
        if isinstance(answer, Witness):
            search.settle(stage.kind, prediction.rows)
            yield search.found(stage, prediction.rows, answer)
        stage.refuted += isinstance(answer, Infeasible)


def _by_communication(search: EngineRun, stage: Stage) -> _Findings:
    """Deadlocks of threads that wait for notifications, or for a thread's end."""
    from mazurka.predict.deadlocks.communication import CommunicationDeadlocks

    sought, unsure, found = CommunicationDeadlocks(search.trace), set[Hashable](), set[Hashable]()
    for candidate in sought.candidates():
        if search.expired():
            unsure.add(candidate.place)
            break
        stage.candidates += 1
        rows = candidate.claim.steps
        answer = search.questions.prove(candidate.claim, candidate.question, candidate.loosely)
        if isinstance(answer, Witness):
            sought.found(candidate)
            found.add(candidate.place)
            if not search.is_settled(stage.kind, rows):
                search.settle(stage.kind, rows)
                yield search.found(stage, rows, answer)
        elif isinstance(answer, Unknown):
            unsure.add(candidate.place)
        stage.refuted += isinstance(answer, Infeasible)
    stage.undecided = len((unsure | sought.left) - found)


def _by_property(search: EngineRun, stage: Stage) -> _Findings:
    """Violations of a property."""
    from mazurka.predict.property_search import PropertySearch

    stated = KINDS[stage.kind].property
    if stated is None:
        return
    sought = PropertySearch(search.trace, stated.stated, search.reordered)
    unsure: set[Hashable] = set()
    for place, several in sought.groups().items():
        for candidate in several:
            if place in search.settled[stage.kind]:
                break
            if search.expired():
                unsure.add(place)
                break
            stage.candidates += 1
            answer = sought.decide(candidate)
            stage.refuted += isinstance(answer, Infeasible)
            if isinstance(answer, Unknown):
                unsure.add(place)
            if isinstance(answer, Witness) and isinstance(answer.claim, PropertyViolation):
                search.settled[stage.kind].add(place)
                yield search.found(stage, answer.claim.steps, answer)
    stage.undecided += len((unsure | sought.left) - search.settled[stage.kind])


_STAGES: Final[dict[str, Callable[[EngineRun, Stage], _Findings]]] = {
    **dict.fromkeys(ORDERS, _by_order),
    "edc": _by_call_order,
    "spd": _by_sync_preserving,
    "seqcheck": _by_seqcheck,
    "maximal": _by_model,
    COMMUNICATION: _by_communication,
    PROPERTY_STAGE: _by_property,
}

#: The modules of partial orders whose names differ from those of their engines.
_MODULES: Final = {"syncp": "sync_preserving"}

#: Stages whose candidates no other stage of their kind looks for.
_ALONE: Final = frozenset({COMMUNICATION})


def undecided_after(stages: Iterable[Stage]) -> int:
    """The number of candidates that remain undecided after all stages: for each kind those of its last stage, and of
    stages in :data:`_ALONE`."""
    last = {(stage.kind, stage.name in _ALONE): stage.undecided for stage in stages}
    return sum(last.values())
