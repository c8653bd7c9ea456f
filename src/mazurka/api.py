"""Exploring, and predicting, from Python: one call, one result.

    from mazurka.api import explore

    result = explore(my_scenario, max_executions=10_000)
    result.raise_for_failure()

The callable takes no arguments and starts, and joins, the threads in question. It is run again and again in this
process; the modules of its project are instrumented in place during the call, and restored afterwards. No other code
may run threads of the same modules meanwhile.

    from mazurka.api import predict

    for finding in predict("service.recording").findings:
        print(finding.kind, [event.place for event in finding.events])

In a notebook the results show the page of the report.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from mazurka.config import Options, from_arguments, resolve
from mazurka.errors import UsageError
from mazurka.explore.batch import Worker
from mazurka.explore.parallel.executor_pool import ExecutorPool
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import primitives
from mazurka.program.python.entry import Call
from mazurka.program.python.instrument import hot_patching
from mazurka.program.python.instrument.loader import Loader
from mazurka.program.python.isolation import state
from mazurka.program.python.program import PythonProgram, default_roots
from mazurka.program.python.semantics import hooks
from mazurka.replay.codec import load
from mazurka.replay.replayer import Ending
from mazurka.replay.replayer import replay as follow
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.finding import Finding
from mazurka.report.render import renderer
from mazurka.report.renderer import AnyReport
from mazurka.workflows.checking import check
from mazurka.workflows.program_spec import (
    PYTHON,
    RUNNER,
    ProgramSpec,
    loading_of,
    options_of,
    properties_of,
    settings_of,
)
from mazurka.workflows.replaying import diverged, report_of

if TYPE_CHECKING:
    from mazurka.report.prediction_report import PredictionReport


class ConcurrencyFailure(AssertionError):
    """A bug was found; the message is the explanation, :attr:`result` the whole result."""

    def __init__(self, result: Result) -> None:
        super().__init__(f"\n{result}")
        self.result = result


@dataclass(frozen=True, slots=True)
class Result:
    """The result of an exploration; its text is the report."""

    report: CheckReport

    @property
    def verdict(self) -> Verdict:
        """``VIOLATION``, ``VERIFIED`` or ``INCONCLUSIVE``; the report's ``reason`` says why."""
        return self.report.verdict

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The distinct failures found."""
        return self.report.findings

    @property
    def executions(self) -> int:
        """Executions that the search made; those of simplifying and confirming failures are not counted."""
        return self.report.executions

    def raise_for_failure(self, *, require_complete: bool = False) -> None:
        """Raise :class:`ConcurrencyFailure` for a failure, and for the lack of a proof where one is required."""
        inconclusive = require_complete and self.verdict is not Verdict.VERIFIED
        if self.failures or self.report.inconsistencies or inconclusive:
            raise ConcurrencyFailure(self)

    def _repr_html_(self) -> str:
        """The page of the report, for notebooks."""
        return _framed(self.report)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text, for notebooks that show no HTML, and for IPython's terminal."""
        printer.text("..." if cycle else str(self))

    def __str__(self) -> str:
        return renderer("text").render(self.report)


def explore(
    function: Callable[[], Any],
    *,
    at_end: Callable[[Any], object] | None = None,
    executor: Executor | None = None,
    **settings: Any,
) -> Result:
    """Run ``function`` in every relevant order of its threads.

    ``at_end`` is called at the end of each execution, when all threads have ended, with the function's result; an
    exception that it raises is a failure of the main thread. It belongs to the program: its reads distinguish orders.
    With an ``executor`` (processes, a Dask cluster, MPI), all executions of the search are made there, in processes
    that import the function by its module and name; ``jobs`` says how many at once. The settings are the keys of the
    configuration with underscores, over those of the project file and the environment; progress and schedules are not
    saved. A wrong setting raises :class:`~mazurka.errors.UsageError`.
    """
    options = resolve(from_arguments(settings, "explore"))
    load = None if executor is None else _load(function, options, at_end)
    with _prepared(function, options, at_end) as program:
        subject = ProgramSpec(program.entry.describe(), (), {**loading_of(options), RUNNER: PYTHON})
        size = options.jobs if isinstance(options.jobs, int) else None
        pool = None if executor is None or load is None else ExecutorPool(executor, load, size)
        return Result(check(program, subject, options, pool=pool))


def replay(
    function: Callable[[], Any],
    schedule: str,
    *,
    at_end: Callable[[Any], object] | None = None,
    **settings: Any,
) -> Result:
    """Run ``function`` once by a schedule: the token of a failure that :func:`explore` found with the same ``at_end``.

    Raises :class:`~mazurka.errors.MazurkaError` if the function can't follow it any more.
    """
    saved = load(schedule)
    options = options_of(saved, resolve(from_arguments(settings, "replay")))
    with _prepared(function, options, at_end) as program:
        result = follow(program, saved)
        if result.ending is Ending.DIVERGED:
            raise diverged(result)
        return Result(report_of(result, program, schedule))


@dataclass(frozen=True, slots=True)
class Prediction:
    """The bugs that a trace proves; its text is the report. ``notes`` list repairs and faults of the trace."""

    report: PredictionReport
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> Sequence[Finding]:
        """Bugs of distinct places, each with a checked order of events that leads to it."""
        return self.report.findings

    @property
    def counts(self) -> Mapping[str, int]:
        """The numbers of proven bugs, by the names in JSON: ``race_locations``, ``deadlocks`` and so on."""
        return self.report.counts

    @property
    def undecided(self) -> int:
        """The number of candidates that are undecided because of a limit; 0: the trace proves no more bugs."""
        return self.report.undecided

    def data(self) -> dict[str, Any]:
        """The report as `mazurka predict --format json` prints it."""
        from mazurka.report.render_json import report_data

        return report_data(self.report)

    def _repr_html_(self) -> str:
        """The page of the report, for notebooks."""
        return _framed(self.report)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The text, for notebooks that show no HTML, and for IPython's terminal."""
        printer.text("..." if cycle else str(self))

    def __str__(self) -> str:
        return renderer("text").render(self.report)


def predict(
    trace: str | os.PathLike[str],
    *,
    engine: str = "auto",
    kinds: Sequence[str] = ("race", "deadlock"),
    window: int | None = None,
    time_limit: float | None = 60.0,
    repair: bool = False,
    complete: bool = False,
    per_thread: bool = False,
    suppressions: str | os.PathLike[str] | None = None,
) -> Prediction:
    """Predict bugs in other orders of the events in a trace file, or a recording.

    ``kinds`` are names of kinds of findings: ``race``, ``deadlock``, ``atomicity``, ``order-violation``,
    ``call-order``. The other arguments are the options of `mazurka predict`; a ``time_limit`` of None means no limit.
    Arguments that the command line would refuse raise :class:`~mazurka.errors.MazurkaError`.
    """
    from mazurka.causal.thread_logs import merged
    from mazurka.predict.kinds.registry import ENGINES, need_no_order
    from mazurka.predict.suppressions import read_suppressions
    from mazurka.trace.validated import read_reliably
    from mazurka.workflows.predicting import Numbered, Request
    from mazurka.workflows.predicting import predict as run

    if engine not in ENGINES:
        raise UsageError("no-such-engine", f"there is no engine {engine!r}", hint=f"take one of {', '.join(ENGINES)}")
    for kind in kinds:
        if kind not in ENGINES[engine]:
            hint = f"take some of {', '.join(ENGINES[engine])}"
            raise UsageError("no-such-kind", f"engine {engine} finds no {kind!r}", hint=hint)
    rules = [] if suppressions is None else read_suppressions(os.fspath(suppressions))
    if per_thread:
        need_no_order(kinds)
    notes: list[str] = []
    read = read_reliably(os.fspath(trace), None, repair, notes.append, complete, merged if per_thread else None)
    request = Request(os.fspath(trace), engine, tuple(kinds), window, time_limit, rules, detailed=True)
    return Prediction(run(Numbered(*read), request), tuple(notes))


def _framed(report: AnyReport) -> str:
    from mazurka.report.framed_page import framed

    return framed(renderer("html").render(report), renderer("text").render(report))


def _load(
    function: Callable[[], Any], options: Options, at_end: Callable[[Any], object] | None
) -> Callable[[], Worker]:
    """A function that prepares the program in another process."""
    for each in (function, at_end):
        if each is None:
            continue
        if getattr(each, "__module__", None) == "__main__" or "<" in getattr(each, "__qualname__", "<"):
            raise UsageError(
                "not-importable",
                f"an executor's processes can't import {each!r}",
                hint="define it at the top of a module that they can import",
            )
    return partial(_serve, function, options, at_end)


#: Patches that remain until the process ends.
_served: Final = ExitStack()


def _serve(function: Callable[[], Any], options: Options, at_end: Callable[[Any], object] | None) -> Worker:
    program = _served.enter_context(_prepared(function, options, at_end))
    return Worker(program, program.learned.points)


@contextmanager
def _prepared(
    function: Callable[[], Any], options: Options, at_end: Callable[[Any], object] | None
) -> Iterator[PythonProgram]:
    """The function as a program, its project's modules instrumented where they are."""
    file = _file_of(function)
    name = f"{os.path.basename(file)}::{getattr(function, '__qualname__', repr(function))}"
    loader = Loader(default_roots(file), options.include)
    with ExitStack() as undo:
        if properties := properties_of(options):
            from mazurka.program.python.property_events.holding import weave

            undo.callback(weave(properties))
        hooks.install()
        primitives.install()
        undo.callback(primitives.uninstall)
        loader.install()
        undo.callback(loader.uninstall)
        modules = [module for module in list(sys.modules.values()) if _is_tracked(module, loader)]
        if "__main__" not in options.include:
            modules = _without_the_caller(modules, function, at_end)
        own = tuple(modules)
        modules += [each for each in _modules_of(at_end) if each not in modules]
        functions = hot_patching.functions(modules)
        for module in modules:
            failed = partial(loader.opaque.__setitem__, module.__name__)
            undo.callback(hot_patching.swap_module(module, failed=failed, among=functions))
            undo.callback(primitives.adopt(module))
        undo.callback(primitives.adopt_of_libraries())
        settings = replace(settings_of(options), at_end=at_end)
        program = PythonProgram(_TrackedCall(function, name, own), settings)
        undo.callback(program.close)
        program.prepare()
        program.loader.opaque.update(loader.opaque)
        yield program


class _TrackedCall(Call):
    """A call whose project's modules are restored before each run."""

    def __init__(self, function: Callable[[], Any], text: str, modules: tuple[ModuleType, ...]) -> None:
        super().__init__(function, text)
        self._tracked = modules

    def modules(self) -> list[ModuleType]:
        return list(dict.fromkeys((*self._tracked, *super().modules())))


def _modules_of(at_end: Callable[[Any], object] | None) -> list[ModuleType]:
    """The module of ``at_end``, wherever it lies, unless it's a library's: its reads distinguish orders.

    A function with free variables stays as it is: these may collect what executions show, so that no two would take the
    same steps.
    """
    function = getattr(at_end, "func", at_end)
    name = getattr(function, "__module__", None) or ""
    module = sys.modules.get(name)
    folder = os.path.dirname(getattr(module, "__file__", None) or "")
    if not folder or name.partition(".")[0] in sys.stdlib_module_names or getattr(function, "__closure__", None):
        return []
    return [module] if module is not None and _is_tracked(module, Loader((folder,))) else []


def _is_tracked(module: object, loader: Loader) -> bool:
    if not isinstance(module, ModuleType):
        return False
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and loader.tracks(module.__name__, file)


def _without_the_caller(modules: list[ModuleType], *functions: Callable[..., Any] | None) -> list[ModuleType]:
    """The modules without ``__main__`` if the program does not use it: no module imports it, and its objects (a
    cluster's client, say) may not be restorable between executions.

    If the program enters code of it nevertheless, that code counts as not explored.
    """
    main = sys.modules.get("__main__")
    others = [module for module in modules if module is not main]
    if main is None or len(others) == len(modules):
        return modules
    named = [*functions, *(each for module in others for each in vars(module).values())]
    used = any(each is main or getattr(each, "__module__", None) == "__main__" for each in named)
    return modules if used or state.Snapshot(others).reaches(main) else others


def _file_of(function: Callable[[], Any]) -> str:
    code = getattr(getattr(function, "func", function), "__code__", None)
    module = sys.modules.get(getattr(function, "__module__", "") or "")
    file = code.co_filename if code is not None else getattr(module, "__file__", None)
    if not file or not Path(file).exists():
        hint = (
            "define it in a file; in a notebook, check a cell by %%mazurka"
            if "ipykernel" in sys.modules
            else "define it in a file"
        )
        raise UsageError("no-source", f"{function!r} comes from no source file", hint=hint)
    return str(file)
