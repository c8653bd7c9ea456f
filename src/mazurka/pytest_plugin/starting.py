"""Which tests may start threads, by the names that the project's code uses; the others run once, as they are.

A test uses names; a name stands for all functions and classes that the project calls so, and uses the names that their
code refers to, with that of all functions within. So a name may start threads if it is one of :data:`_STARTING`, stands
for a class or function of :data:`_MODULES`, or uses a name that may; and any test may call special methods. This is
more than what is called, and not all: a library may start threads, and so may what is found by a computed name. So
:func:`watching` notes the threads that such a test starts after all; then there is no answer for it.

Cost: 10 ms for each 1,000 functions of the project, once; 10 microseconds for each test.
"""

from __future__ import annotations

import _thread
import importlib.util
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final

import pytest

#: Functions and classes that start threads, tasks or processes, or run code that has no names here.
_STARTING: Final = frozenset(
    "Thread Timer Process Popen Pool ThreadPool ThreadPoolExecutor ProcessPoolExecutor InterpreterPoolExecutor "
    "start_new_thread start_joinable_thread start_new to_thread run_in_executor run_until_complete TaskGroup gather "
    "create_task ensure_future asyncio greenlet gevent eventlet trio anyio fork forkpty posix_spawn system subprocess "
    "exec eval import_module __import__ signal setitimer interrupt_main".split()
)

#: Modules whose classes and functions start threads or tasks, except the primitives.
_MODULES: Final = frozenset("threading _thread concurrent multiprocessing asyncio socketserver subprocess".split())
_PRIMITIVES: Final = frozenset(
    "Lock RLock lock allocate_lock Condition Event Semaphore BoundedSemaphore Barrier local _local".split()
)

#: Flags of code: a coroutine, a generator-based one, an asynchronous generator.
_ASYNCHRONOUS: Final = 0x380


class Starters:
    """The names of a project that may start threads."""

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._uses: defaultdict[str, set[str]] = defaultdict(set)
        special: set[str] = set()
        self._files = set()
        for module in modules:
            self._files.add(module.__file__)
            for code in _codes_of(module):
                self._uses[code.co_name] |= _names_in(code)
                if code.co_name.startswith("__") and code.co_name not in ("__init__", "__new__"):
                    special |= _names_in(code)
            for name, value in list(vars(module).items()):
                if not name.startswith("__"):
                    self._uses[name].update(_names_of(value))
        self.names = set(_STARTING)
        while more := [name for name, used in self._uses.items() if name not in self.names and used & self.names]:
            self.names.update(more)
        self._any = not special.isdisjoint(self.names)

    def may_start(self, item: pytest.Item) -> bool:
        """Whether a test may start threads, as far as names show."""
        function = getattr(item, "obj", None)
        if self._any or function is None or not type(item).runtest.__module__.startswith("_pytest."):
            return True
        used = {item.name, *_names_of(function)}
        for value in getattr(getattr(item, "callspec", None), "params", {}).values():
            used.update(_names_of(value))
        if isinstance(cls := getattr(item, "cls", None), type):
            used.update(_names_of(cls))
        for found in getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {}).values():
            for each in found:
                if not each.func.__module__.startswith("_pytest."):
                    used.update(_names_of(each.func))
                    if each.func.__code__.co_filename not in self._files:
                        return True  # of a plugin
        return not used.isdisjoint(self.names)


def _codes_of(module: ModuleType) -> Iterator[CodeType]:
    """The code of the functions and classes in a module's file."""
    try:
        with open(str(module.__file__), "rb") as stream:
            source = stream.read()
        waiting = [compile(importlib.util.decode_source(source), str(module.__file__), "exec", dont_inherit=True)]
    except (OSError, SyntaxError, ValueError):
        return
    while waiting:
        inner = [each for each in waiting.pop().co_consts if isinstance(each, CodeType)]
        yield from inner
        waiting += inner


def _names_in(code: CodeType) -> set[str]:
    """The names that a function refers to, with those of the functions in it, and texts that may be names."""
    found = {*code.co_names, *code.co_freevars}
    if code.co_flags & _ASYNCHRONOUS:
        found.add("asyncio")
    for each in code.co_consts:
        if isinstance(each, CodeType):
            found |= _names_in(each)
        elif isinstance(each, str):
            found.add(each)
    return found


def _names_of(value: Any, depth: int = 3) -> Iterator[str]:
    """The names that stand for what may be done with an object."""
    kind: Any = type(value)
    if kind is MethodType:
        value, kind = value.__func__, FunctionType
    if kind is str:
        yield value
    elif kind is partial:
        yield from _names_of([value.func, *value.args, *value.keywords.values()], depth)
    elif kind is FunctionType:
        yield value.__name__
        yield from _names_in(value.__code__)
        for cell in (value.__closure__ or ())[: depth * 10]:
            try:
                yield from _names_of(cell.cell_contents, depth - 1)
            except ValueError:  # the cell is empty
                continue
    elif kind in (list, tuple, set, frozenset, dict):
        if depth:
            for each in list(value.values() if kind is dict else value)[:100]:
                yield from _names_of(each, depth - 1)
    elif not isinstance(value, ModuleType):
        for each in type.mro(value) if isinstance(value, type) else kind.__mro__:
            yield each.__name__
            root = str(each.__module__).partition(".")[0]
            if root in _MODULES and each.__name__ not in _PRIMITIVES:
                yield "Thread"


@contextmanager
def watching() -> Iterator[list[str]]:
    """In this context, the places where threads are started are noted."""
    found: list[str] = []
    before = [(module, name, vars(module)[name]) for module, name in _STARTERS if name in vars(module)]
    for module, name, start in before:
        setattr(module, name, partial(_noted, found, start))
    try:
        yield found
    finally:
        for module, name, start in before:
            setattr(module, name, start)


#: The functions that start all threads, which other modules refer to by these names.
_STARTERS: Final = (
    (_thread, "start_new_thread"),
    (_thread, "start_joinable_thread"),
    (threading, "_start_new_thread"),
    (threading, "_start_joinable_thread"),
)


def _noted(found: list[str], start: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _MODULES:
        frame = frame.f_back
    found.append("an unknown place" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}")
    return start(*args, **named)
