"""Libraries that schedule code of the program themselves: green threads, and event loops written in C.

No model stands for these, and their schedulers would run beside ours: a run is cut where one is started, or where one
takes the place of `threading`, and the verdict names it. Code that is imported before the runs may do so, too, or have
done so before the check; then nothing is run at all, and `threading` stays as it is. A library that is only imported
makes no difference.

Each is a row of :data:`ENTRY_POINTS`. Cost: a look at each name that is imported.
"""

from __future__ import annotations

import functools
import importlib.abc
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

from mazurka.program.python.primitives.run import here

_GREEN: Final = "its green threads take the place of those of threading, and are not explored"
_IN_C: Final = "its event loop, which is written in C, is not explored; a check with the loop of asyncio is"

#: Module -> the dotted names in it of functions that start a scheduler, or put one in place; why nothing is explored.
ENTRY_POINTS: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    "gevent.monkey": (
        (
            *("patch_all", "patch_thread", "patch_queue", "patch_time", "patch_socket", "patch_select"),
            *("patch_os", "patch_signal", "patch_subprocess", "patch_ssl", "patch_dns", "patch_builtins"),
        ),
        _GREEN,
    ),
    "gevent.hub": (("Hub.__init__",), _GREEN),
    "eventlet": (("monkey_patch",), _GREEN),
    "eventlet.patcher": (("monkey_patch",), _GREEN),
    "eventlet.hubs.hub": (("BaseHub.__init__",), _GREEN),
    "uvloop": (("Loop.__init__",), _IN_C),
}

#: Module -> the name of the mapping in it that is not empty once it has taken the place of others.
_REPLACED: Final = {"gevent.monkey": "saved", "eventlet.patcher": "already_patched"}

_reason = ""


def reason() -> str:
    """Why nothing can be explored; "" if no such library has been met."""
    return _reason


def _cutting(module: str, dotted: str, real: Callable[..., Any], why: str) -> Callable[..., Any]:
    starts = dotted.endswith("__init__")
    name = f"{module}.{dotted.removesuffix('.__init__')}"

    @functools.wraps(real)
    def call(*args: Any, **named: Any) -> Any:
        _cut(name, why)
        return real(*args, **named) if starts else None

    return call


def _cut(name: str, why: str) -> None:
    """Cut the run in progress, if there is one; nothing will be explored from now on."""
    global _reason
    _reason = _reason or f"{name} was called: {why}"
    if (models := here()) is not None and not models.runtime.aborting:
        models.runtime.stop(_reason)


def _attribute(thing: Any, name: str) -> Any:
    return getattr(thing, name, None)


class OtherSchedulers(importlib.abc.MetaPathFinder):
    """The entry points that are replaced; it also finds the modules, to replace theirs as soon as they are loaded."""

    def __init__(self) -> None:
        self._undo: list[tuple[Any, str, Any]] = []
        self._covered: set[str] = set()
        for name, mapping in _REPLACED.items():
            if vars(sys.modules.get(name, sys)).get(mapping):
                _cut(f"{name}.{ENTRY_POINTS[name][0][0]}", _GREEN)
        sys.meta_path.insert(0, self)

    def extend(self) -> None:
        """Cover the modules that have been loaded by now."""
        for name in ENTRY_POINTS:
            if isinstance(sys.modules.get(name), ModuleType):
                self._cover(sys.modules[name])

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """The spec that the other finders have for one of the modules."""
        if fullname not in ENTRY_POINTS:
            return None
        others = sys.meta_path[sys.meta_path.index(self) + 1 :]
        found = (each.find_spec(fullname, path, target) for each in others)
        spec: ModuleSpec | None = next((each for each in found if each is not None), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def execute_and_cover(module: ModuleType) -> None:
                execute(module)
                self._cover(module)

            spec.loader.exec_module = execute_and_cover  # type: ignore[method-assign]  # this loader is the module's own
        return spec

    def _cover(self, module: ModuleType) -> None:
        if module.__name__ in self._covered:
            return
        self._covered.add(module.__name__)
        names, why = ENTRY_POINTS[module.__name__]
        for dotted in names:
            *path, name = dotted.split(".")
            owner: Any = functools.reduce(_attribute, path, module)
            real = getattr(owner, name, None)
            if real is not None:
                self._undo.append((owner, name, vars(owner).get(name)))
                setattr(owner, name, _cutting(module.__name__, dotted, real, why))

    def undo(self) -> None:
        """Put the entry points back, and forget what was met."""
        global _reason
        _reason = ""
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        for owner, name, own in reversed(self._undo):
            if own is None:
                delattr(owner, name)
            else:
                setattr(owner, name, own)
        self._undo.clear()
        self._covered.clear()
