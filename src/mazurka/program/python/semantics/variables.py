"""The hooks at variables: an attribute, a name or a key is about to be read, or bound.

Attributes, items, globals and closure cells. :mod:`hooks` describes how two operands are handed on.

Cost: 0.05 microseconds outside of runs; about one microsecond for an attribute in a run, most of it the runtime's.
"""

from __future__ import annotations

import _thread
import sys
from collections.abc import Callable
from importlib.util import resolve_name
from types import CellType, FrameType, ModuleType
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.semantics import (
    attributes,
    classification,
    foreign,
    global_variables,
    objects,
    operators,
    untracked,
)
from mazurka.program.python.semantics.class_shapes import operation, shape_of
from mazurka.program.python.semantics.classification import INSTANCE, NONE, classify
from mazurka.program.python.semantics.locations import BASES, NAMELESS, mortal, perform
from mazurka.program.python.semantics.objects import MISSING, first_number, is_a, number, number_own, numbers
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import shapes
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, CELL, GLOBAL

_READ, _WRITE, _RMW = Op.READ, Op.WRITE, Op.RMW

#: Classes whose items never change.
_NO_ITEMS: Final = frozenset({str, bytes, tuple, range, type})


class _KeptKeys(_thread._local):
    """Per OS thread: keys on their way from a hook to the subscript that needs them next."""

    def __init__(self) -> None:
        self.keys: list[Any] = []


kept = _KeptKeys()

#: Shared names bound by statements that report only afterwards -> the threads that bound them.
_reported_late: Final[dict[tuple[Any, ...], int]] = per_run({})
_LATE: Final = "variables that import, def, except or match bind while other threads use them"

#: Operands of augmented assignments in progress.
remembered: dict[tuple[int, int], Any] = per_run({})


def pop() -> Any:
    """The key that the previous hook has kept."""
    return kept.keys.pop()


# -- attributes -------------------------------------------------------------------------------------------------------


def read_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be read."""
    run = activation.active
    if run is None or run.solo:
        # Later it could not be distinguished from other dictionaries.
        if name == "__dict__" and run is not None and classify(type(thing), name) is classification.DICTIONARY:
            objects.adopt_namespace(thing)
        return thing
    n, kind = numbers.get(id(thing)), type(thing)
    if n is not None:
        known = run.private.get(n)
        if known is not None and known.kind is kind and known.task is run.current and not known.task.loops:
            if site in known.known:
                return thing
            if site in known.further:
                run.private[n] = known.further[site]
                return thing
    try:
        how = shapes[id(kind)].attributes[name]
    except KeyError:
        how = classify(kind, name)
    if how is INSTANCE:
        if n is None:
            n = first_number(run, thing, kind)
        target = (ATTRIBUTE, n, name)
        if n in run.private and run.pass_privately(_READ, target, site, kind):
            return thing
        if run.detail and run.shows(site):
            attributes.read(run, thing, name, site, how)
        else:
            run.visit(_READ, target, site)
    elif how is not NONE:
        attributes.read(run, thing, name, site, how)
    return thing


def write_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be stored."""
    run = activation.active
    if run is None or run.solo:
        return thing
    n, kind = numbers.get(id(thing)), type(thing)
    known = run.current.made.get(kind) if n is None else run.private.get(n)
    if known is not None and known.kind is kind and known.task is run.current and not known.task.loops:
        if n is None:
            if ~site in known.further:
                run.private[number_own(thing, known.task)] = known.further[~site]
                known.task.clock_reads = 0
                return thing
        elif ~site in known.known or ~site in known.further:
            run.private[n] = known.further.get(~site, known)
            known.task.clock_reads = 0
            return thing
    try:
        how = shapes[id(kind)].attributes[name]
    except KeyError:
        how = classify(kind, name)
    if how is INSTANCE:
        if n is None:
            n = first_number(run, thing, kind)
        target = (ATTRIBUTE, n, name)
        if n in run.private and run.pass_privately(_WRITE, target, site, kind):
            return thing
        if run.detail or mortal:
            attributes.write(run, thing, name, site, how)
        else:
            run.visit(_WRITE, target, site)
    elif how is classification.DICTIONARY:
        attributes.replace_all(run, thing, site, *remembered.pop((id(sys._getframe(1)), _DICTIONARY), ()))
    else:
        attributes.write(run, thing, name, site, how)
    return thing


def delete_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be deleted, if it is there: this reads it, too."""
    run = activation.active
    if run is not None and not run.solo:
        attributes.write(run, thing, name, site, classify(type(thing), name), _RMW)
    return thing


def augment_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name += ...``: the read; the object is needed again for the store."""
    remembered[id(sys._getframe(1)), site] = thing
    return read_attribute(thing, name, site)


def augmented_attribute(name: str, site: int) -> Any:
    """... and the store."""
    return write_attribute(remembered.pop((id(sys._getframe(1)), site)), name, site)


# -- items -------------------------------------------------------------------------------------------------------------


def assigned_dictionary(value: Any, _site: int) -> Any:
    """``value`` is about to become the `__dict__` of an object, and may already be that of another one."""
    run = activation.active
    if run is not None:
        if type(value) is dict and not run.solo:
            untouched = id(value) not in numbers  # no thread has accessed it
            remembered[id(sys._getframe(1)), _DICTIONARY] = (value, untouched)
        objects.assign_dictionary(value)
    return value


def slice_value(value: Any) -> Any:
    """``value`` is about to be assigned to a slice, which iterates over it."""
    run = activation.active
    if run is not None and not run.solo:
        remembered[id(sys._getframe(1)), _SLICE] = value
    return value


def slice_is_known(frame: FrameType) -> None:
    """The operation of an augmented assignment to a slice has read the other operand."""
    remembered[id(frame), _SLICE] = None


def _assigned(run: Any, site: int) -> tuple[Any, ...]:
    """The value that the program is about to assign to a slice."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__") in _HOOKS:
        frame = frame.f_back
    value = remembered.pop((id(frame), _SLICE), MISSING)
    if value is not MISSING:
        return (value,)
    if has_concurrent_threads(run) and not run.is_recording:
        untracked.count_untracked(run, "assignment of an unknown value to a slice", site)
    return ()


#: Stands for the site of a value assigned to a slice.
_SLICE: Final = -1
_DICTIONARY: Final = -2

#: Modules whose functions stand between the program and the hooks for items.
_HOOKS: Final = (
    __name__,
    "mazurka.program.python.semantics.own_containers",
    "mazurka.program.python.weak_memory.store_slots",
    "mazurka.program.python.invocations.builtin_calls",
)


def _item_hook(name: str) -> Callable[[Any, Any, int], Any]:
    def hook(thing: Any, key: Any, site: int) -> Any:
        run = activation.active
        if run is None or run.solo:
            return thing
        given = (key, *_assigned(run, site)) if type(key) is slice and name == "__setitem__" else (key,)
        handler = operation(thing, name)
        if handler is not None:
            perform(run, site, handler, thing, site, given)
            if type(thing) not in BASES:
                foreign.count_unexplored(run, thing, name, site)
        elif is_a(thing, type):
            shape_of(thing)  # it may have a `__class_getitem__` in C
        elif type(thing) not in _NO_ITEMS:
            operators.operate_on(run, thing, name, site, given)
        return thing

    return hook


read_item: Final = _item_hook("__getitem__")
write_item: Final = _item_hook("__setitem__")
delete_item: Final = _item_hook("__delitem__")


def read_item_pair(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key]`` is about to be read."""
    read_item(thing, key, site)
    return thing, key


def delete_item_pair(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key]`` is about to be deleted."""
    delete_item(thing, key, site)
    return thing, key


def write_item_keep(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be stored; the key is fetched by `pop` next."""
    write_item(thing, key, site)
    kept.keys.append(key)
    return thing


def augment_item(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key] += ...``: the read; both are needed again for the store."""
    remembered[id(sys._getframe(1)), site] = (thing, key)
    return read_item_pair(thing, key, site)


def augmented_item(site: int) -> Any:
    """... and the store."""
    frame = sys._getframe(1)
    thing, key = remembered.pop((id(frame), site))
    if type(key) is slice:
        slice_is_known(frame)
    return write_item_keep(thing, key, site)


# -- globals and cells -------------------------------------------------------------------------------------------------


def read_global(module: str | None, name: str, site: int) -> bool:
    """A global variable is about to be read."""
    run = activation.active
    if run is None or run.solo:
        return True
    if module is None or run.detail:
        _look_at_global(run, name, site, _READ)
    else:
        run.visit(_READ, (GLOBAL, module, name), site)
    return True


def read_lazily(source: str, original: str, name: str, site: int) -> bool:
    """A global variable is about to be read that is resolved where it is first read: ``original`` of a module."""
    run = activation.active
    if run is None or run.solo:
        return True
    space = sys._getframe(1).f_globals
    _read_of_module(run, space, source, (original,), site)
    resolves = type(space.get(name)).__name__ == "lazy_import"
    found = None if resolves else _module(space, source)
    if found is not None and vars(found).get(original) is not space.get(name):
        # Perhaps the name was resolved too early: modules of the program are imported before the runs.
        untracked.count_untracked(run, f"{name}, imported lazily and changed by its module since,", site)
    global_variables.global_access(run, space.get("__name__", NAMELESS), name, site, _RMW if resolves else _READ, space)
    return True


def write_global(value: Any, module: str | None, name: str, site: int) -> Any:
    """A global variable is about to be set to ``value``."""
    run = activation.active
    if run is None or run.solo:
        return value
    if module is None or run.careful or mortal:
        _look_at_global(run, name, site, _WRITE)
    else:
        run.visit(_WRITE, (GLOBAL, module, name), site)
    return value


def _look_at_global(run: Any, name: str, site: int, op: Op) -> None:
    space = sys._getframe(2).f_globals
    global_variables.global_access(run, space.get("__name__", NAMELESS), name, site, op, space)


def read_in_class(name: str, site: int) -> bool:
    """A variable of a class that is being made is about to be read: the global, if the class does not have it yet."""
    run = activation.active
    if run is not None and not run.solo:
        frame = sys._getframe(1)
        if name not in frame.f_locals:
            global_variables.global_access(
                run, frame.f_globals.get("__name__", NAMELESS), name, site, _READ, frame.f_globals
            )
    return True


def read_of_module(module: str, names: tuple[str, ...], site: int) -> None:
    """``from module import names``: the module's variables are about to be read, if the module is already loaded."""
    run = activation.active
    if run is not None and not run.solo:
        _read_of_module(run, sys._getframe(1).f_globals, module, names, site)


def _read_of_module(run: Any, space: dict[str, Any], module: str, names: tuple[str, ...], site: int) -> None:
    found = _module(space, module)
    for name in names if found is not None else ():
        if name in vars(found) or "__path__" not in vars(found):  # else the name may be that of a module
            global_variables.module_read(run, found, name, site)


def _module(space: dict[str, Any], name: str) -> ModuleType | None:
    """The module that is imported in a namespace under a name, if it is already loaded."""
    try:
        found = sys.modules.get(resolve_name(name, space.get("__package__")))
    except (ImportError, TypeError):  # the import reports this error
        return None
    return found if type(found) is ModuleType else None


def class_begins(site: int) -> None:
    """The body of a class is about to be executed: stores in its namespace are not reported."""
    run = activation.active
    if run is not None and not run.solo and has_concurrent_threads(run) and _holders(sys._getframe(1)) > _HOLDERS:
        untracked.count_untracked(run, "a namespace of a class that other code may have", site)


def _holders(frame: FrameType) -> int:
    return sys.getrefcount(frame.f_locals)


class _Made:
    holders = _holders(sys._getframe())


#: How many references there usually are to the namespace of a class that is being made.
_HOLDERS: Final = _Made.holders


def delete_global(name: str, site: int) -> None:
    """A global variable is about to be deleted, if it is there."""
    run = activation.active
    if run is not None and not run.solo:
        space = sys._getframe(1).f_globals
        global_variables.global_access(run, space.get("__name__", NAMELESS), name, site, _RMW, space)


def global_space(name: str, site: int) -> dict[str, Any]:
    """A global variable is about to be stored as an item of its module's dictionary."""
    space = sys._getframe(1).f_globals
    run = activation.active
    if run is None or run.solo:
        return space
    module = space.get("__name__", NAMELESS)
    if run.careful or mortal:
        global_variables.global_access(run, module, name, site, _WRITE, space)
    else:
        run.visit(_WRITE, (GLOBAL, module, name), site)
    return space


def defines_global(name: str, site: int) -> Callable[[Any], Any]:
    """A definition is about to bind a global: the defined object passes through."""
    space = sys._getframe(1).f_globals

    def bound(thing: Any) -> Any:
        run = activation.active
        if run is not None and not run.solo:
            global_variables.global_access(run, space.get("__name__", NAMELESS), name, site, _WRITE, space)
        return thing

    return bound


def defines_cell(function: Any, name: str, site: int) -> Callable[[Any], Any]:
    """A definition is about to bind a closure variable."""

    def bound(thing: Any) -> Any:
        run = activation.active
        if run is not None and not run.solo:
            _cell(run, function, name, site, _WRITE, None)
        return thing

    return bound


def wrote_global(name: str, site: int) -> None:
    """A global variable has just been bound by a statement that has no place for a hook before it."""
    run = activation.active
    if run is not None and not run.solo:
        target = (GLOBAL, sys._getframe(1).f_globals.get("__name__", NAMELESS), name)
        run.visit(_WRITE, target, site, None, (), False)
        _reported_late[target] = run.current.index


def read_cell(function: Any, name: str, site: int) -> bool:
    """A closure variable is about to be read; ``function`` has it for its only free variable."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _READ, None)
    return True


def write_cell(value: Any, function: Any, name: str, site: int) -> Any:
    """A closure variable is about to be set to ``value``."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, None)
    return value


def delete_cell(function: Any, name: str, site: int) -> None:
    """A closure variable is about to be deleted, if it is there."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _RMW, None)


def store_cell(function: Any, name: str, site: int) -> CellType:
    """A closure variable is about to be bound as one of several targets: the cell to store into."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, None)
    cell: CellType = function.__closure__[0]
    return cell


def took_cell(function: Any, name: str, site: int) -> None:
    """A parameter is a closure variable, which nobody else has yet."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, False)


def wrote_cell(function: Any, name: str, site: int) -> None:
    """A closure variable has just been bound."""
    run = activation.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, False)
        _reported_late[CELL, number(function.__closure__[0])] = run.current.index


def _cell(run: Any, function: Any, name: str, site: int, op: Op, point: bool | None) -> None:
    cell = function.__closure__[0]
    target = (CELL, number(cell))
    value = None
    if run.detail:
        run.names[target] = name
        value = objects.peek(lambda: _content(cell), name)
    run.visit(op, target, site, value, (), point)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return objects.MISSING


# -- between runs ------------------------------------------------------------------------------------------------------


def count_at_end(run: Runtime) -> None:
    """Count late reported bindings of names that other threads use."""
    for target, index in _reported_late.items():
        record = run.touched.get(target)
        if record is not None and record[0] != index:  # other threads could have gone first, but were not allowed to
            run.untracked[_LATE] = run.untracked.get(_LATE, 0) + 1
