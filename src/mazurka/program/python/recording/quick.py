"""The hooks that most events of a recording come from, without what they only need where a run is under control.

They stand in for the ordinary ones (hooks.py) once a second thread is started. What is an access of an attribute,
of an item of a ``dict`` or ``list`` under a plain key, or of a container's structure goes straight to the recorder's
list; everything else goes the ordinary way, and means the same. Such an event is ``thread, code, number, name or key,
site``, where ``code`` is that of the operation plus one of the offsets below; an ordinary event has its
target in place of the number. Threads go by what the system calls them, see raw.py.

Invariant: an event of theirs says what the ordinary hook under the same name (hooks.py) would have told the recorder.

Cost: a third of a microsecond an event; a tenth for a hook that tells of none.
"""

from __future__ import annotations

import itertools
import sys
import types
from _thread import get_ident
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.python import attributes, calls, iteration, sites, uses, variables
from mazurka.program.python.attributes import FOREIGN, HIDABLE, INSTANCE, NONE, classify
from mazurka.program.python.containers import operation, read_structure, shape_of, shapes
from mazurka.program.python.locations import MANY
from mazurka.program.python.objects import SCALARS, dictionary, key_of, number, numbers
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.python.recording.recorder import Recorder

#: What is added to an operation's code where no target is spelt out.
ATTRIBUTE: Final = 32
ITEM: Final = 64
STRUCTURE: Final = 96

_READ, _WRITE, _RMW = Op.READ.value, Op.WRITE.value, Op.RMW.value

#: The tick: one hook of so many of those that write, call or loop looks whether other threads should have a turn.
_STRIDE: Final = 32

#: Containers whose length is their structure's.
_MEASURED: Final = frozenset({list, dict, set})

_own: Final = object.__getattribute__

_Hooks = dict[str, Callable[..., Any]]
_Tick = Callable[[], bool]
_Reader = Callable[[Any, Any, int], Any]  # of a thing, the name or key, and the site


def hooks_for(run: Recorder) -> _Hooks:
    """By the names under which instrumented code calls them."""
    tick = itertools.cycle([False] * (_STRIDE - 1) + [True]).__next__
    attribute, item = _attribute_reader(run), _item_reader(run)
    return {
        **_attributes(run, tick, attribute),
        **_items(run, tick, item),
        **_uses(run, item),
        **_calls(run, tick, attribute, item),
    }


def _holds(thing: Any, name: str) -> bool:
    """Whether an instance has an attribute of its own; runs no code, like `objects.dictionary`."""
    try:
        space = _own(thing, "__dict__")
    except AttributeError:
        return False
    return name in space if type(space) is dict else name in dictionary(thing)


def _attribute_reader(run: Recorder) -> _Reader:
    add, reading = run.buffer.extend, _READ + ATTRIBUTE

    def read(thing: Any, name: str, site: int) -> Any:
        try:
            how = shapes[id(type(thing))].attributes[name]
        except KeyError:
            how = classify(type(thing), name)
        if how is INSTANCE:
            add((get_ident(), reading, numbers.get(id(thing)) or number(thing), name, site))
        elif how is NONE or how is FOREIGN:
            pass
        elif type(how) is not int:  # the class whose value shows through
            add((get_ident(), reading, numbers.get(id(thing)) or number(thing), name, site))
            if not _holds(thing, name):
                add((get_ident(), reading, numbers.get(id(how)) or number(how), name, site))
        elif how is not HIDABLE:
            attributes.read(run, thing, name, site, how)
        elif _holds(thing, name):
            add((get_ident(), reading, numbers.get(id(thing)) or number(thing), name, site))
        return thing

    return read


def _attributes(run: Recorder, tick: _Tick, read: _Reader) -> _Hooks:
    add, give_way, remembered = run.buffer.extend, run.give_way, variables.remembered
    writing = _WRITE + ATTRIBUTE

    def write(thing: Any, name: str, site: int) -> Any:
        if tick():
            give_way()
        try:
            how = shapes[id(type(thing))].attributes[name]
        except KeyError:
            how = classify(type(thing), name)
        if how is INSTANCE or type(how) is not int:
            add((get_ident(), writing, numbers.get(id(thing)) or number(thing), name, site))
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
        add((get_ident(), _READ, ("g", module, name), None, site))
        return True

    return {
        "__mz_ra__": read,
        "__mz_wa__": write,
        "__mz_ga__": augment,
        "__mz_gw__": augmented,
        "__mz_rg__": read_global,
    }


def _item_reader(run: Recorder) -> _Reader:
    add, reading, length = run.buffer.extend, _READ + ITEM, _READ + STRUCTURE

    def read(thing: Any, key: Any, site: int) -> Any:
        kind = type(thing)
        if kind is dict and "__builtins__" not in thing:
            part = key if type(key) in SCALARS else key_of(key)
            add((get_ident(), reading, numbers.get(id(thing)) or number(thing), part, site))
        elif kind is list and type(key) is int and -len(thing) <= key < len(thing):
            n = numbers.get(id(thing)) or number(thing)
            add((get_ident(), reading, n, key if key >= 0 else key + len(thing), site))
            add((get_ident(), length, n, None, site))
        else:
            handler = operation(thing, "__getitem__")
            if handler is not None:
                handler(run, thing, site, (key,))
        return thing

    return read


def _item_writer(run: Recorder, tick: _Tick) -> _Reader:
    add, give_way = run.buffer.extend, run.give_way
    writing, length, changing = _WRITE + ITEM, _READ + STRUCTURE, _RMW + STRUCTURE

    def write(thing: Any, key: Any, site: int) -> Any:
        if tick():
            give_way()
        kind = type(thing)
        if kind is dict and type(key) in SCALARS and "__builtins__" not in thing and len(thing) * 2 <= MANY:
            n = numbers.get(id(thing)) or number(thing)
            add((get_ident(), writing, n, key, site))
            if key not in thing:
                add((get_ident(), changing, n, None, site))
        elif kind is list and type(key) is int and -len(thing) <= key < len(thing) and len(thing) * 2 <= MANY:
            n = numbers.get(id(thing)) or number(thing)
            add((get_ident(), writing, n, key if key >= 0 else key + len(thing), site))
            add((get_ident(), length, n, None, site))
        else:
            handler = operation(thing, "__setitem__")
            if handler is not None:
                handler(run, thing, site, (key,))
        return thing

    return write


def _items(run: Recorder, tick: _Tick, read: _Reader) -> _Hooks:
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


def _uses(run: Recorder, read_item: _Reader) -> _Hooks:
    add = run.buffer.extend
    reading, length = _READ + ITEM, _READ + STRUCTURE

    def branch(thing: Any, site: int) -> Any:
        if thing is True or thing is False or thing is None:
            return thing
        kind = type(thing)
        known = (shapes.get(id(kind)) or shape_of(kind)).operations
        if known:
            handler = known.get("__len__")
            if handler is read_structure:
                add((get_ident(), length, numbers.get(id(thing)) or number(thing), None, site))
            elif handler is not None:
                handler(run, thing, site, ())
        return thing

    def ticks(items: list[Any], site: int) -> Iterator[None]:
        """What `iteration` has for a list."""
        n = number(items)
        for index in itertools.count():
            add((get_ident(), length, n, None, site))
            if index < len(items):
                add((get_ident(), reading, n, index, site))
            yield None

    def iterate(thing: Any, site: int) -> Any:
        kind = type(thing)
        if kind is tuple or kind is str:
            return thing
        if kind is list:
            return map(iteration.second, ticks(thing, site), thing)
        return iteration.iterate(thing, site)

    def contains(thing: Any, key: Any, site: int) -> Any:
        return read_item(thing, key, site) if type(thing) is dict else uses.contains(thing, key, site)

    return {"__mz_b__": branch, "__mz_it__": iterate, "__mz_in__": contains}


def _calls(run: Recorder, tick: _Tick, read_attribute: _Reader, read_item: _Reader) -> _Hooks:
    add, give_way, instrumented = run.buffer.extend, run.give_way, sites.instrumented
    length, changing = _READ + STRUCTURE, _RMW + STRUCTURE

    def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
        if tick():
            give_way()
        if function is getattr and len(args) > 1 and type(args[1]) is str:
            read_attribute(args[0], args[1], site)
            return function
        inner = function.__func__ if type(function) is types.MethodType else function
        if type(inner) is not types.FunctionType or inner.__code__.co_filename not in instrumented:
            calls.announce(run, function, site, args, named)
        return function

    def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
        if named:
            return uses.call_parts(function, site, *args, **named)
        if function is len and len(args) == 1 and type(args[0]) in _MEASURED:
            add((get_ident(), length, numbers.get(id(args[0])) or number(args[0]), None, site))
        else:
            call(function, site, *args)
        return (function, *args)

    def method(thing: Any, name: str, site: int, *args: Any) -> Any:
        if tick():
            give_way()
        kind = type(thing)
        if name == "get" and kind is dict and args:
            return read_item(thing, args[0], site)
        if name == "append" and kind is list and args and type(args[0]) in SCALARS:
            add((get_ident(), changing, numbers.get(id(thing)) or number(thing), None, site))
        else:
            calls.method(run, thing, name, site, args)
        return thing

    def loop(_site: int) -> None:
        if tick():
            give_way()

    def left_with(_entered: None, value: Any) -> Any:
        return value

    return {
        "__mz_c__": call,
        "__mz_cp__": call_parts,
        "__mz_m__": method,
        "__mz_l__": loop,
        "__mz_x__": bool,
        "__mz_en__": bool,
        "__mz_ex__": bool,
        "__mz_el__": left_with,
    }
