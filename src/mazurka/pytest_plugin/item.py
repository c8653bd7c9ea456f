"""One pytest test as a program that can be run again and again.

pytest sets a test up once, with everything it needs. For exploring, the state of the test alone (its function-scoped
fixtures, the instance of its class) is made and torn down within every execution; state of a wider scope is made once,
before, and restored between executions like that of the modules.

This reaches into pytest's `SetupState` and `Function`, of which the parts used have been stable since pytest 8.0:
`setup`, `teardown_exact`, `stack`, `_initrequest`, `_fixtureinfo`.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import shutil
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from _pytest.fixtures import FixtureDef
from _pytest.outcomes import Failed, OutcomeException, Skipped
from greenlet import GreenletExit

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.reachable import nothing_follows
from mazurka.pytest_plugin.examples import Example

#: Decorators that ask Mazurka to check a test.
_REQUESTS: Final = frozenset({"mazurka.check", "pytest.mark.mazurka"})


class TestEntry:
    """The test as an :class:`mazurka.program.python.entry.Entry`."""

    __test__ = False  # of no interest to pytest's collection

    def __init__(self, item: pytest.Item, modules: Sequence[types.ModuleType]) -> None:
        self.item = item
        self.example: Example | None = None  # the one to run of a test of Hypothesis
        self._modules = modules
        self._failed_parts: list[BaseException] = []  # failures of subtests of `unittest` in this execution
        self._stash = dict(item.stash._storage)  # the notes of plugins when pytest had set the test up
        self._properties = list(item.user_properties)

    def prepare(self) -> None:
        """Tear down the test as pytest had set it up; fixtures may fail in that, since the test did not run."""
        with contextlib.suppress(Exception):
            self.tear_down()

    def modules(self) -> list[types.ModuleType]:
        """The tracked modules, and one that holds the values of the wider fixtures."""
        values = types.ModuleType("fixtures of wider scope")
        for name, definition in self._fixtures():
            if definition.scope != "function" and definition.cached_result is not None:
                setattr(values, name, definition.cached_result[0])
        return [*self._modules, values]

    def call(self) -> None:
        """Set up, run and tear down the test, within one execution."""
        self._forget_the_last_execution()
        self.forget_properties()
        try:
            self._state.setup(self.item)
            self._run()
            if (code := last_code(self.item)) is not None:
                nothing_follows(code)
        finally:
            self.tear_down()
            for name in ("_excinfo", "addSubTest"):
                self.item.__dict__.pop(name, None)

    def namespace(self) -> dict[str, Any]:
        module = getattr(self.item, "module", None)
        return vars(module) if module is not None else {}

    def release(self) -> None:
        return  # tearing the test down has released its objects

    def identity(self) -> str:
        """The identity of the test's file without its requests to Mazurka, so that a schedule stays valid when the file
        names it."""
        text = "\n".join(_lines_but_ours(self.item.path.read_text("utf-8", "surrogateescape")))
        named = f"{self.item.nodeid}\0{text}".encode("utf-8", "surrogateescape")
        return hashlib.sha256(named).hexdigest()[:16]

    def describe(self) -> str:
        return self.item.nodeid

    def set_up_again(self) -> None:
        """Set up the test again as pytest had, to be run in the ordinary way."""
        self._forget_the_last_execution()
        self._state.setup(self.item)

    def forget_properties(self) -> None:
        """Forget what executions have recorded for reports (the fixture `record_property`)."""
        self.item.user_properties[:] = self._properties

    def tear_down(self) -> None:
        """Tear down the state of the test alone."""
        if self.item.parent is not None and self.item in self._state.stack:
            folder = (getattr(self.item, "funcargs", None) or {}).get("tmp_path")
            self._state.teardown_exact(self.item.parent)
            if folder is not None:  # pytest would keep one for each of thousands of executions
                shutil.rmtree(folder, ignore_errors=True)

    # -- within an execution ------------------------------------------------------------------------------------------

    @property
    def _state(self) -> Any:
        return self.item.session._setupstate

    def _fixtures(self) -> list[tuple[str, Any]]:
        info = getattr(self.item, "_fixtureinfo", None)
        definitions = info.name2fixturedefs if info is not None else {}
        return [(name, definition) for name, found in definitions.items() for definition in found]

    def _forget_the_last_execution(self) -> None:
        """Remove the state that an execution that was cut short may have left."""
        item: Any = self.item
        self._state.stack.pop(item, None)
        for _, definition in self._fixtures():
            if definition.scope == "function" and definition.cached_result is not None:
                try:
                    definition.finish(item._request)
                except BaseException:  # of an execution that is over; it was reported then
                    definition.cached_result = None
        item.stash._storage.clear()
        item.stash._storage.update(self._stash)
        for name in ("_obj", "_instance", "_excinfo"):
            item.__dict__.pop(name, None)
        if hasattr(item, "_initrequest"):
            item._initrequest()

    def _run(self) -> None:
        item: Any = self.item
        self._failed_parts.clear()
        if hasattr(item, "addSubTest"):
            item.addSubTest = self._keep_part
        if self.example is not None:
            item.obj = self.example.of(item)
        try:
            type(item).runtest(item)
            self._raise_failures_of_unittest()
        except Failed:
            raise
        except BaseExceptionGroup as errors:  # of Hypothesis, for which a failure that depends on an order is flaky
            raise errors.exceptions[0] if type(errors).__name__ == "FlakyFailure" else errors from None
        except OutcomeException:  # it skipped itself, or declared itself as expected to fail
            return

    def _raise_failures_of_unittest(self) -> None:
        """`unittest.TestCase.run` hands failures to its result, here the item, instead of raising them.

        It also catches the exception that ends a thread with its execution, and goes on.
        """
        kept = [each.value for each in self.item.__dict__.get("_excinfo") or ()]
        for error in (*self._failed_parts, *kept):
            raise error

    def _keep_part(self, _case: object, _part: object, error: Any) -> None:
        """In place of `addSubTest`: keep the failure of a subtest of `unittest`."""
        value = error[1] if isinstance(error, tuple) else getattr(error, "value", None)
        if value is not None and not isinstance(value, (GreenletExit, OutcomeException)):
            self._failed_parts.append(value)


#: Fixtures of pytest whose teardown runs no code of the program.
_QUIET: Final = frozenset("tmp_path monkeypatch capsys capsysbinary capfd capfdbinary caplog recwarn".split())

#: Hooks that are called when a test has returned.
_AFTERWARDS: Final = ("pytest_pyfunc_call", "pytest_fixture_setup", "pytest_fixture_post_finalizer")


def last_code(item: Any) -> types.CodeType | None:
    """The code of a test's function if no code of the program runs after it: no fixture of the program's is torn down,
    and no hook of a ``conftest.py`` is called. None in doubt."""
    function = getattr(item.obj, "__func__", item.obj)
    if type(item) is not pytest.Function or type(function) is not types.FunctionType:
        return None
    hooks = [each for name in _AFTERWARDS for each in getattr(item.ihook, name).get_hookimpls()]
    finalizers, _ = item.session._setupstate.stack.get(item, ([None], None))
    if any(map(_is_of_program, hooks)) or not all(map(_is_of_pytest, finalizers)):
        return None
    return function.__code__


def _is_of_program(hook: Any) -> bool:
    code = getattr(getattr(hook.function, "__func__", hook.function), "__code__", None)
    return hook.plugin_name.endswith("conftest.py") or code is None or code.co_filename in sites.instrumented


def _is_of_pytest(finalizer: Any) -> bool:
    """Whether a function that tears a part of a test down is known to run no code of the program."""
    if type(finalizer) is functools.partial:
        function, owner = finalizer.func, getattr(finalizer.func, "__self__", None)
        if isinstance(owner, FixtureDef):
            return function.__name__ == "finish" and all(map(_is_of_pytest, owner._finalizers))
        name = getattr(function, "__qualname__", "")
        fixture: Any = finalizer.args[0] if name == "_teardown_yield_fixture" and finalizer.args else None
        return _is_within_pytest(function) and _is_within_pytest(fixture) and fixture.__qualname__ in _QUIET
    return _is_within_pytest(getattr(finalizer, "__func__", finalizer))


def _is_within_pytest(function: Any) -> bool:
    return type(function) is types.FunctionType and function.__module__.startswith("_pytest.")


#: The context managers of tests' parts, by module: pytest's own, and those of the plugin it comes from.
_PARTS: Final = {"_pytest.subtests": "_SubTestContextManager", "pytest_subtests.plugin": "_SubTestContextManager"}


@contextlib.contextmanager
def parts_fail_alike() -> Iterator[None]:
    """In this context subtests (the fixture `subtests`) report nothing: the first failing one ends its test."""
    kinds: list[Any] = [getattr(sys.modules.get(module), name, None) for module, name in _PARTS.items()]
    replaced = [(kind, kind.__enter__, kind.__exit__) for kind in kinds if kind is not None]
    for kind, _, _ in replaced:
        kind.__enter__ = lambda _part: None
        kind.__exit__ = lambda _part, _kind, error, _traceback: isinstance(error, Skipped)
    try:
        yield
    finally:
        for kind, enter, leave in replaced:
            kind.__enter__, kind.__exit__ = enter, leave


def requests_in(tree: ast.AST) -> Iterator[tuple[list[ast.expr], int]]:
    """The decorators that ask Mazurka to check a test: each as its list and the index in it."""
    for node in ast.walk(tree):
        decorators = getattr(node, "decorator_list", [])
        for index, decorator in enumerate(decorators):
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if ast.unparse(called) in _REQUESTS:
                yield decorators, index


def _lines_but_ours(source: str) -> Iterator[str]:
    tree = ast.parse(source)
    ours: set[int] = set()
    spans: list[ast.expr | ast.stmt] = [decorators[index] for decorators, index in requests_in(tree)]
    spans += [node for node in ast.walk(tree) if isinstance(node, ast.Import) and ast.unparse(node) == "import mazurka"]
    for node in spans:
        ours.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(source.splitlines(), 1):
        if number not in ours and line.strip():
            yield line.rstrip()
