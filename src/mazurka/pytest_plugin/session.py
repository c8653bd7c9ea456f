"""A pytest session with tests to explore: tracks the project's modules, and executes each chosen test by plans.

Modules are instrumented in place, after collection, however they were imported: pytest's own assertion
rewriting is applied to the syntax tree first, exactly as pytest does, and ours to the result. Modules that tests
import later are instrumented on import. All of it is undone at the end of the session.

A test that fails in no order is then run once in the ordinary way, with pytest's own outcome and report, and so is one
that starts no threads, as soon as the first execution has shown that.
"""

from __future__ import annotations

import ast
import math
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from time import perf_counter  # by name: the module's attributes are a program's virtual clock while it is checked
from types import CodeType
from typing import TYPE_CHECKING, Any, Final

import pytest
from _pytest.assertion.rewrite import AssertionRewritingHook, rewrite_asserts
from greenlet import getcurrent

from mazurka.cli.interrupt import Interrupt
from mazurka.errors import MazurkaError
from mazurka.program.protocol import Plan
from mazurka.program.python import activation, primitives
from mazurka.program.python.instrument import hot_patching
from mazurka.program.python.instrument.instrument import instrument_tree
from mazurka.program.python.instrument.loader import MACHINERY, PYTEST_MACHINERY, Loader
from mazurka.program.python.program import PythonProgram
from mazurka.program.python.semantics import hooks
from mazurka.program.python.variants import KnownVariants
from mazurka.program.settings import Isolation
from mazurka.pytest_plugin import outcomes, settings
from mazurka.pytest_plugin.examples import Example, examples_of, numbered
from mazurka.pytest_plugin.item import TestEntry, parts_fail_alike, requests_in
from mazurka.pytest_plugin.repetitions import Explored, test_repeated_by
from mazurka.replay.codec import load
from mazurka.replay.replayer import Ending, replay
from mazurka.report.check_report import CheckReport, Verdict
from mazurka.report.render import renderer
from mazurka.workflows.checking import NullObserver, check
from mazurka.workflows.program_spec import (
    PYTEST,
    RUNNER,
    ProgramSpec,
    loading_of,
    options_of,
    properties_of,
    settings_of,
)
from mazurka.workflows.replaying import diverged, report_of, summary
from mazurka.workflows.store import Store, open_store

if TYPE_CHECKING:
    from mazurka.config import Options

#: Columns of the explanation in a failure section.
_WIDTH: Final = 110


class SessionExplorer:
    """The plugin of a session that has tests to explore."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._undo: list[Callable[[], object]] = []
        self._modules: list[types.ModuleType] = []
        self._store: Store | None = None
        self._loader: Loader | None = None
        self._chosen: dict[str, Options] = {}
        self._schedules: dict[str, str] = {}  # of tests to replay
        self._last: Explored | None = None  # the test that was run last, if it is repeated
        self._function: tuple[Any, ...] = ()  # the function of the test that was explored last, and its settings
        self._variants = KnownVariants()  # ... its knowledge, for the same function with other parameters

    def take(self, items: Iterable[pytest.Item]) -> None:
        """Let these tests be explored when they run."""
        for item in items:
            marker = item.get_closest_marker("mazurka")
            if marker is not None and marker.args:
                raise pytest.UsageError(f"{item.nodeid}: the marker mazurka takes keyword arguments only")
            arguments = marker.kwargs if marker is not None else {}
            self._chosen[item.nodeid] = settings.settings_of(self._config, arguments, item.nodeid)
            schedule = self._config.getoption("--mazurka-replay") or arguments.get(settings.REPLAY)
            if schedule:
                self._schedules[item.nodeid] = str(schedule)
            item.runtest = partial(self._run, item)  # type: ignore[method-assign]  # only of this item
        self._track()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Hook of pytest: any other test may leave another state behind."""
        if self._last is not None and test_repeated_by(item) != self._last.test:
            self._last = None

    def close(self) -> None:
        """Undo the instrumentation and end the processes."""
        self._variants.forget()
        while self._undo:
            self._undo.pop()()

    # -- tracking -----------------------------------------------------------------------------------------------------

    def _track(self) -> None:
        include = {name for options in self._chosen.values() for name in options.include}
        never = MACHINERY | PYTEST_MACHINERY
        if any(options.save for options in self._chosen.values()):
            self._store = open_store(self._config.rootpath, self._warn)
        cache = str(self._store.cache) if self._store is not None else None
        replayed = {name: options_of(load(path), self._chosen[name]) for name, path in self._schedules.items()}
        stated = [each for options in {**self._chosen, **replayed}.values() for each in properties_of(options)]
        if stated:
            from mazurka.program.python.property_events.holding import weave

            self._undo.append(weave(stated))
        self._loader = loader = Loader((str(self._config.rootpath),), sorted(include), cache, never)
        hooks.install()
        primitives.install()
        self._undo.append(primitives.uninstall)
        loader.install()
        self._undo.append(loader.uninstall)
        modules = [module for module in list(sys.modules.values()) if _is_tracked(module, loader)]
        functions = hot_patching.functions(modules)
        for module in modules:
            failed = partial(loader.opaque.__setitem__, module.__name__)
            self._undo.append(hot_patching.swap_module(module, partial(self._compile, module), failed, functions))
            self._undo.append(primitives.adopt(module))
            self._modules.append(module)
        self._undo.append(primitives.adopt_of_libraries())

    def _compile(self, module: types.ModuleType, source: str, file: str) -> CodeType:
        is_test = isinstance(getattr(module, "__loader__", None), AssertionRewritingHook)
        if not is_test and "mazurka" not in source and self._loader is not None:
            return self._loader.code_for(source.encode("utf-8", "surrogatepass"), file)
        tree = ast.parse(source, filename=file)
        if is_test:
            rewrite_asserts(tree, source.encode(), file, self._config)
            _complete_positions(tree)
        for decorators, index in requests_in(tree):  # otherwise schedules would count their points
            decorators[index] = ast.copy_location(ast.Constant(None), decorators[index])
        code: CodeType = compile(instrument_tree(tree, file), file, "exec", dont_inherit=True)
        return code

    def _opaque(self) -> dict[str, str]:
        """The modules that could not be instrumented, and why; a test can't be verified with them."""
        return self._loader.opaque if self._loader is not None else {}

    def _warn(self, text: str) -> None:
        self._config.issue_config_time_warning(pytest.PytestWarning(f"mazurka: {text}"), stacklevel=2)

    # -- running ------------------------------------------------------------------------------------------------------

    def _run(self, item: pytest.Item) -> None:
        """In place of the item's `runtest`: pytest has set the test up, and will tear it down."""
        options = self._chosen[item.nodeid]
        assert self._loader is not None
        entry = TestEntry(item, [*self._modules, *self._loader.modules.values()])
        try:
            with _undisturbed(), parts_fail_alike(), _untimed(item), _covering_threads():
                schedule = self._schedules.get(item.nodeid)
                if schedule is not None:
                    return self._replay(item, entry, options, schedule)
                concluded = self._explore(item, entry, options)
        except MazurkaError as error:
            pytest.fail(f"mazurka: {error}", pytrace=False)
        if not concluded:
            entry.set_up_again()
            type(item).runtest(item)
        return None

    @contextmanager
    def _program(
        self, entry: TestEntry, options: Options, variants: KnownVariants | None = None
    ) -> Iterator[_TestProgram]:
        program = _TestProgram(entry, settings_of(replace(options, include=())), variants)
        try:
            yield program
        finally:
            entry.tear_down()
            program.close()
            primitives.install()  # for fixtures of wider scope that are set up next

    def _variants_of(self, item: pytest.Item, options: Options) -> KnownVariants:
        """The knowledge of earlier tests of the same function, with the same settings."""
        function = (item.parent, getattr(item, "originalname", None), options)
        if function != self._function:
            self._variants.forget()
            self._function = function
        return self._variants

    def _explore(self, item: pytest.Item, entry: TestEntry, options: Options) -> bool:
        """Check the test, and fail if it fails; false if it is to be run as usual, too.

        For pytest and its plugins have to see one execution that is like any other: its subtests, what it prints and
        logs and records, the lines that it covers, all examples of Hypothesis, and whether it skips itself.
        """
        if self._last is not None and outcomes.receiver is None:
            entry.prepare()
            item.user_properties.append((outcomes.REPEATS, self._last.name))
            _conclude(item, self._last.report, options)
            return False
        started, worst = perf_counter(), None
        examples: list[Example | None] = [*examples_of(item)] or [None]
        for example in examples:
            entry.example = example
            found = self._search(item, entry, options, started)
            if isinstance(found, CheckReport) and (worst is None or found.verdict is not Verdict.VERIFIED):
                worst = found
            if worst is not None and worst.verdict is Verdict.VIOLATION:
                break
        if worst is None or worst.verdict is not Verdict.VIOLATION:
            entry.forget_properties()
        if worst is None:
            assert not isinstance(found, CheckReport)
            return found()
        test, report = test_repeated_by(item), worst
        if len(examples) > 1 and report.verdict is not Verdict.VIOLATION:
            report = replace(report, notes=(*report.notes, f"explored with {len(examples)} examples of Hypothesis"))
        self._last = Explored(test, item.nodeid, report) if test is not None else None
        outcomes.reports.append(report)
        if outcomes.receiver is not None:
            outcomes.receiver(report)
        _conclude(item, report, options)
        return outcomes.receiver is not None

    def _search(
        self, item: pytest.Item, entry: TestEntry, options: Options, started: float
    ) -> CheckReport | Callable[[], bool]:
        """Search all orders of the test, or of an example of it; or the function by which it is left to pytest."""
        watcher, since = _SessionObserver(), perf_counter()
        with self._program(entry, options, self._variants_of(item, options)) as program, watcher:
            program.prepare()
            program.loader.opaque.update(self._opaque())
            if program.is_alone or (program.earlier.reason and not program.starts_threads()):
                return partial(_left_to_pytest, item)
            waits, spent = bool(program.earlier.waits), perf_counter() - since
            if program.hung and spent > (options.time_limit or math.inf) / 2:
                return partial(_left_without, item, program.hung, options)
            is_alone = (waits or not program.has_threads) and len(program.execute(Plan()).tasks) == 1
            if program.earlier.reason:
                return partial(_left_without, item, program.earlier.reason, options)
            if is_alone:
                return partial(_left_to_pytest, item)
            arguments = (entry.example.label,) if entry.example is not None else ()
            subject = ProgramSpec(item.nodeid, arguments, {**loading_of(options), RUNNER: PYTEST})
            store = self._store if options.save else None
            alone = replace(options, jobs=1)  # pytest-xdist distributes the cores
            report = check(program, subject, alone, store=store, resumable=False, watcher=watcher, started=started)
            if report.verdict is Verdict.VIOLATION and program.isolation is Isolation.FORK and _tracers():
                program.execute_here(Plan())  # no other execution would be covered
        if watcher.interrupted() and report.verdict is not Verdict.VIOLATION:
            raise KeyboardInterrupt
        return report

    def _replay(self, item: pytest.Item, entry: TestEntry, options: Options, given: str) -> None:
        """Run the test by a schedule; `mazurka replay` reads the outcome from :data:`outcomes.replayed`."""
        schedule = load(given)
        entry.example = numbered(item, schedule.arguments)
        debugging = self._config.getoption("--mazurka-replay-pdb")
        options = options_of(schedule, options)
        if debugging:
            options = replace(options, isolation="restore")
        with self._program(entry, options) as program:
            if debugging:
                from mazurka.cli.debugger import attach

                attach(program)
            result = replay(program, schedule, times=self._config.getoption("--mazurka-replay-times"))
            if result.ending is Ending.DIVERGED:
                outcomes.replayed = diverged(result)
                raise outcomes.replayed
            text = f"{summary(result)}\n\n"
            outcomes.report = report_of(result, program, given, orders=outcomes.orders)
            if result.failure is None:
                outcomes.replayed = 0
                print(text)
                return
            outcomes.replayed = 1
            text += renderer("text", width=_WIDTH).render(outcomes.report)
        pytest.fail(text, pytrace=False)


class _TestProgram(PythonProgram):
    """A test's program. One without threads is only tried."""

    isolates_alone = False


class _SessionObserver(NullObserver):
    """Takes Ctrl-C for a request to stop, if signals can be handled in this thread."""

    def __init__(self) -> None:
        self._interrupt = Interrupt()
        self._listens = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> None:
        if self._listens:
            self._interrupt.__enter__()

    def __exit__(self, *exception: object) -> None:
        if self._listens:
            self._interrupt.__exit__(*exception)

    def interrupted(self) -> bool:
        return self._interrupt.requested


def _left_to_pytest(item: pytest.Item) -> bool:
    """Note that the test starts no threads, and is left to pytest."""
    item.user_properties.append((outcomes.PROPERTY, outcomes.NO_THREADS))
    return False


def _left_without(item: pytest.Item, reason: str, options: Options) -> bool:
    """Note that there is no answer, and leave the test to pytest unless it has to be explored."""
    item.user_properties.append((outcomes.PROPERTY, f"inconclusive: {reason}"))
    if options.require_complete or options.require is not None:
        pytest.fail(f"mazurka: inconclusive: {reason}", pytrace=False)
    return False


def _is_tracked(module: object, loader: Loader) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(module, types.ModuleType) and isinstance(file, str) and loader.tracks(module.__name__, file)


def _complete_positions(tree: ast.AST) -> None:
    """Give an end to nodes that pytest inserts with a beginning only; another end would not be valid."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr) and getattr(node, "end_lineno", None) is None:
            node.end_lineno = node.lineno
            node.end_col_offset = node.col_offset


@contextmanager
def _undisturbed() -> Iterator[None]:
    """In this context pytest does not see exceptions of threads: they are findings."""
    excepthook, threading.excepthook = threading.excepthook, threading.__excepthook__
    try:
        yield
    finally:
        threading.excepthook = excepthook


@contextmanager
def _untimed(item: pytest.Item) -> Iterator[None]:
    """In this context `pytest-timeout` does not end the test: its limit is that of one execution, and a search has a
    limit of its own."""
    plugin: Any = item.config.pluginmanager.get_plugin("timeout")
    timed = plugin is not None and getattr(item, "cancel_timeout", None) is not None
    if timed:
        item.ihook.pytest_timeout_cancel_timer(item=item)
    try:
        yield
    finally:
        if timed and hasattr(plugin, "_get_item_settings"):
            item.ihook.pytest_timeout_set_timer(item=item, settings=plugin._get_item_settings(item))


def _tracers() -> list[Any]:
    """The tracers of `coverage` that is being measured."""
    coverage: Any = sys.modules.get("coverage")
    current = coverage.Coverage.current() if coverage is not None else None
    tracers = getattr(getattr(current, "_collector", None), "tracers", ())
    return [each for each in tracers if hasattr(each, "concur_id_func")]


@contextmanager
def _covering_threads() -> Iterator[None]:
    """In this context `coverage` takes greenlets, which threads are, for threads (otherwise it mixes up their frames),
    and what it does to find out whether to cover a file is no step of the program."""
    before = []
    for tracer in _tracers():
        names = ("concur_id_func", *[name for name in _OF_COVERAGE if callable(getattr(tracer, name, None))])
        values = [getattr(tracer, name) for name in names]
        before.append((tracer, dict(zip(names, values, strict=True))))
        for name, value in zip(names[1:], values[1:], strict=True):
            setattr(tracer, name, partial(_aside, value))
        tracer.concur_id_func = getcurrent
    try:
        yield
    finally:
        for tracer, attributes in before:
            for name, value in attributes.items():
                setattr(tracer, name, value)


#: The functions of `coverage` in Python that its tracers in C call.
_OF_COVERAGE: Final = (
    "should_trace",
    "check_include",
    "should_start_context",
    "switch_context",
    "disable_plugin",
    "warn",
)


def _aside(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function that is no part of the program, in the midst of a run."""
    run, activation.active = activation.active, None
    try:
        return function(*args)
    finally:
        activation.active = run


def _conclude(item: pytest.Item, report: CheckReport, options: Options) -> None:
    """Note the verdict of the report, and fail if it says so."""
    item.user_properties.append((outcomes.PROPERTY, f"{report.verdict.value}: {report.reason}"))
    match report.verdict:
        case Verdict.VIOLATION:
            pytest.fail(renderer("text", width=_WIDTH).render(report), pytrace=False)
        case _ if report.inconsistencies:
            pytest.fail(f"mazurka: {report.reason}: {report.inconsistencies[0]}", pytrace=False)
        case _ if not report.covers(options.require_complete, options.require):
            pytest.fail(f"mazurka: inconclusive after {report.executions} executions: {report.reason}", pytrace=False)
