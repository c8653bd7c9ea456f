"""The quick hooks of recordings (quick.py) at calls, operators, tests, and iterations over containers."""

from __future__ import annotations

from _thread import get_ident
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.recording.event_sink import EventSink
from mazurka.program.python.recording.library_calls import RecordedMethod
from mazurka.program.python.recording.library_kinds import RECORDED
from mazurka.program.python.recording.quick import (
    Hooks,
    Reader,
    Tick,
    attribute_hooks,
    attribute_reader,
    item_hooks,
    item_reader,
    ticker,
)
from mazurka.program.python.recording.quick_calls import caller
from mazurka.program.python.recording.quick_dicts import KINDS as DICTIONARIES
from mazurka.program.python.recording.quick_dicts import dictionary_methods
from mazurka.program.python.recording.quick_loops import FIXED, loop_hooks
from mazurka.program.python.recording.raw import MORE, OFFSETS
from mazurka.program.python.semantics import calls, deep_access, executed_code, operators, uses
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.classification import NONE, OPAQUE, classify
from mazurka.program.python.semantics.containers import read_structure
from mazurka.program.python.semantics.locations import MANY
from mazurka.program.python.semantics.objects import number, numbers
from mazurka.program.python.semantics.shapes import ClassShape, shapes
from mazurka.program.python.semantics.views import LAZY
from mazurka.trace.event import Op

_READ_ITEM: Final = Op.READ + OFFSETS["i"]
_READ_STRUCTURE: Final = Op.READ + OFFSETS["s"]
_CHANGE: Final = Op.RMW + OFFSETS["s"]

#: Classes whose objects have methods of containers that are not found like attributes.
_OTHERWISE: Final = frozenset({super, str, bytes, type})

#: Containers whose iterators note changes of the structure.
_HASHED: Final = frozenset({dict, OrderedDict, set})

#: Containers whose length is part of their structure.
_MEASURED: Final = frozenset({list, dict, set})


def hooks_for(run: EventSink) -> Hooks:
    """All quick hooks, by the names under which instrumented code calls them."""
    tick, attribute, item, whole = ticker(), attribute_reader(run), item_reader(run), _whole_reader(run)
    return {
        **attribute_hooks(run, tick, attribute),
        **item_hooks(run, tick, item),
        **_tests(run, item),
        **_operators(run, whole),
        **_passes(run, tick),
        **loop_hooks(run),
        **_calls(run, tick, attribute, item, whole),
        "__mz_en__": bool,  # False, like the next
        "__mz_ex__": bool,
        "__mz_el__": {}.get,  # called with that and the result of a lambda, it returns the latter
        "__mz_rv__": partial({}.get, None),  # returns its argument
        "__mz_rx__": _first,
    }


def _first(thing: Any, _site: int) -> Any:
    return thing


def _tests(run: EventSink, read_item: Reader) -> Hooks:
    add = run.buffer.extend

    def branch(thing: Any, site: int) -> Any:
        if thing is True or thing is False or thing is None:
            return thing
        kind = type(thing)
        known = (shapes.get(id(kind)) or shape_of(kind)).operations
        if known:
            handler = known.get("__len__")
            if handler is read_structure:
                add((get_ident(), numbers.get(id(thing)) or number(thing), _READ_STRUCTURE, site, None, MORE))
            elif handler is not None:
                handler(run, thing, site, ())
        return thing

    def contains(thing: Any, key: Any, site: int) -> Any:
        kind = type(thing)
        if kind is dict or kind is OrderedDict:
            return read_item(thing, key, site)
        return thing if kind in FIXED else uses.contains(thing, key, site)

    return {"__mz_b__": branch, "__mz_in__": contains}


def _whole_reader(run: EventSink) -> Callable[[Any, int], None]:
    """The function that records reads of the whole content of an object."""
    add, plain, kind_of = run.buffer.extend, deep_access.PLAIN, sites.kind_of

    def read(thing: Any, site: int) -> None:
        kind = type(thing)
        if kind in plain:
            return
        if kind is tuple:
            for each in thing:
                if type(each) not in plain:
                    break
            else:
                return
        elif kind is list and len(thing) <= MANY:
            for each in thing:
                if type(each) not in plain:
                    break
            else:
                n = numbers.get(id(thing)) or number(thing)
                me = get_ident()
                add((me, n, _READ_STRUCTURE, site, None, MORE))
                for index in range(len(thing)):
                    add((me, n, _READ_ITEM, site, index, MORE))
                return
        shape = shapes.get(id(kind))
        if shape is None or not _is_left_alone(shape, kind, kind_of(site)):
            deep_access.read(run, (thing,), site)

    return read


def _is_left_alone(shape: ClassShape, kind: type, asked: str) -> bool:
    """Whether it is already known that such an operation on instances of a class does not look into them."""
    looks = shape.looked_into.get(asked)
    return looks is False and shape.base is None and kind not in LAZY and "__iter__" not in shape.operations


def _operators(run: EventSink, read_whole: Callable[[Any, int], None]) -> Hooks:
    add = run.buffer.extend

    def use(thing: Any, site: int) -> Any:
        read_whole(thing, site)
        return thing

    def measure(thing: Any, site: int) -> Any:
        kind = type(thing)
        if kind in _MEASURED:
            add((get_ident(), numbers.get(id(thing)) or number(thing), _READ_STRUCTURE, site, None, MORE))
        elif kind not in FIXED:
            operators.measure(run, thing, site)
        return thing

    def combine(right: Any, left: Any, site: int) -> Any:
        if type(left) not in operators.VALUES and type(right) not in operators.VALUES:
            operators.combine(run, left, right, site)
        return right

    def combine_pair(left: Any, right: Any, site: int) -> tuple[Any, Any]:
        combine(right, left, site)
        return left, right

    def augment(right: Any, left: Any, name: str, site: int) -> Any:
        if type(left) not in operators.VALUES:
            operators.augment(run, left, right, name, site)
        return right

    def augment_pair(left: Any, right: Any, name: str, site: int) -> tuple[Any, Any]:
        augment(right, left, name, site)
        return left, right

    return {
        "__mz_u__": use,
        "__mz_len__": measure,
        "__mz_o__": combine,
        "__mz_op__": combine_pair,
        "__mz_a__": augment,
        "__mz_ap__": augment_pair,
    }


def _passes(run: EventSink, tick: Tick) -> Hooks:
    add, give_way = run.buffer.extend, run.give_way

    def begin(thing: Any, site: int) -> Any:
        kind = type(thing)
        if kind is list or kind in FIXED:
            return thing
        if kind not in _HASHED or numbers.get(id(thing), 0) < 0:
            return uses.begin(thing, site)
        add((get_ident(), numbers.get(id(thing)) or number(thing), _READ_STRUCTURE, site, None, MORE))
        return thing

    def consume(thing: Any, site: int) -> Any:
        return thing if type(thing) in FIXED else uses.consume(thing, site)

    def loop(_site: int) -> None:
        if tick():
            give_way()

    return {"__mz_be__": begin, "__mz_us__": consume, "__mz_l__": loop, "__mz_x__": bool}


def _calls(
    run: EventSink, tick: Tick, read_attribute: Reader, read_item: Reader, read_whole: Callable[[Any, int], None]
) -> Hooks:
    add, give_way, plain = run.buffer.extend, run.give_way, deep_access.PLAIN
    call = caller(run, tick, read_attribute, read_whole)
    observer, dictionary_method, are_plain = run.observer, dictionary_methods(run), plain.issuperset
    variable, of_classes, left_out, unlike = run.variable, run.of_classes, run.left_out.add, _OTHERWISE | RECORDED

    def method(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
        if tick():
            give_way()
        kind = type(thing)
        shape = shapes.get(id(kind)) or shape_of(kind)
        how = shape.attributes.get(name)
        if not shape.operations and how is not None and type(how) is not int and kind not in unlike:
            if name in of_classes or name in variable:
                read_attribute(thing, name, site)
            else:
                left_out(name)  # as there
            return thing
        if kind in DICTIONARIES and not named and dictionary_method(thing, name, site, args):
            return thing
        if name == "append" and kind is list and args and type(args[0]) in plain:
            add((get_ident(), numbers.get(id(thing)) or number(thing), _CHANGE, site, None, MORE))
        elif kind is str and not named and are_plain(map(type, args)):
            pass
        elif kind is str and len(args) == 1:
            read_whole(args[0], site)
        else:
            handler = shape.operations.get(name)
            if handler is not None and not named:
                handler(run, thing, site, args)
            elif (
                handler is not None
                or kind in _OTHERWISE
                or how is OPAQUE
                or (how is None and classify(kind, name) is OPAQUE)
            ):
                calls.method(run, thing, name, site, args, named)
            elif how is not NONE:
                read_attribute(thing, name, site)
            if kind in RECORDED and observer is not None:
                return RecordedMethod(observer, thing, thing)
        return thing

    return {"__mz_c__": call, "__mz_cp__": _in_parts(run, call), "__mz_m__": method}


def _in_parts(run: EventSink, call: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    """The hook for calls whose arguments are evaluated once."""
    add = run.buffer.extend

    def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
        if (function is exec or function is eval) and args:
            args = executed_code.instrumented(function, args)
        if function is len and len(args) == 1 and type(args[0]) in _MEASURED:
            add((get_ident(), numbers.get(id(args[0])) or number(args[0]), _READ_STRUCTURE, site, None, MORE))
        else:
            function = call(function, site, *args, **named)
        return (partial(function, *args, **named),) if named else (function, *args)

    return call_parts


__all__ = ["hooks_for"]
