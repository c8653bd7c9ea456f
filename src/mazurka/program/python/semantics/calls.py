"""What calls of functions read and write, for functions that are not instrumented themselves.

Methods of containers and the builtins that look at containers are accesses to them (:mod:`containers`). ``getattr``
and its like are attribute accesses. Functions known to change their first argument (``heapq.heappush``) change it;
those that call a function in C for each element (``sorted`` with a key) do what these calls do. An object without a
model has one state (:mod:`native_objects`), and so has a package that is not instrumented (:mod:`foreign`).

Cost: half a microsecond for a call of the program's own functions.
"""

from __future__ import annotations

import functools
import io
import struct
import sys
import threading
import types
import weakref
from collections import Counter
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    array_operations,
    attributes,
    classification,
    consulted,
    deep_access,
    definitions,
    foreign,
    harmless,
    native_objects,
    natives,
    raising,
    reentrant,
    result_caches,
)
from mazurka.program.python.semantics.classification import (
    BESIDE_STATE,
    FOREIGN,
    INSTANCE,
    LISTED,
    OPAQUE,
    classify,
)
from mazurka.program.python.semantics.containers import (
    OPERATIONS,
    SLOTS,
    calling,
    look_at_class,
    operation,
    positional,
    read_structure,
    shape_of,
)
from mazurka.program.python.semantics.gathering import (
    CALLING,
    KEY_MAKER,
    effects_of_calls,
    effects_of_moving,
    gives_containers,
    in_one_step,
    is_seen,
    is_simple,
)
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import BASES, bases, contents, emit_reads, perform
from mazurka.program.python.semantics.native_objects import NATIVE, state_of
from mazurka.program.python.semantics.objects import (
    MISSING,
    adopt_namespace,
    dictionary,
    is_a,
    own_attribute,
    peek_attribute,
    stop_watching,
)
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.python.semantics.views import (
    LAZY,
    begin_reads,
    cursors,
    iterators,
    keys_only,
    moving,
    others,
    reached,
    sources,
    takes_unseen,
)
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op

_READ, _RMW = Op.READ, Op.RMW

_iter, _next = iter, next  # programs may replace the builtins

#: Going through one of these leaves it as it was.
_IDLE: Final = frozenset({str, bytes, tuple, range, frozenset, int, type(None), dict, list, float, bool})

_BOUND: Final = (*BUILTIN_METHODS, types.MethodWrapperType)
_UNBOUND: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
VALUES: Final = frozenset({int, str, float, bool, bytes, type(None)})

#: Builtins that run code which is not instrumented.
_EVALUATING: Final = frozenset({exec, eval})

#: Builtins that look at everything in their arguments.
_READERS: Final = frozenset(
    (
        *(list, tuple, set, frozenset, dict, sorted, sum, min, max, any, all),
        *(str, repr, bytes, bytearray, print, format, ascii),
    )
)

#: Those of them that compare elements, as deep as they are, and all that go into them.
_COMPARING: Final = frozenset((sorted, min, max, any, all, sum))
_DEEP: Final = _COMPARING | {str, repr, bytes, bytearray, print, format, ascii, dict}
_COMPARING_NAMES: Final = frozenset("sorted min max any all sum".split())
_DEEP_NAMES: Final = _COMPARING_NAMES | frozenset("str repr bytes bytearray ascii dict".split())

#: Containers all of whose methods are in C.
_IN_C: Final = frozenset(BASES) - {Counter}

#: Operators of which a container in Python has at least one, written in Python, if it has any.
_OPERATORS: Final = ("__add__", "__or__", "__eq__")

#: Classes whose call does nothing that threads could notice, by identity: a metaclass may see to equality.
_MAKING: Final = frozenset(map(id, (zip, map, filter, enumerate, reversed, object, super)))

#: Builtins that say what functions and classes are called.
_DESCRIBING: Final = frozenset((str, repr, format, ascii, print))

#: Functions that call their key argument.
_WITH_KEY: Final = frozenset({sorted, min, max})

#: Functions of `heapq`; there are some for the largest, too.
_OF_HEAPS: Final = ("heappush", "heappop", "heapify", "heapreplace", "heappushpop")

#: Functions that change their first argument, by module and name.
_CHANGERS: Final = frozenset(
    {
        *((module, name) for module in ("_heapq", "heapq") for name in _OF_HEAPS),
        *(("_heapq", name) for name in ("_heapify_max", "_heapreplace_max", "_heappop_max")),
        *((module, f"{name}_max") for module in ("_heapq", "heapq") for name in _OF_HEAPS),
        *(("_bisect", name) for name in ("insort_left", "insort_right")),
        *(("bisect", name) for name in ("insort", "insort_left", "insort_right")),
        ("_struct", "pack_into"),
    }
)

#: Functions in Python that bypass the methods of their arguments.
_COPYING: Final = frozenset({"copy", "json", "_pickle", "pickle", "dataclasses"})

#: Containers, and values, whose size in memory changes with how many there are in them, if at all.
_SIZED: Final = frozenset({list, dict, set, frozenset, tuple, int, float, bool, bytes, type(None)})

#: By which methods a slot gets at an attribute of an instance.
_DESCRIPTOR_METHODS: Final = {"__get__": _READ, "__set__": Op.WRITE, "__delete__": _RMW}

#: Kinds of callables with known effects.
_GETTERS: Final = frozenset(natives.GETTERS)


def method(
    run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None = None
) -> Any:
    """``thing.name(*args, **named)``. Gives what is called, if it is not instrumented and an attribute of ``thing``'s
    own: another thread may put something else there before the step of the call; or else `MISSING`."""
    kind = type(thing)
    _hand_on(run, thing, name, site, args, named)
    handler = operation(thing, name)
    if handler is not None:
        natives.operation_of(run, thing, name, handler, site, positional(thing, name, args, named or {}))
        if kind not in _IN_C:
            foreign.count_unexplored(run, thing, name, site)
        return None
    if kind is types.MemberDescriptorType and name in _DESCRIPTOR_METHODS and args:
        natives.by_name(run, (args[0], thing.__name__), site, _DESCRIPTOR_METHODS[name])
        return None
    if kind is super:
        found = getattr(thing, name, None)
        if found is not None:
            announce(run, found, site, args, named or {})
        return None
    if kind is str or kind is bytes:
        _text_method(run, name, site, args, named)
        return None
    _look_by_name(run, thing, name, site, args)
    how = classify(kind, name)
    if how is classification.NONE or how is classification.PROPERTY:
        return None
    if how is FOREIGN:
        own = dictionary(thing).get(name, MISSING)
        if own is MISSING:
            _native_method(run, thing, name, site, args, named or {})
        else:  # it hides the method of the class
            announce(run, own, site, args, named or {})
        return None
    if how is classification.REMADE:
        natives.made_again(run, thing, name, site)
        return None
    if how is not OPAQUE:
        if how is INSTANCE and run.is_recording:
            attributes.read(run, thing, name, site, how)
            return None
        attributes.read(run, thing, name, site, how)
    found = peek_attribute(thing, name)
    if found is not MISSING:
        kept = _kept(thing, name, found)
        _finish_look_up(run, thing, name, site, how, found)
        announce_found(run, thing, found, site, args, named or {})
        return kept
    if how is classification.COMPUTED and harmless.is_foreign_library(thing):
        foreign.call_foreign(run, name, site)
    return None


def _kept(thing: Any, name: str, found: Any) -> Any:
    """What is called, if looking it up again might give something else by then, and binds nothing; or else None."""
    look_up: Any = type(thing).__getattribute__
    if type(look_up) is not types.WrapperDescriptorType or look_up.__objclass__ in _LOOKING_ELSEWHERE:
        return None
    kind = type(found)
    if kind is staticmethod:
        found = found.__func__
        kind = type(found)
    elif hasattr(kind, "__get__") and (is_a(thing, type) or own_attribute(thing, name) is not found):
        return None
    if kind is types.FunctionType or (kind is types.MethodType and is_seen(found)):
        return None
    in_module = kind is types.BuiltinFunctionType and type(found.__self__) is types.ModuleType
    return None if in_module else found


#: Classes in C whose attributes are neither in their objects' dictionaries nor in slots.
_LOOKING_ELSEWHERE: Final = frozenset((threading.local, weakref.ProxyType, weakref.CallableProxyType, super))


def _finish_look_up(run: Any, thing: Any, name: str, site: int, how: Any, found: Any) -> None:
    """What is called is not called amid the look-up of it, unless a descriptor gives it."""
    plain = how is INSTANCE or how is LISTED or is_a(how, type)
    if plain and (name in dictionary(thing) or not hasattr(type(found), "__get__")):
        reentrant.finish(run, site)


def _hand_on(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None) -> None:
    """A method in C may expose a dictionary, or the bytes of its argument, or look at what functions give."""
    if name == "sort" and named:
        consulted.note(named.values())
    if name in classification.HANDING_OUT:
        natives.hand_out(name, (thing, *args))
    if name in definitions.HOLDING:
        definitions.hold(run, (thing, *args), site, f"{name}()", name in definitions.LASTING)
        if name == "tofile" and args and state_of(type(args[0])) and not run.is_recording:
            native_objects.access(run, args[0], _RMW, site)


def _look_by_name(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A method is called that looks at more than its object's class says."""
    if type(thing) is tuple or type(thing) in LAZY:
        deep_access.read(run, (thing, *args), site, comparing=True)
    elif name == "__subclasses__" and has_concurrent_threads(run):
        count_untracked(run, f"{name}()", site)
    elif name == "__dir__" and not run.is_recording:
        _list(run, (thing,), site)


def announce_found(run: Any, thing: Any, found: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A method is about to be called that was found for ``thing`` without binding it."""
    kind = type(found)
    if kind is types.FunctionType:
        if found.__code__.co_filename in sites.instrumented:
            return
        owned = not is_a(thing, (type, types.ModuleType)) and found is not dictionary(thing).get(found.__name__)
        announce(run, found, site, (thing, *args) if owned else args, named)
    elif kind is staticmethod or kind is classmethod:
        announce(run, found.__func__, site, (thing, *args) if kind is classmethod else args, named)
    elif kind is functools.partialmethod:
        announce(run, found.func, site, (thing, *found.args, *args), {**found.keywords, **named})
    elif kind in _UNBOUND and not is_a(thing, type):
        announce(run, found, site, (thing, *args), named)
    elif kind is result_caches.CACHED and not is_a(thing, (type, types.ModuleType)):
        bound = all(found is not each for each in dictionary(thing).values())
        announce(run, found, site, (thing, *args) if bound else args, named)
    else:
        announce(run, found, site, args, named)


def announce(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """``function(*args, **named)``."""
    kind = type(function)
    if kind is types.FunctionType:
        if function.__code__.co_filename not in sites.instrumented:
            _function(run, function, site, args, named)
    elif kind is types.MethodType:
        inner = function.__func__
        if type(inner) is not types.FunctionType:
            announce(run, inner, site, (function.__self__, *args), named)
        elif inner.__code__.co_filename not in sites.instrumented:
            handler = operation(function.__self__, inner.__name__)
            if handler is not None:
                given = positional(function.__self__, inner.__name__, args, named)
                perform(run, site, handler, function.__self__, site, given)
                foreign.count_unexplored(run, function.__self__, inner.__name__, site)
            else:
                _function(run, inner, site, (function.__self__, *args), named)
    elif kind in _BOUND:
        if function.__name__ in classification.HANDING_OUT:
            natives.hand_out(function.__name__, (function.__self__, *args))
        _bound(run, function, site, args, named)
    elif kind is type or is_a(function, type):
        _class(run, function, site, args, named)
    else:
        if kind in _UNBOUND and function.__name__ in classification.HANDING_OUT:
            natives.hand_out(function.__name__, args)
        _other(run, function, kind, site, args, named)


def _function(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    identity = (function.__module__, function.__name__)
    if identity[0] == "weakref" and args and is_a(args[0], weakref.finalize) and not run.is_recording:
        natives.finaliser_used(run, args[0], site)
    if identity in _CHANGERS:
        _changer(run, site, args, named)
    elif harmless.root_of(function.__module__) in _COPYING and foreign.is_plain_reader(function):
        run.current.silent += 1
        consulted.note((*args, *named.values()))
        foreign.look_at(run, function, site, (*args, *named.values()))
    elif function.__module__ == "importlib.metadata" and function.__qualname__ == "EntryPoint.load" and args:
        natives.loaded(run, args[0], site)
    else:
        foreign.call(run, function, site, args, named)


def _changer(run: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    key = named.get("key")
    if key is not None and not is_seen(key) and not is_simple(key) and has_concurrent_threads(run):
        count_untracked(run, "a key in C of what keeps a list sorted", site)
    changed = next((each for each in args if sources(each)), None)
    handler = operation(changed, "clear")
    if handler is not None:
        inside = deep_access.inside(args)
        if inside and not run.is_recording:
            compare = lambda told: deep_access.read(told, inside, site, comparing=True)  # noqa: E731
            in_one_step(run, site, lambda told: handler(told, changed, site, ()), compare)
        else:
            perform(run, site, handler, changed, site, ())
    elif args and state_of(type(args[0])):
        native_objects.access(run, args[0], _RMW, site)


def _text_method(run: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None) -> None:
    given = (*args, *(named or {}).values())
    if name in ("format", "format_map"):
        definitions.look(run, given, site, f"{name}()", behind=True)
    deep_access.read(run, given, site, copying=name in ("format", "format_map"))


def _accesses_of_method(owner: Any, op: Op, given: tuple[Any, ...]) -> list[Access]:
    found = native_objects.accesses(owner, op) if not native_objects.is_output(owner) else []
    for each in given:
        found += foreign.anything_with(each)
    return found


def _native_method(run: Any, owner: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A method in C of an object that has a state."""
    if run.is_recording:
        run.current.silent += 1
        return
    if type(owner) is result_caches.CACHED and name == "cache_info":
        result_caches.asked_for_numbers(owner)
    if is_a(owner, BaseException):
        raising.method(run, owner, name, site, (*args, *named.values()))
        return
    definitions.hold_by_call(run, native_objects.root_of_class(type(owner)), name, (*args, *named.values()), site)
    if name == "throw":
        for each in [each for each in args if isinstance(each, BaseException)]:
            raising.raised(run, each, site)
    op = _READ if native_objects.is_read_by(owner, name) else _RMW
    given = (*args, *named.values())
    found = _accesses_of_method(owner, op, given)
    if type(owner) is types.GeneratorType:
        native_objects.follow(owner)
    elif name in classification.REMAKING and native_objects.is_stream(type(owner)) and has_concurrent_threads(run):
        count_untracked(run, f"{type(owner).__name__}.{name}()", site)  # it stores attributes
    elif type(owner) in native_objects.DRIVEN:
        native_objects.drive(run, owner, site)
    elif name == "resize":
        stop_watching(owner)  # NumPy refuses it otherwise
    elif name in definitions.DECODING and is_a(owner, io.TextIOWrapper):
        definitions.decode(run, owner, site, f"{name}()")
    run.current.silent += 1
    if not found or (len(found) == 1 and native_objects.is_own(run, found[0].target, site)):
        return
    spans = array_operations.spans(run, site, (owner, *given), name, args)
    since = array_operations.begin(run, spans, site) if spans else 0
    native_objects.visit(run, owner, found, functools.partial(_accesses_of_method, owner, op, given), site)
    if spans:
        array_operations.end(run, since, spans, site)


def _bound(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    owner, name = function.__self__, function.__name__
    if name == "__call__" and owner is not None and not is_a(owner, type):
        announce(run, owner, site, args, named)
        return
    if owner is None or type(owner) is types.ModuleType:
        _builtin(run, function, site, args, named)
        return
    if type(owner) is types.MemberDescriptorType and name in _DESCRIPTOR_METHODS:
        if args:
            natives.by_name(run, (args[0], owner.__name__), site, _DESCRIPTOR_METHODS[name])
        return
    if name in definitions.HOLDING:
        definitions.hold(run, (owner, *args), site, f"{name}()", name in definitions.LASTING)
    if is_a(owner, type):
        if name == "__subclasses__" and has_concurrent_threads(run):
            count_untracked(run, f"{name}()", site)
        elif name in SLOTS and not is_a(function, types.MethodWrapperType):
            natives.native_method(run, owner, name, site, args)
        else:
            deep_access.read(run, (*args, *named.values()), site)
        return
    if name in SLOTS or is_a(owner, BaseException) or shape_of(type(owner)).base is not None:
        natives.native_method(run, owner, name, site, positional(owner, name, args, named))
    elif state_of(type(owner)):
        _native_method(run, owner, name, site, args, named)
    elif type(owner) is str or type(owner) is bytes:
        _text_method(run, name, site, args, named)
    elif sources(owner) or is_a(owner, tuple):  # a view, or a tuple that is searched
        deep_access.read(run, (owner, *args), site, comparing=True)
    else:
        deep_access.read(run, (*args, *named.values()), site)


def _other(run: Any, function: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """What can be called and is neither a function nor a class."""
    if kind in _UNBOUND and args:
        _unbound(run, function, site, args, named)
    elif kind is functools.partial or is_a(function, functools.partial):
        announce(run, function.func, site, (*function.args, *args), {**function.keywords, **named})
    elif kind in _GETTERS:
        natives.get(run, function, site, args)
    elif kind is result_caches.CACHED:
        if result_caches.look_up(run, function, site, args, named):
            announce(run, function.__wrapped__, site, args, named)
    elif kind is staticmethod or kind is classmethod:
        announce(run, function.__func__, site, args, named)
    elif is_a(function, types.GenericAlias):
        announce(run, function.__origin__, site, args, named)
    else:
        _instance(run, function, kind, site, args, named)


def _instance(run: Any, thing: Any, kind: type, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """An object is called whose class says how."""
    called = next((each.__dict__["__call__"] for each in bases(kind) if "__call__" in each.__dict__), None)
    if type(called) is types.FunctionType:
        if called.__code__.co_filename not in sites.instrumented:
            if natives.is_reference(thing):
                natives.dereferenced(run, thing, site)
            _function(run, called, site, (thing, *args), named)
    elif natives.is_reference(thing):
        natives.dereferenced(run, thing, site)
    elif called is not None and type(called) not in _UNBOUND:
        announce(run, called, site, args, named)
    elif called is not None and kind is not KEY_MAKER:
        given = (thing, *args) if state_of(kind) else args
        if not foreign.holds_methods(run, thing):
            foreign.native(run, thing, site, given, named)
            return
        in_one_step(
            run,
            site,
            lambda told: foreign.native(told, thing, site, given, named),
            lambda told: foreign.call_held(told, thing, site),
        )


def _unbound(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """``dict.get(d, k)``: a method in C, with its object as the first argument."""
    owner, name = args[0], function.__name__
    if name == "__call__" and not is_a(owner, type):
        announce(run, owner, site, args[1:], named)
    elif name == "pack_into" and type(owner) is struct.Struct:
        _changer(run, site, args[1:], named)
    elif name == "__subclasses__" and has_concurrent_threads(run):
        count_untracked(run, f"{name}()", site)
    elif type(function) is types.ClassMethodDescriptorType:
        deep_access.read(run, args[1:], site)
    elif shape_of(type(owner)).base is None and name not in SLOTS and state_of(type(owner)):
        _native_method(run, owner, name, site, args[1:], named)
    else:
        natives.native_method(run, owner, name, site, positional(owner, name, args[1:], named))


def _class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if args:
        _give_to_class(run, kind, site, args, named)
    if kind in _READERS:
        _read(run, site, args, named)
        return
    if kind is type:
        if len(args) > 1:
            _read(run, site, args, named)
        return
    if id(kind) in _MAKING:
        return
    if is_a(kind, type) and issubclass(kind, weakref.ref) and len(args) > 1 and not is_seen(args[1]):
        callback = args[1]
        if callback is not None and not run.is_recording:
            natives.watch_with(args[0], lambda told: announce(told, callback, site, (), {}))
        return
    if kind is weakref.ref or kind is weakref.WeakMethod:
        return  # a callback that is instrumented reports its own steps
    if kind is types.FunctionType and len(args) > 1:
        _make_function(run, args[0], args[1], site)
        return
    if is_a(kind, type) and issubclass(kind, weakref.finalize) and len(args) > 1 and not is_seen(args[1]):
        function, given = args[1], args[2:]
        if not run.is_recording:
            natives.watch_with(args[0], lambda told: announce(told, function, site, given, named), several=True)
        return
    shape_of(kind)
    meta = type(kind)
    shape_of(meta)
    called = next((each.__dict__["__call__"] for each in bases(meta) if "__call__" in each.__dict__), None)
    if type(called) is types.FunctionType and called.__code__.co_filename not in sites.instrumented:
        if harmless.root_of(called.__module__) != "enum":
            _function(run, called, site, (kind, *args), named)
        else:
            deep_access.read(run, (*args, *named.values()), site)
    for name in ("__new__", "__init__"):
        _constructor(run, kind, name, site, args, named)


def _give_to_class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """What the call of a class does with its arguments beside what it reads in them."""
    if not native_objects.is_in_python(kind):
        consulted.note((*args, *named.values()))
    if kind is memoryview:
        definitions.hold(run, (*args, *named.values()), site, "a memoryview")
    if is_a(kind, type) and issubclass(kind, type) and len(args) > 2 and is_a(args[1], tuple) and is_a(args[2], dict):
        look_at_class((kind, *args[1]), args[2])


def _make_function(run: Any, code: Any, space: Any, site: int) -> None:
    """A function is made of another one's code, with globals of its own: its hooks name them like the module's."""
    if is_a(code, types.CodeType) and code.co_filename in sites.instrumented and is_a(space, dict):
        module = sys.modules.get(space.get("__name__", ""))
        if module is None or vars(module) is not space:
            count_untracked(run, "types.FunctionType() with other globals", site)


def _constructor(run: Any, kind: type, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """The effects of making an object: no other thread has the new one."""
    for each in bases(kind):
        found = each.__dict__.get(name)
        if found is None:
            continue
        function = found.__func__ if type(found) is staticmethod else found
        if type(function) is types.FunctionType:
            if function.__code__.co_filename not in sites.instrumented:
                _function(run, function, site, args, named)
        elif each is not object and (args or named):
            given = [value for value in (*args, *named.values()) if type(value) not in deep_access.PLAIN]
            if given and shape_of(each).base is not None:
                _read(run, site, args, named)
            elif given:  # an error keeps what it is made of, and looks no further
                deep_access.read(run, given, site, shallow=issubclass(each, BaseException))
        return


def _builtin(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if function is not _next:
        consulted.note((*args, *named.values()))
    if function is print and not run.is_recording:
        in_one_step(
            run,
            site,
            lambda told: _read(told, site, args, named, function),
            lambda told: natives.printed(told, args, named, site),
        )
    elif function in _READERS:
        _read(run, site, args, named, function)
    elif function is len and args:
        measure(run, args[0], site)
    elif function is getattr or function is hasattr:
        natives.by_name(run, args, site, Op.READ)
    elif function is setattr:
        natives.by_name(run, args, site, Op.WRITE)
    elif function is delattr:
        natives.by_name(run, args, site, Op.RMW)
    elif function is vars and args:
        adopt_namespace(args[0])
    elif function is dir and not run.is_recording:
        _list(run, args, site)
    elif function in _EVALUATING:
        seen = args and is_a(args[0], types.CodeType) and args[0].co_filename in sites.instrumented
        if not seen or (len(args) > 1 and is_a(args[1], dict) and "__name__" in args[1]):
            count_untracked(run, f"{function.__name__}()", site)
    elif function is _next and args:
        get_on(run, args[0], site)
    elif function is _iter and args:
        if len(args) == 1:
            begin(run, args[0], site)
    else:
        _of_module(run, function, site, args, named)


def _list(run: Any, given: tuple[Any, ...], site: int) -> None:
    """Which attributes an object has is looked at; of none, which variables there are."""
    if not given:
        if has_concurrent_threads(run):
            count_untracked(run, "dir()", site)
        return
    thing = given[0]
    if is_a(thing, types.ModuleType):
        if has_concurrent_threads(run):
            count_untracked(run, f"dir({thing.__name__})", site)
        return
    definitions.look(run, (thing,), site, "dir()", behind=True)
    if is_a(thing, type):
        return
    says = next((each.__dict__["__dir__"] for each in bases(type(thing)) if "__dir__" in each.__dict__), None)
    if type(says) is types.FunctionType and has_concurrent_threads(run):
        count_untracked(run, f"what {type(thing).__name__}.__dir__() gives", site)  # which is copied
    space = dictionary(thing)
    if type(space) is dict:
        adopt_namespace(thing)
        read_structure(run, space, site)


def _of_module(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A function in C of a module of the library."""
    module, name = function.__module__, function.__name__
    if harmless.is_untraceable(module, name) and has_concurrent_threads(run):
        count_untracked(run, f"{module}.{name}()", site)
    elif (module, name) in _CHANGERS:
        _changer(run, site, args, named)
    elif module == "_collections" and name == "_count_elements" and is_a(args[0], dict):
        perform(run, site, OPERATIONS[Counter]["update"], args[0], site, args[1:2])
    elif module == "_functools" and name == "reduce" and len(args) > 1:
        perform(run, site, _reduce, args[0], args[1], site)
    elif module == "_weakref" and name == "_remove_dead_weakref" and len(args) > 1 and type(args[0]) is dict:
        natives.remove_dead(run, args[0], args[1], site)
    elif module == "sys" and name == "getsizeof" and args and _is_sized_by_structure(args[0]):
        measure(run, args[0], site)
    elif module == "_operator" and name == "call" and args:
        announce(run, args[0], site, args[1:], named)
    elif module == "_operator":
        natives.operate(run, name, site, args)
    else:
        foreign.native(run, function, site, args, named)


def _is_sized_by_structure(thing: Any) -> bool:
    """Whether nothing but how much is in it changes an object's size in memory. Texts keep their bytes once somebody
    has asked for them, unless they are their own."""
    return type(thing) in _SIZED or (type(thing) is str and thing.isascii())


def _read(
    run: Any, site: int, args: tuple[Any, ...], named: dict[str, Any] | None = None, function: Any = None
) -> None:
    """All of each argument is read, and the reads of a key function in C for each element."""
    more: tuple[Access, ...] = ()
    if function in _WITH_KEY and named and named.get("key") is not None and args:
        more = effects_of_calls(announce, named["key"], args[0] if len(args) == 1 else args, site)
        if (
            len(args) == 1
            and type(args[0]) is types.GeneratorType
            and _goes_in(named["key"])
            and has_concurrent_threads(run)
        ):
            count_untracked(run, "a key in C of what a generator gives", site)
    given = (*args, *(named or {}).values())
    if function in _DESCRIBING:
        definitions.look(run, given, site, f"{function.__name__}()")
    compares_results = bool(named) and named is not None and is_seen(named.get("key"))
    behind = function in _WITH_KEY and bool(named) and gives_containers((named or {}).get("key"))
    inside = [] if function not in _DEEP or compares_results else deep_access.inside(given)
    if function in (min, max) and len(args) > 1 and not compares_results:
        inside = [*inside, *[each for each in args if type(each) not in deep_access.PLAIN]]
    if inside and not run.is_recording:
        in_one_step(
            run,
            site,
            lambda told: _read_once(told, site, given, more),
            lambda told: deep_access.read(
                told, inside, site, copying=behind, comparing=function in _COMPARING and not behind
            ),
        )
    else:
        perform(run, site, _read_once, site, given, more)


def _goes_in(key: Any) -> bool:
    """Whether a key function reads its argument's content, without reporting that."""
    return type(key) in _GETTERS or any(key is each for each in (len, repr, ascii)) or not is_simple(key)


def _read_once(run: Any, site: int, args: tuple[Any, ...], more: tuple[Access, ...] = ()) -> None:
    found = [container for each in args for container in reached(each)]
    reads = [access for each in found for access in contents(each)]
    if not run.is_recording:
        for each in args:
            reads += moved(run, each, site)
            if not found and state_of(type(each)) and shape_of(type(each)).base is None:
                reads += native_objects.accesses(each, _READ)
    reads += more
    if found:
        emit_reads(run, found, reads, site)
    elif reads:
        native_objects.label(run, None, reads)
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))


def use(run: Any, thing: Any, site: int) -> None:
    """All of ``thing`` is read, and its content."""
    if sites.kind_of(site) == "match":
        definitions.look(run, (thing,), site, "a pattern", behind=True)
    elif type(thing) is types.FunctionType or type(thing) is types.MethodType:
        definitions.look(run, (thing,), site, "its description")
    deep_access.read(run, (thing,), site)


def consume(run: Any, thing: Any, site: int) -> None:
    """A builtin iterates over ``thing``, or searches in it."""
    known = sites.site(site)
    searches = known is not None and known.kind == "search"
    if known is not None and (searches or known.name in _DEEP_NAMES) and not run.is_recording:
        inside = deep_access.inside((thing,))
        if inside and sources(thing):
            in_one_step(
                run,
                site,
                lambda told: go_through(told, thing, site),
                lambda told: deep_access.read(told, inside, site, comparing=searches or known.name in _COMPARING_NAMES),
            )
            return
    go_through(run, thing, site)


def _reduce(run: Any, function: Any, items: Any, site: int) -> None:
    _go_through(run, items, site, effects_of_calls(announce, function, items, site, pairs=True))


def go_through(run: Any, thing: Any, site: int, more: tuple[Access, ...] = ()) -> None:
    """``thing`` is iterated in one step: of a dictionary that reads the keys."""
    perform(run, site, _go_through, thing, site, more)


def _go_through(run: Any, thing: Any, site: int, more: tuple[Access, ...]) -> None:
    found = cursors(thing)
    reads: list[Access] = []
    if found:
        reads = [access for each, over in found for access in contents(each, keys_only(over))]
    if not run.is_recording:
        reads += moved(run, thing, site)
        if not found:
            reads += [access for each in reached(thing) for access in contents(each)]
        if not found and operation(thing, "__iter__") is None:
            reads += _iterated(run, thing, site)
    reads += more
    if found:
        emit_reads(run, [each for each, _ in found], reads, site)
    elif reads:
        native_objects.label(run, thing, reads)
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))
    if not found or hasattr(type(thing), "__next__"):
        may_get_on(run, thing)
        foreign.count_if_shared(run, thing, "__next__", site)  # which gets on in more than one step
    looks = operation(thing, "__iter__")
    if looks is not None:
        looks(run, thing, site, ())


def _iterated(run: Any, thing: Any, site: int) -> list[Access]:
    """What making and using up an iterator over an object without a model reads and writes."""
    kind = type(thing)
    if kind in _IDLE or not state_of(kind):
        return []
    if kind is types.GeneratorType:
        return []
    if is_python_iterable(kind):
        return []
    return native_objects.accesses(thing, _RMW if hasattr(kind, "__next__") else _READ)


def is_python_iterable(kind: type) -> bool:
    """Whether instrumented code defines the iteration over objects of a class."""
    found = next((each.__dict__["__iter__"] for each in bases(kind) if "__iter__" in each.__dict__), None)
    return type(found) is types.FunctionType and found.__code__.co_filename in sites.instrumented


def get_on(run: Any, thing: Any, site: int) -> None:
    """``next(thing)``."""
    run.current.silent += 1  # an iterator that gets on is not seen to
    if run.is_recording:
        return
    behind = iterators(thing)
    if not behind:
        operate_on(run, thing, "__next__", site)
        return
    perform(run, site, _get_on, thing, site)


def _get_on(run: Any, thing: Any, site: int) -> None:
    found = moved(run, thing, site)
    found += [access for each in reached(thing) for access in contents(each)]
    if found:
        native_objects.label(run, thing, found)
        run.visit(found[0].op, found[0].target, site, None, tuple(found[1:]))


def moved(run: Any, thing: Any, site: int) -> list[Access]:
    """The iterators that going through ``thing`` moves are about to get on: what that reads and writes."""
    behind = iterators(thing)
    found = native_objects.moved(run, behind, site)
    for each in behind:
        if type(each) is types.GeneratorType:
            found += foreign.driven(run, each, site)
        elif type(each) in CALLING:
            consulted.note((each,))
            found += effects_of_moving(announce, each, site)
        elif takes_unseen(each) and has_concurrent_threads(run):
            count_untracked(run, "what itertools.chain.from_iterable() gets from an iterator", site)
    for each in others(thing) if behind else ():
        if shape_of(type(each)).base is not None or state_of(type(each)) == NATIVE:
            found += native_objects.accesses(each, _READ)
        elif state_of(type(each)) == native_objects.FOREIGN and hasattr(type(each), "__next__"):
            found += native_objects.accesses(each, _RMW)
            foreign.count_if_shared(run, each, "__next__", site)
    return found


moving.append(moved)
calling.append(announce)


def may_get_on(run: Any, thing: Any) -> None:
    """Going through an iterator uses it up: a loop that does is not idle."""
    if type(thing) not in _IDLE:
        run.current.silent += 1


def begin(run: Any, thing: Any, site: int) -> None:
    """An iterator over ``thing`` is about to be made."""
    found = cursors(thing)
    begun = begin_reads(found)
    if begun:
        emit_reads(run, [container for container, _ in found], begun, site)
    elif not found and type(thing) not in VALUES:
        operate_on(run, thing, "__iter__", site)


def measure(run: Any, thing: Any, site: int) -> None:
    """How many there are is looked at."""
    handler = operation(thing, "__len__")
    if handler is not None:
        handler(run, thing, site, ())
        return
    found = sources(thing)
    for container in found:
        read_structure(run, container, site)
    if not found:
        operate_on(run, thing, "__len__", site)


def operate_on(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...] = ()) -> None:
    """An operator or a protocol's method of an object that is no container: its state is read, or also written."""
    kind = type(thing)
    if kind in deep_access.PLAIN or run.is_recording:
        return
    if native_objects.is_proxy(kind) and has_concurrent_threads(run):
        count_untracked(run, f"{name} by way of a proxy", site)
    if kind is types.MappingProxyType or not state_of(kind):
        return
    how = classify(kind, name)
    if how is FOREIGN:
        _native_method(run, thing, name, site, args, {})
    elif how is OPAQUE:
        found = peek_attribute(kind, name)
        if type(found) is types.FunctionType:
            foreign.call(run, found, site, (thing, *args), {})
    elif how is BESIDE_STATE and name in ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__"):
        native_objects.access(run, thing, _RMW, site)


def search(run: Any, thing: Any, key: Any, site: int) -> None:
    """``key in thing`` is about to be decided by an object that is no container of a kind that is known."""
    if operation(thing, "__iter__") is not None or run.is_recording:
        return
    kind = type(thing)
    if hasattr(kind, "__contains__"):
        operate_on(run, thing, "__contains__", site, (key,))
    else:
        go_through(run, thing, site)


def combine(run: Any, left: Any, right: Any, site: int) -> None:
    """Both operands are looked at."""
    if left is right and shape_of(type(left)).base is not None and sites.kind_of(site) == "compare":
        return
    if type(left) in VALUES and type(right) in VALUES:
        return
    if run.is_recording and (type(left) in VALUES or type(right) in VALUES):
        return
    spans = array_operations.spans(run, site, (left, right))
    since = array_operations.begin(run, spans, site) if spans else 0
    deep_access.read(run, (left, right), site)
    if spans:
        array_operations.end(run, since, spans, site)
    for each in (left, right):
        if type(each) not in deep_access.PLAIN and type(each) not in _IN_C:
            foreign.count_if_shared(run, each, "an operator", site)
            for name in _OPERATORS if shape_of(type(each)).base is not None else ():
                foreign.count_unexplored(run, each, name, site)


def _accesses_of_operator(left: Any, right: Any, op: Op) -> list[Access]:
    found = native_objects.accesses(left, op)
    return found + (foreign.anything_with(right) if state_of(type(right)) else deep_access.contents_of(right))


def augment(run: Any, left: Any, right: Any, name: str, site: int) -> None:
    """``left`` is changed in place, if it is a container that can be; else both are looked at."""
    handler = operation(left, name)
    if handler is not None:
        perform(run, site, handler, left, site, (right,))
        if type(left) not in _IN_C:
            foreign.count_unexplored(run, left, name, site)
    elif type(left) not in deep_access.PLAIN and not run.is_recording and state_of(type(left)):
        in_place = any(name in each.__dict__ for each in bases(type(left)))
        find = functools.partial(_accesses_of_operator, left, right, _RMW if in_place else _READ)
        spans = array_operations.spans(run, site, (left, right), name)
        since = array_operations.begin(run, spans, site) if spans else 0
        native_objects.visit(run, left, find(), find, site)
        if spans:
            array_operations.end(run, since, spans, site)
        foreign.count_if_shared(run, left, name, site)
    elif type(left) is not tuple or type(right) is not tuple:  # their elements are passed on without a hook
        combine(run, left, right, site)
