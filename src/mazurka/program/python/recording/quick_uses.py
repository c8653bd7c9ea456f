"""The quick hooks of recordings (quick.py) at calls, operators, tests, and what goes through containers."""

from __future__ import annotations

import types
from _thread import get_ident
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.python import calls, sites, uses, wholes
from mazurka.program.python.containers import OPERATIONS, read_structure, shape_of, shapes
from mazurka.program.python.locations import BASES, MANY
from mazurka.program.python.objects import SCALARS, number, numbers
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
from mazurka.program.python.recording.quick_loops import FIXED, loop_hooks
from mazurka.program.python.recording.raw import OFFSETS
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.python.recording.recorder import Recorder

_READ_ITEM: Final = Op.READ + OFFSETS["i"]
_READ_STRUCTURE: Final = Op.READ + OFFSETS["s"]
_CHANGE: Final = Op.RMW + OFFSETS["s"]

#: Containers whose length is their structure's.
_MEASURED: Final = frozenset({list, dict, set})


def hooks_for(run: Recorder) -> Hooks:
    """All of them, by the names under which instrumented code calls them."""
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
        "__mz_el__": {}.get,  # called with that and what a lambda returns, it gives the latter
    }


def _tests(run: Recorder, read_item: Reader) -> Hooks:
    add = run.buffer.extend

    def branch(thing: Any, site: int) -> Any:
        if thing is True or thing is False or thing is None:
            return thing
        kind = type(thing)
        known = (shapes.get(id(kind)) or shape_of(kind)).operations
        if known:
            handler = known.get("__len__")
            if handler is read_structure:
                add((get_ident(), _READ_STRUCTURE, numbers.get(id(thing)) or number(thing), None, site))
            elif handler is not None:
                handler(run, thing, site, ())
        return thing

    def contains(thing: Any, key: Any, site: int) -> Any:
        kind = type(thing)
        if kind is dict or kind is OrderedDict:
            return read_item(thing, key, site)
        return thing if kind in FIXED else uses.contains(thing, key, site)

    return {"__mz_b__": branch, "__mz_in__": contains}


def _whole_reader(run: Recorder) -> Callable[[Any, int], None]:
    """Of all that is in a thing."""
    add, plain = run.buffer.extend, wholes.PLAIN

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
                add((get_ident(), _READ_STRUCTURE, n, None, site))
                for index in range(len(thing)):
                    add((get_ident(), _READ_ITEM, n, index, site))
                return
        wholes.read(run, (thing,), site)

    return read


def _operators(run: Recorder, read_whole: Callable[[Any, int], None]) -> Hooks:
    add = run.buffer.extend

    def use(thing: Any, site: int) -> Any:
        read_whole(thing, site)
        return thing

    def measure(thing: Any, site: int) -> Any:
        kind = type(thing)
        if kind in _MEASURED:
            add((get_ident(), _READ_STRUCTURE, numbers.get(id(thing)) or number(thing), None, site))
        elif kind not in FIXED:
            calls.measure(run, thing, site)
        return thing

    def combine(right: Any, left: Any, site: int) -> Any:
        if type(left) not in calls.VALUES and type(right) not in calls.VALUES:
            calls.combine(run, left, right, site)
        return right

    def combine_pair(left: Any, right: Any, site: int) -> tuple[Any, Any]:
        combine(right, left, site)
        return left, right

    def augment(right: Any, left: Any, name: str, site: int) -> Any:
        if type(left) not in calls.VALUES:
            calls.augment(run, left, right, name, site)
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


def _passes(run: Recorder, tick: Tick) -> Hooks:
    give_way = run.give_way

    def begin(thing: Any, site: int) -> Any:
        return thing if type(thing) is list or type(thing) in FIXED else uses.begin(thing, site)

    def consume(thing: Any, site: int) -> Any:
        return thing if type(thing) in FIXED else uses.consume(thing, site)

    def loop(_site: int) -> None:
        if tick():
            give_way()

    return {"__mz_be__": begin, "__mz_us__": consume, "__mz_l__": loop, "__mz_x__": bool}


def _calls(
    run: Recorder, tick: Tick, read_attribute: Reader, read_item: Reader, read_whole: Callable[[Any, int], None]
) -> Hooks:
    add, give_way, instrumented = run.buffer.extend, run.give_way, sites.instrumented
    handlers: dict[tuple[int, str], Callable[..., None]] = {
        (id(kind), name): handler for kind in BASES for name, handler in OPERATIONS[kind].items()
    }
    handlers[id(str), "join"] = lambda _run, _text, site, args: read_whole(args[0], site)

    def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
        if tick():
            give_way()
        if function is getattr and len(args) > 1 and type(args[1]) is str:
            read_attribute(args[0], args[1], site)
            return function
        kind = type(function)
        if kind is types.BuiltinMethodType and not named:
            handler = handlers.get((id(type(function.__self__)), function.__name__))
            if handler is not None:
                handler(run, function.__self__, site, args)
                return function
        inner = function.__func__ if kind is types.MethodType else function
        if type(inner) is not types.FunctionType or inner.__code__.co_filename not in instrumented:
            calls.announce(run, function, site, args, named)
        return function

    def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
        if function is len and len(args) == 1 and type(args[0]) in _MEASURED:
            add((get_ident(), _READ_STRUCTURE, numbers.get(id(args[0])) or number(args[0]), None, site))
        else:
            call(function, site, *args, **named)
        return (partial(function, *args, **named),) if named else (function, *args)

    def method(thing: Any, name: str, site: int, *args: Any) -> Any:
        if tick():
            give_way()
        kind = type(thing)
        if name == "get" and kind is dict and args:
            return read_item(thing, args[0], site)
        if name == "append" and kind is list and args and type(args[0]) in SCALARS:
            add((get_ident(), _CHANGE, numbers.get(id(thing)) or number(thing), None, site))
        elif kind is str and len(args) == 1:
            read_whole(args[0], site)
        else:
            calls.method(run, thing, name, site, args)
        return thing

    return {"__mz_c__": call, "__mz_cp__": call_parts, "__mz_m__": method}


__all__ = ["hooks_for"]
