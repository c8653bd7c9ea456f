"""Locations whose stores can be held back: where they are on the heap, and the hooks that say so.

A native store takes effect at once. To let a thread's store reach the others later, the runtime for relaxed memory
(:mod:`mazurka.program.runtime.relaxed`) takes it back when another thread moves. For that it needs more than a target:
a *slot*, which can be read and set without running code of the program. These locations have one:

- attributes of instances whose class leaves storing to `object`, in a dictionary or a slot; globals; closure variables;
- items of a list, and values of a dictionary under a key that is already there, if they are of these very classes and
  the key is a number, a text or the like.

Stores to any other location act as if they were indivisible: they wait until the thread's earlier stores have arrived.

The hooks here stand in for those of :mod:`hooks` at stores while memory is relaxed: they hand the slot to the runtime,
which uses it if the store turns out to be a plain one, and go on to the hook proper.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import activation
from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.semantics import global_variables, hooks, objects, untracked, variables
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.objects import MISSING, is_a, number
from mazurka.program.runtime.relaxed import StoreSlot
from mazurka.trace.event import Op
from mazurka.trace.targets import CELL, GLOBAL, Target

_KEYS: Final = frozenset({int, float, bool, str, bytes, type(None)})


@dataclass(frozen=True, slots=True)
class AttributeSlot:
    """An attribute in an instance's dictionary, or in a slot of its class."""

    thing: Any
    name: str

    def look(self) -> Any:
        slot = _slot(type(self.thing), self.name)
        if slot is None:
            return objects.dictionary(self.thing).get(self.name, MISSING)
        try:
            return slot.__get__(self.thing)
        except AttributeError:
            return MISSING

    def put(self, value: Any) -> None:
        if value is not MISSING:
            object.__setattr__(self.thing, self.name, value)
        elif self.look() is not MISSING:
            object.__delattr__(self.thing, self.name)


def _slot(kind: type, name: str) -> Any:
    for each in bases(kind):
        found = each.__dict__.get(name)
        if found is not None:
            return found if type(found) is types.MemberDescriptorType else None
    return None


@dataclass(frozen=True, slots=True)
class DictionarySlot:
    """A value under a key of a dictionary, which may be a module's."""

    space: dict[Any, Any]
    key: Any

    def look(self) -> Any:
        return self.space.get(self.key, MISSING)

    def put(self, value: Any) -> None:
        if value is MISSING:
            self.space.pop(self.key, None)
        else:
            self.space[self.key] = value


@dataclass(frozen=True, slots=True)
class ElementSlot:
    """An item of a list, at an index counted from the front."""

    thing: list[Any]
    index: int

    def look(self) -> Any:
        return self.thing[self.index] if self.index < len(self.thing) else MISSING

    def put(self, value: Any) -> None:
        if value is not MISSING and self.index < len(self.thing):
            self.thing[self.index] = value


@dataclass(frozen=True, slots=True)
class CellSlot:
    """The content of a closure's cell."""

    cell: types.CellType

    def look(self) -> Any:
        try:
            return self.cell.cell_contents
        except ValueError:
            return MISSING

    def put(self, value: Any) -> None:
        if value is not MISSING:
            self.cell.cell_contents = value
        elif self.look() is not MISSING:
            del self.cell.cell_contents


def attribute_place(thing: Any, name: str) -> StoreSlot | None:
    """The slot that ``thing.name = ...`` stores to; None if it has none."""
    kind = type(thing)
    if is_a(thing, types.ModuleType):
        return DictionarySlot(objects.dictionary(thing), name)
    if type.__getattribute__(kind, "__setattr__") is not object.__setattr__:
        return None
    return AttributeSlot(thing, name)


def item_place(thing: Any, key: Any) -> StoreSlot | None:
    """The slot that ``thing[key] = ...`` stores to; None if it has none."""
    if type(thing) is dict and type(key) in _KEYS:
        return DictionarySlot(thing, key)
    if type(thing) is list and type(key) is int:
        index = key + len(thing) if key < 0 else key
        return ElementSlot(thing, index) if 0 <= index < len(thing) else None
    return None


# -- hooks ------------------------------------------------------------------------------------------------------------


def _running() -> Any:
    run = activation.active
    return None if run is None or run.solo or run.aborting else run


@contextlib.contextmanager
def _storing(place: StoreSlot | None) -> Iterator[None]:
    """Give the runtime the slot of the store that the hook called within is about to announce."""
    run = _running()
    if run is None:
        yield
        return
    run.hold_back(place)
    try:
        yield
    finally:
        if not run.aborting:
            run.hold_back(None)


def write_attribute(thing: Any, name: str, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    with _storing(attribute_place(thing, name)):
        return variables.write_attribute(thing, name, site)


def delete_attribute(thing: Any, name: str, site: int) -> Any:
    """Delete an attribute: a read, of whether it is there, and a store of its absence."""
    variables.read_attribute(thing, name, site)
    return write_attribute(thing, name, site)


def augmented_attribute(name: str, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    return write_attribute(variables.remembered.pop((id(sys._getframe(1)), site)), name, site)


def write_item(thing: Any, key: Any, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    with _storing(item_place(thing, key)):
        return variables.write_item(thing, key, site)


def write_item_keep(thing: Any, key: Any, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    with _storing(item_place(thing, key)):
        return variables.write_item_keep(thing, key, site)


def augmented_item(site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    frame = sys._getframe(1)
    thing, key = variables.remembered.pop((id(frame), site))
    if type(key) is slice:
        variables.slice_is_known(frame)
    return write_item_keep(thing, key, site)


def write_global(value: Any, _module: str | None, name: str, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    _store_global(sys._getframe(1).f_globals, name, site)
    return value


def global_space(name: str, site: int) -> dict[str, Any]:
    """As the hook of this name, for a store that may be delayed."""
    space = sys._getframe(1).f_globals
    _store_global(space, name, site)
    return space


def _store_global(space: dict[str, Any], name: str, site: int) -> None:
    run = _running()
    if run is not None:
        with _storing(DictionarySlot(space, name)):
            global_variables.global_access(run, space.get("__name__", "?"), name, site, Op.WRITE, space)


def write_cell(value: Any, function: Any, name: str, site: int) -> Any:
    """As the hook of this name, for a store that may be delayed."""
    with _storing(CellSlot(function.__closure__[0])):
        return variables.write_cell(value, function, name, site)


def store_cell(function: Any, name: str, site: int) -> types.CellType:
    """As the hook of this name, for a store that may be delayed."""
    with _storing(CellSlot(function.__closure__[0])):
        return variables.store_cell(function, name, site)


def defines_global(name: str, site: int) -> Callable[[Any], Any]:
    """As the hook of this name, for a store that may be delayed."""
    space = sys._getframe(1).f_globals

    def bound(thing: Any) -> Any:
        _store_global(space, name, site)
        return thing

    return bound


def defines_cell(function: Any, name: str, site: int) -> Callable[[Any], Any]:
    """As the hook of this name, for a store that may be delayed."""
    bound = variables.defines_cell(function, name, site)

    def stored(thing: Any) -> Any:
        with _storing(CellSlot(function.__closure__[0])):
            return bound(thing)

    return stored


def wrote_global(name: str, site: int) -> None:
    """A statement has bound a global before the store could be delayed."""
    _bound((GLOBAL, sys._getframe(1).f_globals.get("__name__", "?"), name), name, site)


def wrote_cell(function: Any, name: str, site: int) -> None:
    """A statement has bound a closure variable before the store could be delayed."""
    _bound((CELL, number(function.__closure__[0])), name, site)


def _bound(target: Target, name: str, site: int) -> None:
    run = _running()
    if run is not None and run.bound(target, site):
        untracked.count_untracked(run, f"binding {name} by a statement, which reaches memory at once,", site)


#: Hook -> its replacement.
HOOKS: Final[dict[str, Callable[..., Any]]] = {
    "__mz_wa__": write_attribute,
    "__mz_da__": delete_attribute,
    "__mz_gw__": augmented_attribute,
    "__mz_wi__": write_item,
    "__mz_wk__": write_item_keep,
    "__mz_gj__": augmented_item,
    "__mz_wg__": write_global,
    "__mz_gd__": global_space,
    "__mz_wc__": write_cell,
    "__mz_sc__": store_cell,
    "__mz_db__": defines_global,
    "__mz_dc__": defines_cell,
    "__mz_bg__": wrote_global,
    "__mz_bc__": wrote_cell,
    "__mz_pc__": wrote_cell,
}


def install() -> None:
    """Put the hooks for relaxed memory in place of those for plain stores."""
    vars(builtins).update(HOOKS)


def uninstall() -> None:
    """Put the hooks of sequential consistency back."""
    vars(builtins).update({name: hooks.HOOKS[name] for name in HOOKS})
