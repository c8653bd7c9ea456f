"""An unmodified Python program that can be run again and again, each time under a plan.

Getting ready (:meth:`PythonProgram.prepare`) instruments and imports the modules to be tracked, patches the primitives,
and makes trial runs in forked children (``trials.py``), which show the further imports on the way, the sites that need
points, whether two runs of one schedule are equal, and whether the program's state can be put back between runs. These
results decide the *isolation*: ``restore`` (each run in this process, state put back before it) or ``fork`` (each run
in a child).
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import os
import sys
import types
from collections.abc import Callable, Sequence
from time import perf_counter  # by name: the module's attributes are the program's virtual clock during a run
from typing import TYPE_CHECKING, Any, Final

from mazurka.program import forked
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import (
    ENTERED,
    TIMEOUTS,
    Failure,
    FailureKind,
    LearnsPoints,
    Plan,
    ProgramFacts,
    Run,
)
from mazurka.program.python import activation, outside, primitives, stacks, trials
from mazurka.program.python.analysis.checks import arguments, look_ahead
from mazurka.program.python.analysis.source import PythonSource
from mazurka.program.python.entry import Entry, Function, Script, only_defines, wrong_request
from mazurka.program.python.included import require_explorable, require_modules
from mazurka.program.python.instrument import hot_patching, known_functions, late_imports, loader, sites
from mazurka.program.python.instrument.site_index import accesses_at
from mazurka.program.python.invocations import observer
from mazurka.program.python.invocations.builtin_calls import calls_of_containers, prepare
from mazurka.program.python.invocations.reversing import reversing
from mazurka.program.python.invocations.runtime import InvokingRuntime
from mazurka.program.python.isolation import (
    cycles,
    determinism,
    earlier_threads,
    endings,
    library,
    private_finalisers,
    state,
    unraisable,
)
from mazurka.program.python.isolation.capture import Capture
from mazurka.program.python.isolation.watchdog import Watchdog, disarm
from mazurka.program.python.liveness.deadlock import name_primitive, stuck_python
from mazurka.program.python.primitives import other_schedulers, uncontrolled
from mazurka.program.python.primitives.run import whereabouts
from mazurka.program.python.run_records import (
    count_imports,
    failure_of,
    is_stuck_for_good,
    name_troubles,
    portable,
)
from mazurka.program.python.semantics import foreign, hooks, natives, result_caches, uses, weak_registries
from mazurka.program.python.semantics.shapes import forget_shapes
from mazurka.program.python.variants import KnownVariants
from mazurka.program.python.weak_memory import store_slots
from mazurka.program.races import races_of
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.relaxed import RelaxedRuntime
from mazurka.program.runtime.run_record import run_of
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.scheduler import TimedScheduler
from mazurka.program.runtime.stuck import livelock
from mazurka.program.runtime.task import CALLS_AS_STEPS, CYCLE_POINTS, Learned, Task
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.symbolic.values import PathConditions
from mazurka.trace.event import Location
from mazurka.trace.ids import SiteNumber

if TYPE_CHECKING:
    from mazurka.program.python.property_events.holding import HeldProperties

#: The real function; programs are given a model of it.
_collect: Final = gc.collect
_freeze: Final = gc.freeze

#: The place of the call of the function that looks at the end of each execution.
_LOOK: Final = compile("at_end(result)", "<at_end>", "eval")


class PythonProgram(LearnsPoints):
    """A :class:`mazurka.program.protocol.Program` made from a Python program. If its trial runs show that it starts no
    threads (``is_alone``), it is made ready for executions only if ``isolates_alone``."""

    isolates_alone = True

    def __init__(
        self, entry: Entry, settings: ProgramSettings | None = None, variants: KnownVariants | None = None
    ) -> None:
        """``variants`` has the knowledge of other variants of the program, and gets this one's; the caller forgets
        it."""
        settings = settings or ProgramSettings()
        require_explorable(settings.include)
        self.entry = entry
        self.settings = settings
        self.learned = Learned()
        self.isolation = settings.isolation
        self.isolation_reason = ""
        self.nondeterminism = ""
        self.reads_input = False
        self.earlier = earlier_threads.EarlierThreads()
        self.loader = loader.Loader(settings.roots, settings.include, settings.cache)
        self.snapshot: state.Snapshot | None = None
        self.is_alone = False  # as in `TrialResult`, of the last one
        self.has_threads = False  # likewise
        self.hung = ""  # likewise
        self._restored = False  # likewise
        self._variants = variants or KnownVariants()
        self._is_single = variants is None
        self._explored = self._variants.explored
        self._changed: list[str] = []  # ... whose globals keep state of a run
        self._undo: list[Callable[[], None]] = []
        self._points_then = 0  # how many points were known at the last look at them
        self._ready = False
        self._late: dict[str, bool] = {}  # see `late_imports.noticed`
        self._check: types.CodeType | None = None
        self._properties: HeldProperties | None = None  # to the properties of the settings
        self._told = False
        self._capture = Capture()
        self.read_input = False
        self._has_loops = False  # runs of it have run event loops
        self.timing: float | None = None  # the timing of plans which have none of their own
        self._held: frozenset[int] = frozenset()  # objects that the last run's main thread still led to
        self._kept: frozenset[int] = frozenset()  # ... and those that it kept until its end
        self._noticed: cycles.Noticed | None = None  # how it noticed the end of objects in cycles, if that is known
        self._expired = False  # in some run a waiting time ran out
        self._refused = False  # and in some run one would have had to do so early
        self.on_error: Callable[[Runtime, Task, BaseException], Failure | None] = failure_of
        self.on_stuck: Callable[[Runtime, list[Task]], Failure | None] = stuck_python

    # -- the Program protocol ---------------------------------------------------------------------------------------

    def execute(self, plan: Plan) -> Run:
        if not self._ready or self._explored or len(self.learned.points) != self._points_then:
            self.prepare()
            self.learned.forked_with = None  # more code may be instrumented by now
        if self._refusal():
            return self._untried()
        if self.isolation is Isolation.FORK:
            run = self._execute_forked(plan)
        else:
            assert self.snapshot is not None
            self.snapshot.restore()
            run = self.execute_here(plan)
        self._has_loops = self._has_loops or run.has_loops
        if run.found_new_points and self._catch_up():
            run.failures.clear()  # it can't be repeated as it was: the search begins again, and finds them then
        if self.earlier.waits and self.earlier.look_again(involved=bool(run.uncontrolled) or is_stuck_for_good(run)):
            return self._untried()
        if self._late:
            count_imports(run, self._late)
        if self.nondeterminism and not self._told:
            self._told = True
            if run.uncontrolled or run.truncated or run.has_children:  # the difference need not come from the program
                run.uncontrolled[f"not repeatable: {self.nondeterminism}"] = 1
            else:
                run.failures.append(Failure(FailureKind.NONDETERMINISM, self.nondeterminism, "0", None))
        return run

    def _refusal(self) -> str:
        """Why nothing can be explored, or ""."""
        return self.earlier.reason or other_schedulers.reason()

    def _untried(self) -> Run:
        return Run(["0"], [], [], truncated=self._refusal())

    def location(self, site: int) -> Location | None:
        return sites.location(site)

    def identity(self) -> str:
        return self.entry.identity()

    def analysis(self) -> PythonSource:
        return PythonSource()

    def facts(self) -> ProgramFacts:
        modules = [(name, getattr(module, "__file__", None)) for name, module in self.loader.modules.items()]
        notes = []
        if self.isolation is Isolation.FORK:
            notes.append(f"every run was made in a forked child: {self.isolation_reason}")
        if self.reads_input:
            notes.append("the program reads standard input: it was given an empty one")
        notes += observer.notes(self.learned.points)
        return ProgramFacts(
            isolation=self.isolation.value,
            sources=tuple([(name, file) for name, file in modules if file is not None]),
            untracked=(
                *(f"module {name} ({reason})" for name, reason in self.loader.opaque.items()),
                *sorted((self._properties and self._properties.impossible) or ()),
            ),
            assumption=self.earlier.assumption,
            forkable=not self.earlier.waits,  # a child would be without those threads
            judged_from_outside=self._is_judged_from_outside(),
            notes=tuple(notes),
        )

    def require_included(self, names: tuple[str, ...]) -> None:
        require_modules(names)

    def without_threads(self) -> str | None:
        if self._has_loops:
            return None  # the order of its tasks is the only one
        defined = only_defines(self.entry)
        return f"the file only defines functions; check {defined}, for example" if defined else ""

    # -- its scheduling points ----------------------------------------------------------------------------------------

    def sites_of(self, file: str) -> Sequence[SiteNumber]:
        return sites.numbers(file) if sites.is_registered(file) else ()

    def site_of(self, file: str, number: int) -> SiteNumber:
        return sites.numbered(file, number)

    def sites_at(self, place: Location, name: str) -> frozenset[SiteNumber]:
        return accesses_at(place, name)

    def _is_judged_from_outside(self) -> bool:
        """Whether the function that looks at the end of a run is in no instrumented module."""
        at_end = self.settings.at_end
        code = getattr(at_end, "__code__", None)
        return at_end is not None and getattr(code, "co_filename", "") not in sites.instrumented

    def close(self) -> None:
        """Put the interpreter back as it was. The state kept for the next run is released: it may be large, and the
        objects of a check refer to each other, and to the program, until garbage is collected."""
        if self.snapshot is not None and self.isolation is not Isolation.FORK:
            self.snapshot.restore()
        self.snapshot = None
        if self._is_single:
            self._variants.forget()
        if self._ready:
            _collect()  # what is left of runs that were cut ends while nothing is written of it
        while self._undo:
            self._undo.pop()()
        self._ready = False

    def starts_threads(self) -> bool:
        """Whether the program starts threads, or is cut short, in a run of which nothing is kept; true if that can't be
        known."""
        if not forked.AVAILABLE:
            return True
        try:
            return bool(forked.call(lambda: self._has_threads(self.execute_here(Plan()))))
        except forked.ChildDied:
            return True

    @staticmethod
    def _has_threads(run: Run) -> bool:
        return len(run.tasks) > 1 or bool(run.truncated)

    # -- getting ready ------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Instrument, import, make trial runs, and take the state that every run starts from; once.

        Later calls instrument the modules that runs are known to enter by then.
        """
        if self._ready:
            self._catch_up()
            return
        _look_what_is_left()
        argv, path, modules = list(sys.argv), list(sys.path), set(sys.modules)
        outside.generated.forget()
        self._undo.append(outside.generated.forget)
        self._undo.append(late_imports.again.clear)
        self._undo.append(lambda: _put_back(argv, path, modules, self.loader))
        outside.files.JOURNAL.find(f"{self.settings.roots} {self.entry.describe()}")
        outside.process_state.hold()
        outside.opened_before.look()
        self._undo.append(outside.opened_before.forget)
        self._undo += [state.hold_collector(), disarm]
        if self.settings.properties:
            from mazurka.program.python.property_events.holding import HeldProperties

            self._properties = HeldProperties(self.settings.properties, controlled=True)
            self._undo.append(self._properties.end)
        for install, uninstall in (
            (determinism.install, determinism.uninstall),
            (endings.install, endings.uninstall),
            (unraisable.install, unraisable.uninstall),
            (hooks.install, hooks.uninstall),
            (primitives.install, primitives.uninstall),
            (self.loader.install, self.loader.uninstall),
        ):
            install()
            self._undo.append(uninstall)
        if self.settings.memory is not MemoryModel.SC:
            store_slots.install()
            self._undo.append(store_slots.uninstall)
        elif self.settings.models is not None and self._properties is None:  # events within a call are no steps
            self._undo.append(observer.install(self.settings.models))
        self._swap_included()
        with outside.Preparing():
            self.entry.prepare()
        primitives.install()  # once more, for the modules that were imported with it
        if self.settings.invariant:
            self._check = loader.compile_invariant(self.settings.invariant)
        self.learned.points |= self._variants.points
        natives.find_weak()
        self._undo.append(natives.forget_weak)
        self.earlier.look()
        if not self._refusal():
            self._try_out()
        self._variants.points |= self.learned.points
        self._ready = True

    def _swap_included(self) -> None:
        """Instrument included modules that were imported before us, in place."""
        fresh = [(name, module) for name, module in self._included() if name not in self.loader.modules]
        self._swap([each for each in fresh if each[0] not in self._explored], self._undo)

    def _swap(self, swapped: list[tuple[str, types.ModuleType]], undo: list[Callable[[], None]]) -> None:
        functions = hot_patching.functions([module for _, module in swapped])
        for name, module in swapped:
            failed = functools.partial(self.loader.opaque.__setitem__, name)
            undo.append(hot_patching.swap_module(module, self._compile, failed, functions))
            undo.append(primitives.adopt(module))

    def _compile(self, source: str, file: str) -> types.CodeType:
        return self.loader.code_for(source.encode("utf-8", "surrogatepass"), file)

    def _included(self) -> list[tuple[str, types.ModuleType]]:
        """The loaded modules of the packages to include, and the explored modules of the standard library."""
        named = [
            (module_name, module)
            for name in self.settings.include
            for module_name, module in list(sys.modules.items())
            if hasattr(module, "__dict__") and (module_name == name or module_name.startswith(name + "."))
        ]
        return named + [(name, sys.modules[name]) for name in self._explored]

    def _explore(self) -> bool:
        """Instrument modules of the standard library that runs are known to enter; true if any was not instrumented
        before."""
        fresh = self._unexplored()
        self._explored += fresh
        self._swap([(name, sys.modules[name]) for name in fresh], self._variants.undo)
        return bool(fresh)

    def _unexplored(self) -> list[str]:
        return [name for name in foreign.explored(self.learned.points) if name not in self._explored]

    def _catch_up(self) -> bool:
        """Instrument them during a search. Instrumented modules stay so; other knowledge is learnt again. Returns
        whether some module has been instrumented."""
        if self._explored:
            self.learned.points |= foreign.marks_of(self._explored)
        if len(self.learned.points) == self._points_then:
            return False
        self._points_then = len(self.learned.points)
        if not self._unexplored():
            return False
        if self.snapshot is not None and self.isolation is not Isolation.FORK:
            self.snapshot.restore()
        self._explore()
        forget_shapes()
        if self.isolation is Isolation.FORK:
            natives.find_weak()
        else:
            self._choose_isolation("")
        return True

    def _try_out(self) -> None:
        """Trial runs in a child, then the choice of isolation."""
        reason = self._learn() if forked.AVAILABLE else ""
        if not self.is_alone or self.isolates_alone:
            self._choose_isolation(reason, self._restored)

    def _choose_isolation(self, reason: str, restores: bool = False) -> None:
        """Keep the state that runs start from; ``reason`` says why it can't be put back, ``restores`` that it is known
        that it can."""
        self.take_snapshot()
        assert self.snapshot is not None
        restores = restores and not (self.snapshot.obstacles or self.snapshot.too_large)
        natives.find_more_weak()  # trial runs may have imported modules, or had some instrumented
        if not forked.AVAILABLE:
            self.isolation, self.isolation_reason = Isolation.RESTORE, "this platform cannot fork"
        elif self.settings.isolation is Isolation.AUTO:
            reason = reason or ("" if restores else self._unrestorable())
            self.isolation = Isolation.FORK if reason else Isolation.RESTORE
            self.isolation_reason = reason or "state can be put back"
        else:
            self.isolation, self.isolation_reason = self.settings.isolation, "as asked for"
        if self.isolation is Isolation.FORK:
            self.earlier.refuse()  # a child would be without them

    def _learn(self) -> str:
        """Make trial runs in children until they import nothing new and find no new points; returns why that failed, or
        "". Raises ``not-started`` if the program was called in a wrong way."""
        failed: tuple[Failure, ...] = ()
        for left in reversed(range(trials.MOST)):
            try:
                trial = trials.once(self, left, bool(self._variants.points))
            except forked.ChildDied as error:
                return str(error).strip().splitlines()[-1]
            self._restored = trial.restored
            self._changed = list(dict.fromkeys([*self._changed, *trial.changed]))
            self.learned.points |= trial.points
            self._late.update(trial.late)
            self._import_again(trial.again)
            for name in trial.imported:
                if name not in late_imports.again:
                    _import_quietly(name)
            late_imports.forget_again()  # others may have imported them
            if trial.imported or trial.again:
                primitives.install()
            self.is_alone, self.has_threads, self.hung = trial.is_alone, trial.has_threads, trial.hung
            failed = trial.failures
            if trial.hung:
                return trial.hung
            if self.is_alone and not self.isolates_alone:
                break
            self.nondeterminism = trial.difference
            self.reads_input = trial.read_input
            explores = self._explore()
            generates = outside.generated.instrument(trial.generated.items())
            if not (trial.imported or trial.found_new_points or trial.is_first or explores or generates):
                break
            self._restored = False  # the trial was made of another version of the program
        for each in failed if isinstance(self.entry, (Script, Function)) else ():
            line = each.frames[-1].text if each.frames else ""
            if (wrong := wrong_request(self.entry.describe(), each.exception, each.message, line)) is not None:
                raise wrong
        return ""

    def _import_again(self, found: dict[str, str]) -> None:
        """Have runs import modules anew; their sites are known from now on."""
        for name, file in found.items():
            if name not in late_imports.again:
                late_imports.again[name] = file
                with contextlib.suppress(OSError, SyntaxError, ValueError), open(file, "rb") as stream:
                    self.loader.code_for(stream.read(), file)

    def _unrestorable(self) -> str:
        """Why runs can't be made one after the other in this process, or "". Where globals of modules of the library
        are the reason, these are put back, too."""
        reason, changed = trials.compare_after_restoring(self)
        if reason and not set(changed) <= set(self._changed):
            self._changed += [name for name in changed if name not in self._changed]
            self.take_snapshot()
            reason, _ = trials.compare_after_restoring(self)
        return reason

    def take_snapshot(self) -> None:
        own = [module for name, module in self.loader.modules.items() if name not in late_imports.again]
        modules = [*own, *self.entry.modules()]
        modules += [module for _, module in self._included()]
        modules += [sys.modules[name] for name in (*self._changed, *library.PUT_BACK) if name in sys.modules]
        models = primitives.Lock, primitives.RLock
        self.snapshot = state.Snapshot(dict.fromkeys(modules), apart=models, reshaped=forget_shapes)

    # -- one run ----------------------------------------------------------------------------------------------------

    def _execute_forked(self, plan: Plan) -> Run:
        try:
            run, points = forked.call(lambda: self._execute_in_child(plan))
        except forked.ChildDied as error:
            run = Run(["0"], [], [], truncated=str(error).strip().splitlines()[-1])
            name_troubles(run, outside.recover())
            return run
        self.learned.points |= points
        assert isinstance(run, Run)
        return run

    def _execute_in_child(self, plan: Plan) -> tuple[Run, set[int]]:
        if not any({"gc", "collect"} & vars(module).keys() for module in self.loader.modules.values()):
            _freeze()  # a collection of young objects need not touch older ones, whose memory is shared with the parent
        return portable(self.execute_here(plan)), self.learned.points

    def execute_here(self, plan: Plan) -> Run:
        """Execute the program once in this process, from its present state."""
        started = perf_counter()
        capture = self._capture if self._capture.unused() else Capture()
        self._capture = capture
        imported = set(late_imports.noticed)
        unkept = outside.opened_before.begin_run()
        with capture:
            if plan.calls is None:
                run = self._run(plan)
            else:
                with reversing(plan.calls) as watching:
                    run = self._run(plan)
                    run.returned = watching.outcome
            # Objects that the run leaves behind are young, so that finalisers run here and nowhere else.
            referred, generation = natives.take_referred(), 0
            if natives.may_notice_ends():
                generation = 1  # a collection moves the objects that are left there
                early, self._noticed = self._noticed, None
                noticed = cycles.collect(referred, self._held, self._kept, 0 if early is None else 1)
                if len(run.tasks) > 1 and run.divergence is None:  # a run that is cut there leaves threads as they are
                    self._take_notice(run, noticed if early is None else max(early, noticed))
            self.entry.release()
            _collect(generation)
        for path in outside.opened_before.end_run():
            run.uncontrolled[f"writes to {path}, which was open before the run"] = 1
        if late_imports.noticed:
            late = late_imports.all_noticed()
            count_imports(run, {name: acts for name, acts in late.items() if name not in imported})
        if late_imports.are_all_lazy():
            run.uncontrolled["imports at the first use of names, for all modules"] = 1
        uncontrolled.end_processes()
        if troubles := unkept + outside.end_run():
            name_troubles(run, troubles)
        self.read_input = capture.read_input
        run.output = capture.text()
        if self.settings.races and not run.found_new_points:  # with the new points other steps are adjacent
            run.failures += races_of(run, self.location)
        run.seconds = perf_counter() - started
        return run

    def _take_notice(self, run: Run, noticed: cycles.Noticed) -> None:
        """Note whether the program has noticed the end of objects that a run has left in cycles."""
        if noticed is not cycles.Noticed.NOT and CYCLE_POINTS not in self.learned.points:
            self.learned.points.add(CYCLE_POINTS)  # it matters when the objects became garbage
            run.found_new_points = True
        elif noticed is not cycles.Noticed.NOT:
            run.untracked["the end of objects in cycles, which comes when garbage is collected"] = 1

    def _run(self, plan: Plan) -> Run:
        """Make the run itself; on return only the result refers to the objects of the run."""
        determinism.restart()
        late_imports.forget_again()
        runtime = self._runtime(plan)
        given = {**self.inputs, **dict(plan.inputs)}
        runtime.conditions = PathConditions(given, definite_tests=True, place=runtime.place, drawn=plan.drawn)
        runtime.on_error = self.on_error
        runtime.on_stuck = self.on_stuck
        runtime.on_round = self._livelock
        runtime.on_first_fork = self._begin_to_share
        if sites.is_in_program(sites.finalizing):
            runtime.let_go = natives.let_go
        runtime.finds_races = self.settings.races
        runtime.replacing_runs_code = sites.is_in_program(*sites.RUNNING_CODE_AT_ENDS)
        if plan.detail:
            runtime.snapshot_stack = stacks.frames
            runtime.on_use = name_primitive
        if plan.arguments:
            look_ahead()
            runtime.arguments = arguments
        if plan.keys or plan.values:
            runtime.is_opaque = stacks.is_unseen
            runtime.whereabouts = whereabouts
        result: list[Any] = []
        runtime.lists_started = True
        hooks.restart(runtime)
        if self._properties is not None:
            result_caches.count_calls()
            self._properties.begin()
        with Watchdog(runtime):
            try:  # an interrupt by the user may come at any time
                models = primitives.begin(runtime)
                models.is_judged = self.settings.at_end is not None
                models.has_loops = self._properties is None
                activation.activate(runtime)
                if isinstance(runtime, InvokingRuntime):
                    with calls_of_containers():
                        self._run_through(runtime, plan, result)
                else:
                    self._run_through(runtime, plan, result)
            finally:
                activation.activate(None)
                primitives.end()
        run = run_of(runtime, stacks.readable)
        self._watch_timeouts(runtime, run)
        if self._properties is not None:
            run.reached = self._properties.reached()
        run.result = result[0] if result else None
        runtime.conditions.place = None  # they outlive this execution, and the runtime need not
        runtime.conditions = None  # numbers of the program lead to them: as part of a cycle it might, too
        return run

    def _begin_to_share(self, runtime: Runtime) -> None:
        """The first thread of a run is being started."""
        activation.wake_hooks(runtime)
        natives.watch_early(runtime)
        outside.times.begin()
        if self._properties is None and not natives.may_notice_ends():
            runtime.leave_out_private(not sites.is_in_program(sites.looking_at_tracebacks, sites.looking_at_frames))

    def _livelock(self, runtime: Runtime, points: int) -> Failure | None:
        return livelock(runtime, points, self.location)

    def _run_through(self, runtime: Runtime, plan: Plan, result: list[Any]) -> None:
        """Run the program to its end, and settle all that its hooks and models have left open."""
        is_all = self.settings.at_end is None and self._check is None  # otherwise the check at the end looks, too
        if is_all and self._properties is None:
            weak_registries.begin()
        runtime.run(lambda: result.append(self._main(runtime)))
        primitives.finish(runtime, learns=plan.strict and not plan.detail)
        primitives.check_wait_loops(runtime)
        if isinstance(runtime, InvokingRuntime):
            observer.look_back(runtime)
        self._held = self._kept = frozenset()
        if is_all and CYCLE_POINTS in runtime.points:  # otherwise no state was noted in which the main thread was alone
            self._held = natives.alive_alone(runtime)
            if not outside.exit_functions.are_any():
                self._kept = natives.kept_to_the_end(runtime)
        outside.logging_state.count_at_end(runtime)
        if self._properties is not None:
            self._properties.finish(runtime, self.loader.modules, self.entry.namespace())
            if self.settings.memory is not MemoryModel.SC:
                runtime.untracked["the order of property events and of stores that arrive late"] = 1
        hooks.settle(runtime)
        self._noticed = None
        is_asked = CYCLE_POINTS in runtime.points and len(runtime.tasks) > 1
        if is_all and is_asked and self._properties is None and not plan.detail:
            referred = natives.take_referred()
            self._noticed = private_finalisers.collect(runtime, referred, self._held, self._kept)
        hooks.release()
        outside.children.count_at_end(runtime)

    def _runtime(self, plan: Plan) -> Runtime:
        if plan.timing is None and self.timing is not None:
            plan = plan._replace(timing=self.timing)
        memory = self.settings.memory
        if memory is MemoryModel.SC:
            kind = InvokingRuntime if CALLS_AS_STEPS in self.learned.points else Runtime
            if kind is InvokingRuntime and self.settings.models is not None:
                prepare(self.settings.models.prepare)
            return kind(plan, self.learned, self.settings.limits)
        return RelaxedRuntime(plan, self.learned, self.settings.limits, memory)

    def _watch_timeouts(self, runtime: Runtime, run: Run) -> None:
        """Count as uncontrolled that waiting times ran out in runs and that orders were requested in which one would
        have to run out early.

        A waiting time runs out when all other threads are stuck, and the reads-from relation does not show that. So
        executions that have such an order in another way may not have been explored.
        """
        run.expired = runtime.expired
        run.has_children = uncontrolled.started_processes()
        if run.failures and (run.expired or runtime.slept > 0) and run.has_children:
            run.failures.clear()
            run.truncated = "time passed while child processes ran, and these might have answered by then"
        if isinstance(runtime.scheduler, TimedScheduler) or runtime.scheduler.orders_timeouts:
            return
        self._expired = self._expired or bool(runtime.expired)
        self._refused = self._refused or runtime.scheduler.refused
        if self._expired and self._refused:
            run.uncontrolled.setdefault(TIMEOUTS, 1)

    def _main(self, runtime: Runtime) -> Any:
        """The body of the main thread: the program, the end of its threads, and then the invariant."""
        try:
            result = self.entry.call()
        except (Exception, SystemExit) as error:
            runtime.fail(error)
            raise
        finally:
            if not runtime.aborting:
                primitives.finish_main()
                if isinstance(self.entry, Script):
                    outside.at_end_of_process(primitives.wait_for_all)
                outside.loop_errors.look_at_end(runtime, primitives.wait_for_all)
        if self.settings.at_end is not None or self._check is not None:
            primitives.wait_for_all()
        if self.settings.at_end is not None:
            self._look(runtime, self.settings.at_end, result)
        if self._check is not None:
            namespace = self.entry.namespace()
            made: dict[str, Any] = {}
            exec(self._check, namespace, made)  # the user's own expression
            if not made[loader.INVARIANT]():
                message, thread = f"invariant violated: {self.settings.invariant}", runtime.current.name
                failure = Failure(FailureKind.INVARIANT, message, thread, None, step=len(runtime.log))
                runtime.failures.append(failure)
        return result

    @staticmethod
    def _look(runtime: Runtime, at_end: Callable[[Any], object], result: Any) -> None:
        """Call the function that looks at the end, as the program would. Where threads may still run, one that isn't
        instrumented may read more of their state than it's given."""
        code = getattr(getattr(at_end, "func", at_end), "__code__", None)
        if code is not None and code.co_filename not in sites.instrumented and has_concurrent_threads(runtime):
            module = getattr(at_end, "__module__", None) or "?"
            text = f"{ENTERED}{module} (add --include {module})"
            runtime.untracked[text] = runtime.untracked.get(text, 0) + 1
        uses.call(at_end, sites.of_call(_LOOK), result)(result)


def _import_quietly(name: str) -> None:
    try:
        importlib.import_module(name)
    except Exception:  # it was imported in the trial; if it can't be imported here, runs will import it themselves
        return


def _put_back(argv: list[str], path: list[str], modules: set[str], used: loader.Loader) -> None:
    sys.argv[:] = argv
    sys.path[:] = path
    for name in used.modules:
        if name not in modules:
            sys.modules.pop(name, None)


def _look_what_is_left() -> None:
    """Look of which files of earlier checks no function is left: they are no part of the program under check.

    Only files that may run code at the end of objects are asked about: it costs a walk over all objects.
    """
    asked = set().union(*sites.RUNNING_CODE_AT_ENDS) & sites.instrumented
    asked -= sites.ended | sites.names_of_compiled.keys()
    if asked:
        asked.difference_update([getattr(module, "__file__", None) for module in list(sys.modules.values())])
    if not asked:
        return
    found = known_functions.of(asked)
    if any(found.values()):
        found.clear()
        _collect()  # functions of a module are in cycles
        found = known_functions.of(asked)
    sites.ended.update([file for file, functions in found.items() if not functions])


#: The end of the path of a directory with the cells of notebooks.
_CELLS: Final = os.path.join(os.sep, ".mazurka", "cells")


def default_roots(path: str) -> tuple[str, ...]:
    """The project a file belongs to: the nearest directory upwards that looks like a project's, else its own. That of
    the cell of a notebook (notebook.py) is the directory whose `.mazurka` folder has it."""
    folder = os.path.dirname(os.path.abspath(path)).partition(_CELLS)[0]
    candidate = folder
    while True:
        if any(
            os.path.exists(os.path.join(candidate, mark))
            for mark in ("pyproject.toml", "setup.py", "setup.cfg", ".git")
        ):
            return (candidate,)
        parent = os.path.dirname(candidate)
        if parent == candidate:
            return (folder,)
        candidate = parent
