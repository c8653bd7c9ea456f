"""The reads and writes of calls, by kind of callable, of functions that are not instrumented themselves.

Methods of containers and the builtins that look at containers are accesses to them (:mod:`containers`). ``getattr`` and
its like are attribute accesses. Functions known to change their first argument (``heapq.heappush``) change it;
functions that call a function in C for each element (``sorted`` with a key) have the accesses of these calls. An object
without a model has one state (:mod:`native_objects`), and so has a package that is not instrumented (:mod:`foreign`).
The accesses of builtins to their arguments are in :mod:`operators`.

Cost: half a microsecond for a call of the program's own functions.
"""

from __future__ import annotations

import functools
import operator
import struct
import sys
import threading
import types
import weakref
from collections import Counter
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    attributes,
    classification,
    consulted,
    context_calls,
    deep_access,
    definitions,
    ends_of_objects,
    entered_contexts,
    executed_code,
    foreign,
    harmless,
    native_objects,
    natives,
    reentrant,
    result_caches,
    weak_registries,
)
from mazurka.program.python.semantics.class_shapes import OPERATIONS, look_at_class, operation, shape_of
from mazurka.program.python.semantics.classification import (
    BOUND,
    FOREIGN,
    INSTANCE,
    LISTED,
    OPAQUE,
    classify,
)
from mazurka.program.python.semantics.containers import SLOTS, positional, read_structure
from mazurka.program.python.semantics.gathering import (
    KEY_MAKER,
    in_one_step,
    is_seen,
    is_simple,
)
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import bases, contents, perform
from mazurka.program.python.semantics.native_objects import state_of
from mazurka.program.python.semantics.objects import (
    MISSING,
    adopt_namespace,
    dictionary,
    is_a,
    own_attribute,
    peek_attribute,
)
from mazurka.program.python.semantics.operators import (
    GETTERS,
    IN_C,
    begin,
    get_on,
    measure,
    native_method,
    read_arguments,
    reduce,
)
from mazurka.program.python.semantics.shapes import calling
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.python.semantics.views import (
    LAZY,
    sources,
)
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.event import Op

_READ, _RMW = Op.READ, Op.RMW

_iter, _next = iter, next  # programs may replace the builtins

#: Kinds of callables with known effects.
_BOUND: Final = (*BUILTIN_METHODS, types.MethodWrapperType)
_UNBOUND: Final = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)

#: Builtins that run code which is not instrumented.
_EVALUATING: Final = frozenset({exec, eval})

#: Builtins that read the whole content of their arguments.
_READERS: Final = frozenset(
    (
        *(list, tuple, set, frozenset, dict, sorted, sum, min, max, any, all),
        *(str, repr, bytes, bytearray, print, format, ascii),
    )
)

#: Classes whose call has no effect that threads could notice, by identity: a metaclass may define equality.
_MAKING: Final = frozenset(map(id, (zip, map, filter, enumerate, reversed, object, super)))

#: Modules whose functions open files without the model of ``open``, since imports and reports use them.
_SPARED: Final = frozenset({"linecache", "tokenize"})

#: Functions of `heapq`, some of which have a variant for heaps with the largest element first.
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

#: Containers, and values, whose size in memory changes with the number of their elements only, if at all.
_SIZED: Final = frozenset({list, dict, set, frozenset, tuple, int, float, bool, bytes, type(None)})

#: The methods by which a slot accesses an attribute of an instance.
_DESCRIPTOR_METHODS: Final = {"__get__": _READ, "__set__": Op.WRITE, "__delete__": _RMW}


def method(
    run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None = None
) -> Any:
    """``thing.name(*args, **named)``. Returns the callee if it is not instrumented and an attribute of ``thing``
    itself, since another thread may replace it before the step of the call; or else `MISSING`."""
    kind = type(thing)
    if context_calls.is_entering(thing, name):
        return context_calls.entering(thing, site, announce)
    _hand_on(run, thing, name, site, args, named)
    handler = operation(thing, name)
    if handler is not None:
        if name == "add" and weak_registries.is_only_filled(run, thing, args, named):
            return None
        natives.operation_of(run, thing, name, handler, site, positional(thing, name, args, named or {}))
        if kind not in IN_C:
            foreign.count_unexplored(run, thing, name, site, args)
        return None
    if kind is types.MemberDescriptorType and name in _DESCRIPTOR_METHODS and args:
        natives.by_name(run, (args[0], thing.__name__), site, _DESCRIPTOR_METHODS[name])
        return None
    if kind is super:
        attributes.read(run, thing, name, site, classification.OF_BASES)
        found = getattr(thing, name, None)
        if found is not None:
            announce(run, found, site, args, named or {})
        return None
    if kind is str or kind is bytes:
        _text_method(run, name, site, args, named)
        return None
    _look_by_name(run, thing, name, site, args)
    how = classify(kind, name)
    if type(how) is int and how in _REPORTED_AT_LOOK_UP:  # a class may have no hash
        _report_at_look_up(run, thing, name, site, how, args, named or {})
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


#: How those methods are found whose effects are all reported when the method is looked up.
_REPORTED_AT_LOOK_UP: Final = frozenset(
    (classification.NONE, classification.PROPERTY, classification.REMADE, classification.FOREIGN)
)


def _report_at_look_up(
    run: Any, thing: Any, name: str, site: int, how: Any, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    if how is classification.PROPERTY:
        attributes.read(run, thing, name, site, how)
    elif how is classification.REMADE:
        natives.made_again(run, thing, name, site)
    elif how is FOREIGN:
        own = dictionary(thing).get(name, MISSING)
        if own is MISSING:
            native_method(run, thing, name, site, args, named)
        else:  # it hides the method of the class
            announce(run, own, site, args, named)


def _kept(thing: Any, name: str, found: Any) -> Any:
    """The callee, if a second look-up might find another one, and binds nothing; or else None."""
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
    """Finish the step of a look-up: a method is called after it, unless a descriptor returns the method."""
    plain = how is INSTANCE or how is LISTED or how is BOUND or is_a(how, type)
    if plain and (name in dictionary(thing) or not hasattr(type(found), "__get__")):
        reentrant.finish(run, site)


def _hand_on(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None) -> None:
    """A method in C may expose a dictionary, or the bytes of its argument, or look at the results of functions."""
    if name == "sort" and named:
        consulted.note(named.values())
    if name in classification.HANDING_OUT:
        natives.hand_out(name, (thing, *args))
    if name in definitions.HOLDING:
        definitions.hold(run, (thing, *args), site, f"{name}()", name in definitions.LASTING)
        if name == "tofile" and args and state_of(type(args[0])) and not run.is_recording:
            native_objects.access(run, args[0], _RMW, site)


def _look_by_name(run: Any, thing: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A method is called that looks at more than the rules for its object's class say."""
    if type(thing) is tuple or (type(thing) in LAZY and name != "__next__"):
        deep_access.read(run, (thing, *args), site, comparing=True)
    elif name in deep_access.DESCRIBING and is_a(thing, deep_access.SHOWING):
        deep_access.read(run, (thing,), site)
    elif classification.describes_by_repr(type(thing), name):
        deep_access.read(run, (thing,), site, describing=True)
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
        _read_keywords(run, found, site)
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
    handler = _operation_by(function, args[0]) if args else None
    if handler is not None:  # a method of a container
        given = positional(args[0], identity[1], args[1:], named)
        natives.operation_of(run, args[0], identity[1], handler, site, given)
        foreign.count_unexplored(run, args[0], identity[1], site, args[1:])
        return
    if identity[0] == "weakref" and args and is_a(args[0], weakref.finalize) and not run.is_recording:
        natives.finaliser_used(run, args[0], site)
    if identity[0] in _SPARED and has_concurrent_threads(run):
        count_untracked(run, f"{identity[0]}.{identity[1]}()", site)
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


def _operation_by(function: Any, thing: Any) -> Any:
    """The handler of a method in Python of a container of the library, which a derived class may call by `super`."""
    base, name = shape_of(type(thing)).base, function.__name__
    handler = operation(thing, name)
    if handler is not None and peek_attribute(type(thing), name) is function:
        return handler
    return OPERATIONS[base].get(name) if base is not None and peek_attribute(base, name) is function else None


def _changer(run: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    key = named.get("key")
    if key is not None and not is_seen(key) and not is_simple(key) and has_concurrent_threads(run):
        count_untracked(run, "a key in C of a function that keeps a list sorted", site)
    changed = next((each for each in args if shape_of(type(each)).base is not None), None)
    base = shape_of(type(changed)).base
    handler = None if base is None else OPERATIONS[base].get("clear")  # a function in C goes past methods of a subclass
    if handler is None:
        for each in [each for each in args if state_of(type(each))]:
            native_objects.access(run, each, _RMW, site)
        if args and classification.is_computed(args[0], "insert") and has_concurrent_threads(run):
            count_untracked(
                run, f"{type(args[0]).__name__}.insert(), called by a function that keeps a list sorted", site
            )
        return
    inside = deep_access.inside(args)
    if inside and not run.is_recording:
        compare = lambda part: deep_access.read(part, inside, site, comparing=True)  # noqa: E731
        in_one_step(run, site, lambda part: handler(part, changed, site, ()), compare)
    else:
        perform(run, site, handler, changed, site, ())


def _text_method(run: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any] | None) -> None:
    given = (*args, *(named or {}).values())
    if name in ("format", "format_map"):
        definitions.look(run, given, site, f"{name}()", behind=True)
    deep_access.read(run, given, site, copying=name in ("format", "format_map"))


def _bound(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    owner, name = function.__self__, function.__name__
    if name == "__call__" and owner is not None and not is_a(owner, type):
        announce(run, owner, site, args, named)
        return
    if context_calls.is_entering(owner, name):
        context_calls.enter(run, owner, site, args, named, announce)
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
    if classification.changes_arguments(type(owner), name):
        natives.change_arguments(run, (*args, *named.values()), site)
        return
    copied = name in natives.COPYING and not state_of(type(owner))
    if copied or name in SLOTS or is_a(owner, BaseException) or shape_of(type(owner)).base is not None:
        natives.native_method(run, owner, name, site, positional(owner, name, args, named))
    elif state_of(type(owner)):
        native_method(run, owner, name, site, args, named)
    elif type(owner) is str or type(owner) is bytes:
        _text_method(run, name, site, args, named)
    elif sources(owner) or is_a(owner, tuple):  # a view, or a tuple that is searched
        deep_access.read(run, (owner, *args), site, comparing=True)
    else:
        deep_access.read(run, (*args, *named.values()), site)


_PARTIAL: Final = frozenset((functools.partial, functools.partialmethod))


def _read_keywords(run: Any, function: Any, site: int) -> None:
    """A partial is about to read its dictionary of keywords, and to call a function. If this is instrumented, the
    reading is a step of its own, right before it; otherwise it is part of one that comes later."""
    if run.is_recording:
        return
    if is_seen(function.func) and type(function) in _PARTIAL:
        reads = contents(function.keywords)
        run.visit(_READ, reads[0].target, site, None, tuple(reads[1:]))
    elif function.keywords:
        consulted.hold_keywords(run, function, site)


def _other(run: Any, function: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A callable that is neither a function nor a class."""
    if kind in _UNBOUND and args:
        _unbound(run, function, site, args, named)
    elif kind is functools.partial or is_a(function, functools.partial):
        _read_keywords(run, function, site)
        announce(run, function.func, site, (*function.args, *args), {**function.keywords, **named})
    elif kind is operator.methodcaller:
        if args:
            _call_by_name(run, args[0], site, *natives.called_by(function))
    elif kind in GETTERS:
        natives.get(run, function, site, args)
    elif kind is result_caches.CACHED:
        if result_caches.look_up(run, function, site, args, named):
            announce(run, function.__wrapped__, site, args, named)
    elif kind is staticmethod or kind is classmethod:
        announce(run, function.__func__, site, args, named)
    elif is_a(function, types.GenericAlias) or classification.is_alias_of_typing(kind):
        announce(run, function.__origin__, site, args, named)
    else:
        _instance(run, function, kind, site, args, named)


def _call_by_name(run: Any, thing: Any, site: int, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Code in C is about to call ``thing.name(*args, **named)``."""
    if context_calls.is_entering(thing, name):
        context_calls.enter(run, thing, site, args, named, announce)
        return
    natives.count_computed(run, thing, name, site)
    method(run, thing, name, site, args, named)


def _instance(run: Any, thing: Any, kind: type, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """An object is called whose class has a method for calls."""
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
            lambda part: foreign.native(part, thing, site, given, named),
            lambda part: foreign.call_held(part, thing, site),
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
        native_method(run, owner, name, site, args[1:], named)
    else:
        natives.native_method(run, owner, name, site, positional(owner, name, args[1:], named))


def _class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if args:
        _give_to_class(run, kind, site, args, named)
    if kind in _READERS:
        read_arguments(run, site, args, named, kind)
        return
    if kind is type:
        if len(args) > 1:
            read_arguments(run, site, args, named)
        return
    if id(kind) in _MAKING:
        return
    if issubclass(kind, (weakref.ref, weakref.finalize)):
        calls_back = len(args) > 1 and args[1] is not None
        if calls_back and not run.is_recording:
            _called_at_end(run, kind, site, args, named)
        if kind in (weakref.ref, weakref.WeakMethod) or (calls_back and not is_seen(args[1])):
            return
    if kind is types.FunctionType and len(args) > 1:
        _make_function(run, args[0], args[1], site)
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


def _called_at_end(run: Any, kind: type, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A weak reference, or a finaliser, is made of an object, with a function that is called at the object's end."""
    thing, function, given = args[0], args[1], args[2:]
    if is_seen(function):
        ends_of_objects.watch(thing)
    elif issubclass(kind, weakref.ref):
        natives.watch_with(thing, lambda in_run: announce(in_run, function, site, (), {}))
    else:
        natives.watch_with(thing, lambda in_run: announce(in_run, function, site, given, named), several=True)


def _give_to_class(run: Any, kind: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """The effects of a class's call on its arguments beside reads of their content."""
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
            if foreign.is_made(function):
                foreign.construct(run, function, site, (*args, *named.values()))
            elif function.__code__.co_filename not in sites.instrumented:
                _function(run, function, site, args, named)
        elif each is not object and (args or named):
            given = [value for value in (*args, *named.values()) if type(value) not in deep_access.PLAIN]
            if given and shape_of(each).base is not None:
                read_arguments(run, site, args, named, dict if issubclass(each, dict) else None)
            elif given:  # an error keeps its arguments, and does not look into them
                deep_access.read(run, given, site, shallow=issubclass(each, BaseException))
        return


def _builtin(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    if function is not _next:
        consulted.note((*args, *named.values()))
    if function is print and not run.is_recording:
        in_one_step(
            run,
            site,
            lambda part: read_arguments(part, site, args, named, function),
            lambda part: natives.printed(part, args, named, site),
        )
    elif function in _READERS:
        read_arguments(run, site, args, named, function)
    elif function is len and args:
        measure(run, args[0], site)
    elif function is getattr or function is hasattr:
        natives.by_name(run, args, site, Op.READ)
    elif function is setattr:
        natives.by_name(run, args, site, Op.WRITE)
    elif function is delattr:
        natives.by_name(run, args, site, Op.RMW)
    elif function is vars and args:
        natives.given_dictionary(run, args[0], site)
    elif function is dir and not run.is_recording:
        _list(run, args, site)
    elif function in _EVALUATING:
        seen = args and is_a(args[0], types.CodeType) and args[0].co_filename in sites.instrumented
        if not seen or named or not executed_code.stores(run, args[0], args[1:], site):
            count_untracked(run, f"{function.__name__}()", site)
    elif function is _next and args:
        get_on(run, args[0], site)
    elif function is _iter and args:
        if len(args) == 1:
            begin(run, args[0], site)
    else:
        _of_module(run, function, site, args, named)


def _list(run: Any, given: tuple[Any, ...], site: int) -> None:
    """``dir``: reads the set of an object's attributes; without an argument, the set of variables."""
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
        count_untracked(run, f"the result of {type(thing).__name__}.__dir__()", site)  # which is copied
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
        perform(run, site, reduce, args[0], args[1], site)
    elif module == "_weakref" and name == "_remove_dead_weakref" and len(args) > 1 and type(args[0]) is dict:
        natives.remove_dead(run, args[0], args[1], site)
    elif module == "sys" and name == "getsizeof" and args and _is_sized_by_structure(args[0]):
        measure(run, args[0], site)
    elif module == "decimal" and name in ("getcontext", "setcontext"):
        foreign.native(run, function, site, args, named)
        entered_contexts.calculates_with(args[0] if args else function(), run.current)
    elif module == "_operator" and name == "call" and args:
        announce(run, args[0], site, args[1:], named)
    elif module == "_operator":
        natives.operate(run, name, site, args)
    else:
        foreign.native(run, function, site, args, named)


def _is_sized_by_structure(thing: Any) -> bool:
    """Whether an object's size in memory depends on the number of its elements only. Texts keep their bytes in UTF-8
    once these were asked for, unless the text itself has this form."""
    return type(thing) in _SIZED or (type(thing) is str and thing.isascii())


calling.append(announce)
