"""Putting the models in place of the real primitives, and taking them out again.

Classes written in Python are changed in place (:mod:`.conditions`, :mod:`.threads`), so no code can hold an
unchanged one. C types and functions are replaced wherever a module holds a reference: in ``threading``,
``_thread``, ``time``, ``queue``, and in every module that has captured one (``from threading import Lock``). The
packages that run the checks keep the real ones (:data:`SPARED`), and so does ``importlib``: an import is one atomic
step. :func:`adopt` replaces existing primitives. Cost: about 5 ms to install, nothing per run.
"""

from __future__ import annotations

import _thread
import collections
import contextlib
import functools
import gc
import queue
import sys
import threading
import time
import types
from collections.abc import Callable, Iterable
from typing import Any, Final, Protocol

from mazurka.program.python.instrument import late_imports
from mazurka.program.python.isolation.state import slots_of
from mazurka.program.python.primitives import (
    atomics,
    barriers,
    callbacks,
    clock,
    conditions,
    event_loops,
    executors,
    imports,
    local,
    locks,
    processes,
    queues,
    run,
    thread_attributes,
    thread_functions,
    thread_pools,
    threads,
    uncaught,
    unknown_inputs,
)
from mazurka.program.python.primitives.captured import MODEL_OF
from mazurka.program.python.primitives.other_schedulers import OtherSchedulers
from mazurka.program.python.primitives.run import INNER, Models
from mazurka.program.python.primitives.uncontrolled import Counting
from mazurka.program.python.semantics.objects import dictionary, existing, is_a

#: Packages whose captured references stay real: they run the checks, or must work in any state of the program.
SPARED: Final = frozenset(
    (
        *("mazurka", "greenlet", "z3", "pytest", "_pytest", "execnet", "xdist", "hypothesis", "coverage"),
        *(
            "logging",
            "importlib",
            "_frozen_importlib",
            "_frozen_importlib_external",
            "rich",
            "click",
            "sqlite3",
            "numpy",
        ),
    )
)

#: Modules of the standard library whose classes hold primitives: the search looks into their instances.
_HOLDERS: Final = frozenset(
    (
        *("threading", "queue", "functools", "multiprocessing.synchronize"),
        *("concurrent.futures._base", "concurrent.futures.thread"),
    )
)

_DEPTH: Final = 4


def _replacements() -> list[tuple[Any, Any]]:
    """Pairs of a real function or type and its model."""
    names: list[tuple[Any, str, Any]] = [
        (_thread, "allocate_lock", locks.Lock if sys.version_info >= (3, 13) else locks.allocate_lock),
        (_thread, "allocate", locks.allocate_lock),
        (_thread, "LockType", locks.Lock),
        (_thread, "RLock", locks.RLock),
        (_thread, "_local", local.local),
        (_thread, "start_new_thread", thread_functions.start_new_thread),
        (_thread, "start_new", thread_functions.start_new_thread),
        (_thread, "start_joinable_thread", thread_functions.start_joinable_thread),
        (_thread, "get_ident", thread_functions.get_ident),
        (_thread, "get_native_id", thread_functions.get_native_id),
        (_thread, "interrupt_main", thread_functions.interrupt_main),
        (_thread, "_count", thread_functions.count),
        (threading, "current_thread", threads.current_thread),
        (threading, "enumerate", threads.enumerate_threads),
        (threading, "active_count", threads.active_count),
        (threading, "__excepthook__", uncaught.excepthook),
        (queue, "SimpleQueue", queues.SimpleQueue),
        *((time, name, model) for name, model in clock.REPLACEMENTS.items()),
    ]
    pairs = [(module.__dict__[name], model) for module, name, model in names if name in module.__dict__]
    return [(real, _unbound(model) if isinstance(real, types.BuiltinFunctionType) else model) for real, model in pairs]


def _unbound(model: Any) -> Any:
    """The replacement of a C function, which must not become a method where a class holds it."""
    return staticmethod(model) if isinstance(model, types.FunctionType) else model


#: Made once, before any function is replaced.
_PAIRS: Final = _replacements()
MODEL_OF.update({id(real): model for real, model in _PAIRS})


class Other(Protocol):
    """Further replacements, put in place together with the models."""

    def extend(self) -> None:
        """Cover the modules that were loaded since the last call."""

    def undo(self) -> None:
        """Undo the replacements."""


_others: Final[list[Callable[[], Other]]] = []
_spared: Final[set[str]] = set()


def replace_also(pairs: Iterable[tuple[Any, Any]], spared: Iterable[str], make: Callable[[], Other]) -> None:
    """Register further functions to replace, except in certain modules, and further replacements; none is made yet."""
    assert _installed is None
    MODEL_OF.update({id(real): model for real, model in pairs})
    _spared.update(spared)
    _others.append(make)


_HERE: Final = __name__.rpartition(".")[0]
_INNER_PACKAGES: Final = (_HERE, _HERE.replace("primitives", "outside"))
_INNER_MODULES: Final = frozenset({*_HOLDERS, "mazurka.program.runtime.runtime", "contextlib"})


def _skip_frames_of(name: str, module: object) -> None:
    """Have locations skip the frames of a module, if the models rest on it."""
    if name.startswith(_INNER_PACKAGES) or name in _INNER_MODULES:
        file = getattr(module, "__file__", None)
        if file:
            INNER.add(file)


class InstalledPatches:
    """The present replacements, and their undoing."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], object]] = []
        self.scanned: set[str] = set()
        self.counting = Counting()
        self.others = [make() for make in _others]
        self.schedulers = OtherSchedulers()
        self.imports: Callable[[], None] | None = None  # undoes the model of imports
        self.loops: Callable[[], None] | None = None  # undoes the model of event loops
        self.semaphores: Callable[[], None] | None = None  # undoes that of the semaphores of multiprocessing
        self.thread_pools: Callable[[], None] | None = None  # undoes that of the thread pools of multiprocessing
        self.dates: Callable[[], None] | None = None  # undoes that of the clock of datetime


_installed: InstalledPatches | None = None


def install() -> None:
    """Put the models in place; a further call covers the modules loaded since the last one."""
    global _installed
    if _installed is None:
        _installed = InstalledPatches()
        _spare_importlib(_installed)
        _installed.undo += [
            conditions.install(),
            barriers.install(),
            threads.install(),
            thread_attributes.install(),
            queues.install(),
        ]
        _installed.undo += [atomics.install(), callbacks.install(), executors.install(), unknown_inputs.install()]
        _installed.undo.append(_rebind_value(threading.__dict__, "_CRLock", locks.RLock))
        if "_ThreadHandle" in _thread.__dict__:  # not in threading: real threads outside runs need real ones
            _installed.undo.append(_rebind_value(_thread.__dict__, "_ThreadHandle", thread_functions.ThreadHandle))
    if _installed.loops is None and (pairs := event_loops.pairs()):
        MODEL_OF.update({id(real): _unbound(model) for real, model in pairs})
        _installed.loops = event_loops.install()
        _installed.scanned.clear()
    scanned, spared = _installed.scanned, SPARED | _spared
    for name in [each for each in list(sys.modules) if each not in scanned]:
        module = sys.modules[name]
        scanned.add(name)
        _skip_frames_of(name, module)
        if name.startswith(_LOCKED_INSIDE):
            _spare(vars(module))
        elif name.partition(".")[0] not in spared:
            namespace = getattr(module, "__dict__", None)
            if type(namespace) is dict and name != "__main__":
                rebind(namespace, _installed.undo)
                if name != "threading":  # the locks of threading itself serve real threads
                    _adopt_globals(name, namespace, _installed.undo)
    if _installed.imports is None and late_imports.again:
        _installed.imports = imports.install()
    _installed.counting.extend()
    _installed.schedulers.extend()
    for other in _installed.others:
        other.extend()
    _installed.semaphores = _installed.semaphores or processes.install()
    _installed.thread_pools = _installed.thread_pools or thread_pools.install()
    _installed.dates = _installed.dates or clock.install_datetime()


def uninstall() -> None:
    """Put the real primitives back."""
    global _installed
    run.end()
    installed, _installed = _installed, None
    if installed is not None:
        for other in reversed(installed.others):
            other.undo()
        installed.counting.undo()
        if installed.imports is not None:
            installed.imports()
        installed.schedulers.undo()
        if installed.loops is not None:
            installed.loops()
        if installed.semaphores is not None:
            installed.semaphores()
        if installed.thread_pools is not None:
            installed.thread_pools()
        if installed.dates is not None:
            installed.dates()
        for undo in reversed(installed.undo):
            undo()


def _spare_importlib(installed: InstalledPatches) -> None:
    """Have ``importlib``, which gets locks from ``_thread`` at each import, find the real ones."""
    bootstrap = sys.modules["_frozen_importlib"].__dict__
    real = types.SimpleNamespace(**_thread.__dict__)
    installed.undo.append(_rebind_value(bootstrap, "_thread", real))


def _rebind_value(namespace: dict[str, Any], name: str, value: Any) -> Callable[[], object]:
    before = namespace[name]
    namespace[name] = value
    return lambda: namespace.__setitem__(name, before)


def rebind(namespace: dict[str, Any], undo: list[Callable[[], object]]) -> None:
    """Replace the captured references in a module's namespace."""
    values = list(namespace.values())
    if MODEL_OF.keys().isdisjoint(map(id, values)) and _CAPTURED.isdisjoint(map(type, values)):
        return  # so in most modules: this test takes a third of the time of a look at each name
    for name, value in list(namespace.items()):
        if id(value) in MODEL_OF:
            model = MODEL_OF[id(value)]
        elif type(value) is not types.BuiltinFunctionType or (model := clock.model_of_captured(value)) is None:
            continue
        namespace[name] = model
        undo.append(functools.partial(namespace.__setitem__, name, value))


#: The type of methods of `datetime` that a module has captured.
_CAPTURED: Final = frozenset({types.BuiltinFunctionType})


#: Modules in C whose objects lock themselves for no longer than a call, in which no code of the program runs: a call is
#: one step, and would not be if others could move while it waits.
_LOCKED_INSIDE: Final = "numpy.random"


def _spare(namespace: dict[str, Any]) -> None:
    """Have a module make real locks, also by the function that makes models for other modules."""
    if "RLock" in namespace:
        namespace["RLock"] = locks.real_rlock_type


_LOCKS: Final = frozenset({locks.real_lock_type, locks.real_rlock_type})


def _adopt_globals(name: str, namespace: dict[str, Any], undo: list[Callable[[], object]]) -> None:
    """Replace a module's global locks: a thread that is stopped while it holds a real lock would block all others."""
    if _LOCKS.isdisjoint(map(type, list(namespace.values()))):
        return
    for key, value in list(namespace.items()):
        if type(value) in _LOCKS:
            namespace[key] = locks.adopted(value, f"{name}.{key}")
            undo.append(functools.partial(namespace.__setitem__, key, value))


#: How many containers may lie between a lock and the object of a library that it belongs to.
_CLIMB: Final = 3


def adopt_of_libraries() -> Callable[[], None]:
    """Replace the locks that objects of libraries have already, whether the program includes these or not: a library
    may call the program while it holds one. Returns the function that undoes this.

    Called after :func:`adopt`, which gives better names. Found from the locks upwards, since there are few; those in
    tuples, which can't be changed, are met by hooks. Cost: 0.1 s for 50,000 objects.
    """
    finder, counts = Finder(sys), collections.Counter[str]()
    frozen = gc.get_freeze_count() > 0
    gc.unfreeze()  # frozen objects are not listed
    layer: dict[int, _Held] = {id(each): (each, []) for kind in _LOCKS for each in existing((kind,))}
    for _ in range(_CLIMB):
        above: dict[int, _Held] = {}
        for holder in gc.get_referrers(*[each for each, _ in layer.values()]):
            if type(holder) is types.FrameType or any(holder is each for each in (layer, above)):
                continue
            held = [layer[id(each)] for each in gc.get_referents(holder) if id(each) in layer]
            places = [
                place for each, found in held for place in found or [(holder, each)] if type(place[0]) is not tuple
            ]
            if (owner := _library_of(holder)) is None and places:
                above[id(holder)] = holder, places
            elif owner:
                for place, lock in places:
                    counts[owner] += 1
                    finder.replace_in(place, lock, locks.adopted(lock, f"{owner}#{counts[owner]}"))
        layer = above
    if frozen:
        gc.freeze()
    return finder.give_back


#: A lock, or a container that refers to some, and the places of the locks: what refers to each directly.
_Held = tuple[Any, list[tuple[Any, Any]]]

#: Containers that belong to what refers to them.
_BETWEEN: Final = (dict, list, types.CellType, tuple)


def _library_of(thing: Any) -> str | None:
    """The function or class of a library that an object is or belongs to; "" if it is of none, or of one that keeps
    real primitives; None for containers."""
    if type(thing) in _BETWEEN:
        if type(thing) is not dict or "__name__" not in thing or "__spec__" not in thing:
            return None
        module, name = thing["__name__"], ""
    else:
        owner = thing if type(thing) is types.FunctionType or is_a(thing, type) else type(thing)
        module, name = owner.__module__, owner.__qualname__
    if not isinstance(module, str) or (root := module.partition(".")[0]) in ("__main__", "pluggy", *SPARED, *_spared):
        return ""
    is_library = root not in sys.stdlib_module_names and not root.startswith(("pytest", "_pytest"))
    return f"{module}.{name}".rstrip(".") if is_library else ""


# -- primitives that exist already -----------------------------------------------------------------------------------

_queues: Final[list[Any]] = []


def _keep_queues(models: Models) -> None:
    """Keep a queue from before the run, with its items, for every run."""
    for kept in _queues:
        models.keep(kept)
        kept.queue = kept.queue.copy()


run.beginners.append(_keep_queues)


def adopt(module: Any) -> Callable[[], None]:
    """Replace the real primitives that a module of the program holds by models; returns the function that undoes this.

    The search looks into the module's globals, its classes, its functions' defaults and closures, and instances, lists
    and dicts reachable from there through objects of the same package or of the standard library's own holders of
    locks.
    """
    finder = Finder(module)
    finder.search()
    return finder.give_back


class Finder:
    """Walks the objects of a module, and replaces primitives."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.package = module.__name__.partition(".")[0]
        self.undo: list[Callable[[], object]] = []
        self.seen = {id(getattr(model, "__func__", model)) for model in MODEL_OF.values()}
        self.queues = len(_queues)

    def give_back(self) -> None:
        """Undo all replacements, the last one first."""
        for undo in reversed(self.undo):
            undo()
        self.undo.clear()

    def search(self) -> None:
        """Replace real primitives in the module's globals and in the mappings that these hold."""
        rebind(self.module.__dict__, self.undo)
        self._mapping(self.module.__dict__, self.module.__name__, 0)

    def _mapping(self, mapping: dict[Any, Any], path: str, depth: int) -> None:
        for key, value in list(mapping.items()):
            if isinstance(key, str) and key.startswith("__"):
                continue
            model = self._visit(value, f"{path}.{key}", depth)
            if model is not None:
                mapping[key] = model
                self.undo.append(functools.partial(mapping.__setitem__, key, value))

    def _visit(self, value: Any, path: str, depth: int) -> Any:
        """The model to put in place of ``value``; None if it is no primitive, after a look into it."""
        kind = type(value)
        if kind is locks.real_lock_type or kind is locks.real_rlock_type:
            return locks.adopted(value, path)
        if kind is local.real_local:
            model = local.local()
            model.__dict__.update(value.__dict__)
            return model
        if kind is queues.real_simple_queue:
            return queues.adopted_queue(value)
        if id(value) not in self.seen and depth < _DEPTH:
            self._look_into(value, kind, path, depth)
        return None

    def _look_into(self, value: Any, kind: type, path: str, depth: int) -> None:
        if kind is dict or kind is collections.defaultdict:
            self.seen.add(id(value))
            if kind is not dict and (model := MODEL_OF.get(id(value.default_factory))) is not None:
                self.undo.append(functools.partial(setattr, value, "default_factory", value.default_factory))
                value.default_factory = model
            self._mapping(value, path, depth + 1)
        elif kind is functools.partial:
            if (model := MODEL_OF.get(id(value.func))) is not None:
                _, _, state = value.__reduce__()
                value.__setstate__((model, *state[1:]))
                self.undo.append(functools.partial(value.__setstate__, state))
        elif kind is list:
            self.seen.add(id(value))
            for index, item in enumerate(value):
                model = self._visit(item, f"{path}[{index}]", depth + 1)
                if model is not None:
                    value[index] = model
                    self.undo.append(functools.partial(value.__setitem__, index, item))
        elif kind is types.FunctionType:
            self.seen.add(id(value))
            self._function(value, path, depth)
        elif is_a(value, type):
            if self._ours(value):
                self.seen.add(id(value))
                self._class(value, path, depth)
        elif self._ours(kind):
            self.seen.add(id(value))
            self._instance(value, path, depth)

    def _ours(self, cls: type) -> bool:
        name = getattr(cls, "__module__", None)
        return isinstance(name, str) and (name.partition(".")[0] == self.package or name in _HOLDERS)

    def _class(self, cls: type, path: str, depth: int) -> None:
        if cls.__module__ in _HOLDERS and cls.__module__ != self.module.__name__:
            return
        for name, value in list(vars(cls).items()):
            inner = value.__func__ if isinstance(value, (staticmethod, classmethod)) else value
            model = MODEL_OF.get(id(inner))
            if model is None and (type(inner) is types.FunctionType or not name.startswith("__")):
                model = self._visit(inner, f"{path}.{name}", depth + 1)
            if model is not None:
                setattr(cls, name, model)  # models of functions are static methods in any place
                self.undo.append(functools.partial(setattr, cls, name, value))

    def _instance(self, thing: Any, path: str, depth: int) -> None:
        attributes = dictionary(thing)
        if is_a(thing, queue.Queue):
            _queues.append(thing)
            self.undo.append(functools.partial(_queues.remove, thing))
        if is_a(thing, threading.Condition):
            lock = attributes["_lock"]
            if type(lock) is locks.real_lock_type or type(lock) is locks.real_rlock_type:
                conditions.rebind_lock(thing, locks.adopted(lock, f"{path}._lock"))
                self.undo.append(functools.partial(conditions.rebind_lock, thing, lock))
        if "_semlock" in attributes:
            processes.adopt_semlock(thing)
        if type(attributes) is dict:
            self._mapping(attributes, path, depth + 1)
        for slot, descriptor in slots_of(type(thing)):
            try:
                value = descriptor.__get__(thing)
            except AttributeError:  # the slot is empty
                continue
            model = self._visit(value, f"{path}.{slot}", depth + 1)
            if model is not None:
                descriptor.__set__(thing, model)
                self.undo.append(functools.partial(descriptor.__set__, thing, value))

    def replace_in(self, holder: Any, lock: Any, model: Any) -> None:
        """Replace a lock that an object refers to."""
        if type(holder) is types.CellType:
            holder.cell_contents = model
            self.undo.append(functools.partial(setattr, holder, "cell_contents", lock))
            return
        space: Any = holder if type(holder) in (dict, list) else dictionary(holder)
        for key, value in list(space.items() if type(space) is dict else enumerate(space) if space is holder else ()):
            if value is lock:
                space[key] = model
                self.undo.append(functools.partial(space.__setitem__, key, lock))
        for _, descriptor in slots_of(type(holder)):
            with contextlib.suppress(AttributeError):  # the slot is empty
                if descriptor.__get__(holder) is lock:
                    descriptor.__set__(holder, model)
                    self.undo.append(functools.partial(descriptor.__set__, holder, lock))

    def _function(self, function: types.FunctionType, path: str, depth: int) -> None:
        defaults = function.__defaults__
        if defaults is not None:
            models = tuple([self._captured(value, path, depth) for value in defaults])
            if any(model is not value for model, value in zip(models, defaults, strict=True)):
                function.__defaults__ = models
                self.undo.append(functools.partial(setattr, function, "__defaults__", defaults))
        if function.__kwdefaults__:
            for name, value in list(function.__kwdefaults__.items()):
                model = self._captured(value, path, depth)
                if model is not value:
                    function.__kwdefaults__[name] = model
                    self.undo.append(functools.partial(function.__kwdefaults__.__setitem__, name, value))
        for cell in function.__closure__ or ():
            try:
                value = cell.cell_contents
            except ValueError:  # not filled yet
                continue
            model = self._captured(value, path, depth)
            if model is not value:
                cell.cell_contents = model
                self.undo.append(functools.partial(setattr, cell, "cell_contents", value))

    def _captured(self, value: Any, path: str, depth: int) -> Any:
        model = MODEL_OF.get(id(value))
        if model is None:
            model = self._visit(value, path, depth + 1)
        return value if model is None else model
