"""The hooks of most events of a recording, without the parts that only controlled runs need.

They take the place of those of hooks.py once a second thread is started (those at uses are in quick_uses.py). An access
of an ordinary attribute, of an item of a ``dict`` or ``list``, or of a container's structure is added directly to the
recorder's list; all other accesses are reported by the ordinary hooks, with the same meaning. Such an event is three or
six numbers and keys, see raw.py; so no tuple has to be made that lasts until it is written, and that the garbage
collector would look at.

Invariant: their events are those that the hook of the same name in hooks.py would have recorded.

Cost: a quarter of a microsecond an event; a tenth for a hook without an event.
"""

from __future__ import annotations

import itertools
import sys
from _thread import get_ident
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.raw import MORE, OFFSETS
from mazurka.program.python.semantics import attributes, global_variables, variables
from mazurka.program.python.semantics.class_shapes import operation, shape_of
from mazurka.program.python.semantics.classification import (
    BOUND,
    CONSTANT,
    FOREIGN,
    INSTANCE,
    NONE,
    OF_CLASS,
    OF_CONTAINER,
    OF_MODULE,
    PROPERTY,
    classify,
    find,
)
from mazurka.program.python.semantics.keys import PLAIN, UNKNOWN, is_quiet, key_of
from mazurka.program.python.semantics.locations import MANY
from mazurka.program.python.semantics.objects import dictionary, number, numbers
from mazurka.program.python.semantics.shapes import shapes
from mazurka.trace.event import Op
from mazurka.trace.targets import ATTRIBUTE, GLOBAL, ITEM, STRUCTURE, VALUES, Target

_READ, _WRITE, _RMW = Op.READ.value, Op.WRITE.value, Op.RMW.value
_ATTRIBUTE, _ITEM, _STRUCTURE, _GLOBAL = (OFFSETS[tag] for tag in (ATTRIBUTE, ITEM, STRUCTURE, GLOBAL))

#: The tick: one of so many hooks that write, call or loop, or ordinary events, tests whether other threads should go
#: on.
_STRIDE: Final = 32

#: Classes of globals that are not taken for variables.
_CONSTANT: Final = frozenset(CONSTANT)

_own: Final = object.__getattribute__

Hooks = dict[str, Callable[..., Any]]
Tick = Callable[[], bool]
Reader = Callable[[Any, Any, int], Any]  # of a thing, the name or key, and the site


def ticker() -> Tick:
    """A function that is true at every tick."""
    return itertools.cycle([False] * (_STRIDE - 1) + [True]).__next__


def teller(run: EventSink) -> Callable[..., None]:
    """The function that records the steps that ordinary hooks report, without values."""
    add, give_way, tick, offset = run.buffer.extend, run.give_way, ticker(), OFFSETS.get
    about_to_store = run.about_to_store

    def record(
        op: Op,
        target: Target,
        site: Any,
        _value: Any = None,
        more: tuple[Access, ...] = (),
        _point: bool | None = None,
    ) -> None:
        if tick():
            give_way()
        me, row = get_ident(), list[Any]()
        for how, touched, _ in ((op, target, None), *more):
            code = offset(touched[0])
            if code is None:
                row += (me, touched, how._value_, site, None, MORE)
            else:
                if code == _ATTRIBUTE and how is not Op.READ:
                    about_to_store(touched[1], touched[2])
                row += (me, touched[1], how._value_ + code, site, touched[2] if len(touched) == 3 else None, MORE)
        add(row)

    return record


def attribute_reader(run: EventSink) -> Reader:
    """The hook for reads of attributes of instances, classes and modules, at sites that name them."""
    add, variable, of_classes, left_out = run.buffer.extend, run.variable, run.of_classes, run.left_out.add
    read_with_classes = _reader_with_classes(run)

    def read(thing: Any, name: str, site: int) -> Any:
        try:
            how = shapes[id(type(thing))].attributes[name]
        except KeyError:
            how = classify(type(thing), name)
        if how is INSTANCE:
            try:
                add((get_ident(), numbers[id(thing)], site))
            except KeyError:
                add((get_ident(), number(thing), site))
        elif type(how) is not int:  # the class whose value shows through
            if name not in of_classes:
                if name in variable:
                    add((get_ident(), numbers.get(id(thing)) or number(thing), site))
                left_out(name)
                return thing
            if name in dictionary(thing):
                add((get_ident(), numbers.get(id(thing)) or number(thing), site))
            else:
                read_with_classes(thing, name, site, how)
        elif how is NONE or how is FOREIGN or how is PROPERTY or how is OF_CONTAINER:
            pass
        elif how is BOUND:
            found = find(type(thing), name)
            read_with_classes(thing, name, site, found and found[0])
        elif how is OF_CLASS:
            if name in of_classes:
                attributes.read(run, thing, name, site, how)
            else:
                left_out(name)
        elif how is OF_MODULE:
            if not _is_constant(thing, name):
                global_variables.module_read(run, thing, name, site)
        else:
            attributes.read(run, thing, name, site, how)
        return thing

    return read


def _reader_with_classes(run: EventSink) -> Callable[[Any, str, int, type | None], None]:
    """The function that records the read of an attribute of an instance and of the classes up to the one that has it,
    any of which might hide it."""
    add = run.buffer.extend

    def read(thing: Any, name: str, site: int, owner: type | None) -> None:
        me, shape = get_ident(), shapes.get(id(type(thing))) or shape_of(type(thing))
        row = [me, numbers.get(id(thing)) or number(thing), site]
        for each in shape.deciding.get(name) or deciding(type(thing), owner, name):
            row += (me, each, site)
        add(row)

    return read


def _is_constant(module: Any, name: str) -> bool:
    """Whether a global that a module has is not taken for a variable."""
    kind = type(_own(module, "__dict__").get(name))
    return kind in _CONSTANT or (issubclass(kind, type) and name not in sites.stored)


def deciding(kind: type, owner: type | None, name: str) -> tuple[int, ...]:
    """The numbers of the classes that decide the value of attribute ``name`` of an instance that does not have it
    itself."""
    found = shape_of(kind).deciding[name] = tuple(map(number, attributes.upto(kind, owner)))
    return found


def attribute_hooks(run: EventSink, tick: Tick, read: Reader) -> Hooks:
    """The hooks for attributes and globals."""
    add, give_way, remembered = run.buffer.extend, run.give_way, variables.remembered
    reading_global, variable, about_to_store = _READ + _GLOBAL, run.variable, run.about_to_store

    def write(thing: Any, name: str, site: int) -> Any:
        if tick():
            give_way()
        try:
            how = shapes[id(type(thing))].attributes[name]
        except KeyError:
            how = classify(type(thing), name)
        if how is INSTANCE or type(how) is not int:
            try:
                n = numbers[id(thing)]
            except KeyError:
                n = number(thing)
            if name not in variable:
                about_to_store(n, name)
            add((get_ident(), n, -site))
        else:
            attributes.write(run, thing, name, site, how)
        return thing

    def augment(thing: Any, name: str, site: int) -> Any:
        remembered[id(sys._getframe(1)), site] = thing
        return read(thing, name, site)

    def augmented(name: str, site: int) -> Any:
        return write(remembered.pop((id(sys._getframe(1)), site)), name, site)

    def read_global(module: str | None, name: str, site: int) -> bool:
        if module is None:
            module = sys._getframe(1).f_globals.get("__name__", "?")
        add((get_ident(), module, reading_global, site, name, MORE))
        return True

    return {
        "__mz_ra__": read,
        "__mz_wa__": write,
        "__mz_ga__": augment,
        "__mz_gw__": augmented,
        "__mz_rg__": read_global,
    }


def item_reader(run: EventSink) -> Reader:
    """The hook for reads of items of containers."""
    add, reading, length = run.buffer.extend, _READ + _ITEM, _READ + _STRUCTURE

    def read(thing: Any, key: Any, site: int) -> Any:
        kind = type(thing)
        if (kind is dict or kind is OrderedDict) and "__builtins__" not in thing:
            part = key if type(key) in PLAIN else key_of(key)
            add((get_ident(), numbers.get(id(thing)) or number(thing), reading, site, part, MORE))
        elif kind is list and type(key) is int and -len(thing) <= key < len(thing):
            me, n = get_ident(), numbers.get(id(thing)) or number(thing)
            part = key if key >= 0 else key + len(thing)
            add((me, n, reading, site, part, MORE, me, n, length, site, None, MORE))
        else:
            handler = operation(thing, "__getitem__")
            if handler is not None:
                handler(run, thing, site, (key,))
        return thing

    return read


def _item_writer(run: EventSink, tick: Tick) -> Reader:
    add, give_way = run.buffer.extend, run.give_way
    writing, length, changing = _WRITE + _ITEM, _READ + _STRUCTURE, _RMW + _STRUCTURE
    values = _RMW + OFFSETS[VALUES]

    def write(thing: Any, key: Any, site: int) -> Any:
        if tick():
            give_way()
        kind = type(thing)
        if (
            (kind is dict or kind is OrderedDict)
            and (part := key if type(key) in PLAIN else key_of(key)) is not UNKNOWN
            and "__builtins__" not in thing
            and numbers.get(id(thing), 0) >= 0  # not the dictionary of an instance
            and len(thing) != MANY  # it may become a large one
        ):
            me, n = get_ident(), numbers.get(id(thing)) or number(thing)
            if (part is key or is_quiet(key)) and key in thing:
                add((me, n, writing, site, part, MORE))
                if len(thing) > MANY:
                    add((me, n, values, site, None, MORE))
            else:
                add((me, n, writing, site, part, MORE, me, n, changing, site, None, MORE))
        elif kind is list and type(key) is int and -len(thing) <= key < len(thing) and len(thing) <= MANY:
            me, n = get_ident(), numbers.get(id(thing)) or number(thing)
            part = key if key >= 0 else key + len(thing)
            add((me, n, writing, site, part, MORE, me, n, length, site, None, MORE))
        else:
            handler = operation(thing, "__setitem__")
            if handler is not None:
                handler(run, thing, site, (key,))
        return thing

    return write


def item_hooks(run: EventSink, tick: Tick, read: Reader) -> Hooks:
    """The hooks for items of containers."""
    write, kept, remembered = _item_writer(run, tick), variables.kept, variables.remembered

    def read_pair(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
        read(thing, key, site)
        return thing, key

    def write_keep(thing: Any, key: Any, site: int) -> Any:
        write(thing, key, site)
        kept.keys.append(key)
        return thing

    def augment(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
        remembered[id(sys._getframe(1)), site] = (thing, key)
        read(thing, key, site)
        return thing, key

    def augmented(site: int) -> Any:
        thing, key = remembered.pop((id(sys._getframe(1)), site))
        return write_keep(thing, key, site)

    return {
        "__mz_ri__": read,
        "__mz_wi__": write,
        "__mz_rp__": read_pair,
        "__mz_wk__": write_keep,
        "__mz_gi__": augment,
        "__mz_gj__": augmented,
    }
