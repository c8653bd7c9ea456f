"""The reads and writes of operators, iteration, membership and length, of objects that are not instrumented.

Also of the methods in C of objects that have a state, which operators call, and of builtins that read all of
their arguments. Containers have handlers (:mod:`containers`); an object without a model has one state
(:mod:`native_objects`).

Cost: a microsecond for a builtin that goes through a container, and more for each iterator behind it.
"""

from __future__ import annotations

import functools
import io
import types
from collections import ChainMap, Counter, UserDict
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    additions,
    array_operations,
    classification,
    consulted,
    deep_access,
    definitions,
    foreign,
    handed_objects,
    harmless,
    native_objects,
    natives,
    raising,
    result_caches,
)
from mazurka.program.python.semantics.class_shapes import operation, shape_of
from mazurka.program.python.semantics.classification import (
    BESIDE_STATE,
    FOREIGN,
    OPAQUE,
    classify,
)
from mazurka.program.python.semantics.containers import read_structure
from mazurka.program.python.semantics.gathering import (
    CALLING,
    effects_of_calls,
    effects_of_moving,
    gives_containers,
    in_one_step,
    is_seen,
    is_simple,
)
from mazurka.program.python.semantics.locations import BASES, bases, contents, emit_reads, perform
from mazurka.program.python.semantics.native_objects import NATIVE, state_of
from mazurka.program.python.semantics.objects import (
    is_a,
    peek_attribute,
    stop_watching,
)
from mazurka.program.python.semantics.shapes import calling
from mazurka.program.python.semantics.untracked import count_untracked
from mazurka.program.python.semantics.views import (
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

#: Classes of objects that an iteration leaves as they were.
_IDLE: Final = frozenset({str, bytes, tuple, range, frozenset, int, type(None), dict, list, float, bool})

#: Classes of values without parts.
VALUES: Final = frozenset({int, str, float, bool, bytes, type(None)})

#: Builtins that compare elements to any depth, and all that look into elements; both by name, too.
_COMPARING: Final = frozenset((sorted, min, max, any, all, sum))
_DEEP: Final = _COMPARING | {str, repr, bytes, bytearray, print, format, ascii, dict}
_COMPARING_NAMES: Final = frozenset("sorted min max any all sum".split())
_DEEP_NAMES: Final = _COMPARING_NAMES | frozenset("str repr bytes bytearray ascii dict".split())

#: Containers all of whose methods are in C.
IN_C: Final = frozenset(BASES) - {Counter}

#: A container with operators in Python has at least one of these written in Python.
_OPERATORS: Final = ("__add__", "__or__", "__eq__")

#: Builtins that show the names of functions and classes.
_DESCRIBING: Final = frozenset((str, repr, format, ascii, print))

#: Functions that call their key argument.
_WITH_KEY: Final = frozenset({sorted, min, max})

#: The classes of `operator.itemgetter` and its like.
GETTERS: Final = frozenset(natives.GETTERS)


def _accesses_of_method(run: Any, owner: Any, op: Op, given: tuple[Any, ...], site: int) -> list[Access]:
    found = native_objects.accesses(owner, op) if not native_objects.is_output(owner) else []
    if type(owner) is types.GeneratorType:
        found += foreign.driven(run, owner, site)
    for each in given:
        found += handed_objects.anything_with(each)
    return found


def native_method(run: Any, owner: Any, name: str, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A method in C of an object that has a state."""
    if run.is_recording:
        run.current.silent += 1
        return
    if name == "__next__" and _is_iterator_over_others(owner):
        get_on(run, owner, site)  # which looks behind it as far as `next`
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
    if op is _RMW and harmless.is_persistent(type(owner)) and has_concurrent_threads(run):
        count_untracked(run, f"{type(owner).__name__}.{name}(), which may compare keys by code of the program,", site)
    given = (*args, *named.values())
    find = functools.partial(_accesses_of_method, run, owner, op, given, site)
    found = find()
    if type(owner) is types.GeneratorType:
        native_objects.follow(owner)
    elif name in classification.REMAKING and native_objects.is_stream(type(owner)) and has_concurrent_threads(run):
        count_untracked(run, f"{type(owner).__name__}.{name}()", site)  # the method stores attributes
    elif type(owner) in native_objects.DRIVEN:
        native_objects.drive(run, owner, site)
    elif name == "resize":
        stop_watching(owner)  # NumPy refuses the operation otherwise
    elif name in definitions.DECODING and is_a(owner, io.TextIOWrapper):
        definitions.decode(run, owner, site, f"{name}()")
    run.current.silent += 1
    if not found or (len(found) == 1 and native_objects.is_own(run, found[0].target, site)):
        return
    spans = array_operations.spans(run, site, (owner, *given), name, args)
    since = array_operations.begin(run, spans, site) if spans else 0
    native_objects.visit(run, owner, found, find, site)
    if spans:
        array_operations.end(run, since, spans, site)


def _is_iterator_over_others(thing: Any) -> bool:
    """Whether an object is an iterator of the language, or of `itertools`, in C."""
    kind = type(thing)
    return kind.__module__ in ("builtins", "itertools") and kind is not types.GeneratorType and bool(iterators(thing))


def read_arguments(
    run: Any, site: int, args: tuple[Any, ...], named: dict[str, Any] | None = None, function: Any = None
) -> None:
    """Each argument is read with its content, and a key function in C reads each element."""
    more: tuple[Access, ...] = ()
    if function in _WITH_KEY and named and named.get("key") is not None and args:
        more = effects_of_calls(calling[0], named["key"], args[0] if len(args) == 1 else args, site)
        if (
            len(args) == 1
            and type(args[0]) is types.GeneratorType
            and _goes_in(named["key"])
            and has_concurrent_threads(run)
        ):
            count_untracked(run, "a key in C of the elements of a generator", site)
    given = (*args, *(named or {}).values())
    if function in _ITERATING and len(args) == 1:
        given = tuple([each for each in given if not (is_a(each, BASES) and _asks_to_iterate(each))])
    if function in _DESCRIBING:
        definitions.look(run, given, site, f"{function.__name__}()")
    compares_results = bool(named) and named is not None and is_seen(named.get("key"))
    behind = function in _WITH_KEY and bool(named) and gives_containers((named or {}).get("key"))
    inside = [] if function not in _DEEP or compares_results else deep_access.inside(given)
    describes = function in _DESCRIBING
    if describes or (function in (min, max) and len(args) > 1 and not compares_results):
        inside = [*inside, *[each for each in args if type(each) not in deep_access.PLAIN]]
    if inside and not run.is_recording:
        in_one_step(
            run,
            site,
            lambda part: _read_once(part, site, given, more),
            lambda part: deep_access.read(
                part,
                inside,
                site,
                copying=behind,
                comparing=function in _COMPARING and not behind,
                describing=describes and not behind,
            ),
        )
    else:
        perform(run, site, _read_once, site, given, more)


#: Builtins that iterate over their only argument, of any class.
_ITERATING: Final = (list, tuple, sorted, sum, min, max, any, all)


def _asks_to_iterate(thing: Any) -> bool:
    """Whether code in C goes through a container by an ``__iter__`` that its class defines, which reports its own
    steps. It goes through sets and dictionaries past such a method."""
    return not sources(thing) and not is_a(thing, (set, dict))


def _goes_in(key: Any) -> bool:
    """Whether a key function reads the content of its argument without reporting it."""
    return type(key) in GETTERS or any(key is each for each in (len, repr, ascii)) or not is_simple(key)


def _read_once(run: Any, site: int, args: tuple[Any, ...], more: tuple[Access, ...] = ()) -> None:
    found: list[Any] = []
    reads: list[Access] = []
    for each in args:
        behind = reached(each)
        found += behind
        reads += [access for container in behind for access in contents(container)]
        if run.is_recording:
            continue
        reads += moved(run, each, site)
        if not behind and type(each) not in deep_access.PLAIN:
            reads += deep_access.reads_of_iteration(run, each, site)
    reads += more
    if found:
        emit_reads(run, found, reads, site)
    elif reads:
        native_objects.label(run, None, reads)
        run.visit(reads[0].op, reads[0].target, site, None, tuple(reads[1:]))


def use(run: Any, thing: Any, site: int) -> None:
    """``thing`` is read with its content."""
    if sites.kind_of(site) == "match":
        definitions.look(run, (thing,), site, "a pattern", behind=True)
    elif type(thing) is types.FunctionType or type(thing) is types.MethodType:
        definitions.look(run, (thing,), site, "its description")
    deep_access.read(run, (thing,), site)
    additions.note_look(run, site)


def consume(run: Any, thing: Any, site: int) -> None:
    """A builtin iterates over ``thing``, or searches in it."""
    known = sites.site(site)
    searches = known is not None and known.kind == "search"
    is_deep = known is not None and (searches or known.name in _DEEP_NAMES) and not run.is_recording
    inside = deep_access.inside((thing,)) if is_deep else ()
    if known is not None and inside and sources(thing):
        compares = searches or known.name in _COMPARING_NAMES
        in_one_step(
            run,
            site,
            lambda part: go_through(part, thing, site),
            lambda part: deep_access.read(part, inside, site, comparing=compares),
        )
    else:
        go_through(run, thing, site)
    additions.note_look(run, site, thing)


def reduce(run: Any, function: Any, items: Any, site: int) -> None:
    """``functools.reduce(function, items)`` in one step, if the function is in C."""
    _go_through(run, items, site, effects_of_calls(calling[0], function, items, site, pairs=True))


def go_through(run: Any, thing: Any, site: int, more: tuple[Access, ...] = ()) -> None:
    """``thing`` is iterated in one step: the iteration reads the keys of a dictionary."""
    perform(run, site, _go_through, thing, site, more)


def _go_through(run: Any, thing: Any, site: int, more: tuple[Access, ...]) -> None:
    found = cursors(thing)
    reads: list[Access] = []
    if found:
        reads = [access for each, over in found for access in contents(each, keys_only(over))]
    if not run.is_recording:
        reads += moved(run, thing, site)
        if not found:
            reads += [access for each in reached(thing) if not _asks_to_iterate(each) for access in contents(each)]
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
        foreign.count_if_shared(run, thing, "__next__", site)  # it advances in more than one step
    looks = None if found else operation(thing, "__iter__")
    if looks is not None:
        looks(run, thing, site, ())


def _iterated(run: Any, thing: Any, site: int) -> list[Access]:
    """The accesses of making and using up an iterator over an object without a model."""
    kind = type(thing)
    if kind in _IDLE or not state_of(kind):
        return []
    if kind is types.GeneratorType:
        return []
    if is_python_iterable(kind):
        return []
    inside = deep_access.behind(thing) if state_of(kind) is native_objects.FOREIGN else []
    return native_objects.accesses(thing, _RMW if hasattr(kind, "__next__") else _READ) + inside


def is_python_iterable(kind: type) -> bool:
    """Whether instrumented code defines the iteration over objects of a class."""
    found = next((each.__dict__["__iter__"] for each in bases(kind) if "__iter__" in each.__dict__), None)
    return type(found) is types.FunctionType and found.__code__.co_filename in sites.instrumented


def get_on(run: Any, thing: Any, site: int) -> None:
    """``next(thing)``."""
    run.current.silent += 1  # the advance of an iterator is no step
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


#: The function that is called before a chain goes over iterables from an iterator (:mod:`chained`).
begin_chain: Final[list[Callable[[Any, Any, int], None]]] = []


def moved(run: Any, thing: Any, site: int) -> list[Access]:
    """The accesses of the iterators that an iteration over ``thing`` advances."""
    behind = iterators(thing)
    found = native_objects.moved(run, behind, site)
    for each in behind:
        if type(each) is types.GeneratorType:
            found += foreign.driven(run, each, site)
        elif type(each) in CALLING:
            consulted.note((each,))
            found += effects_of_moving(calling[0], each, site)
        elif takes_unseen(each) and has_concurrent_threads(run):
            begin_chain[0](run, each, site)
    for each in others(thing) if behind else ():
        if shape_of(type(each)).base is not None or state_of(type(each)) == NATIVE:
            found += native_objects.accesses(each, _READ)
        elif state_of(type(each)) == native_objects.FOREIGN and hasattr(type(each), "__next__"):
            found += handed_objects.anything_with(each)
            foreign.count_if_shared(run, each, "__next__", site)
    return found


moving.append(moved)


def may_get_on(run: Any, thing: Any) -> None:
    """Iterating uses an iterator up: a loop that does so has an effect."""
    if type(thing) not in _IDLE:
        run.current.silent += 1


def begin(run: Any, thing: Any, site: int) -> None:
    """An iterator over ``thing`` is about to be made."""
    found = cursors(thing)
    begun = begin_reads(found)
    if begun:
        emit_reads(run, [container for container, _ in found], begun, site)
    elif type(thing) is types.MappingProxyType:
        measure(run, thing, site)  # the iterator keeps the number of items
    elif not found and type(thing) not in VALUES:
        looks = operation(thing, "__iter__")
        if looks is not None and shape_of(type(thing)).base in _LOOKED_AT_ONCE:
            perform(run, site, looks, thing, site, ())
        else:
            operate_on(run, thing, "__iter__", site)


#: Containers of the library whose iterators go over something that they look up, or copy, when they are made.
_LOOKED_AT_ONCE: Final = frozenset({ChainMap, UserDict})


def measure(run: Any, thing: Any, site: int) -> None:
    """The number of elements is read."""
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
        native_method(run, thing, name, site, args, {})
    elif how is OPAQUE:
        found = peek_attribute(kind, name)
        if type(found) is types.FunctionType:
            foreign.call(run, found, site, (thing, *args), {})
    elif how is BESIDE_STATE and name in ("__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__"):
        native_objects.access(run, thing, _RMW, site)


def search(run: Any, thing: Any, key: Any, site: int) -> None:
    """``key in thing`` is about to be decided by an object that is no container of a known kind."""
    if operation(thing, "__iter__") is not None or run.is_recording:
        return
    kind = type(thing)
    if hasattr(kind, "__contains__"):
        operate_on(run, thing, "__contains__", site, (key,))
    else:
        go_through(run, thing, site)


def combine(run: Any, left: Any, right: Any, site: int) -> None:
    """Both operands are read."""
    if left is right and type(left) in IN_C and sites.kind_of(site) == "compare":
        return  # no element is compared with another one
    if type(left) in VALUES and type(right) in VALUES:
        return
    if run.is_recording and (type(left) in VALUES or type(right) in VALUES):
        return
    spans = array_operations.spans(run, site, (left, right))
    since = array_operations.begin(run, spans, site) if spans else 0
    deep_access.read(run, (left, right), site)
    additions.note_look(run, site)
    if spans:
        array_operations.end(run, since, spans, site)
    for each in (left, right):
        if type(each) not in deep_access.PLAIN and type(each) not in IN_C:
            foreign.count_if_shared(run, each, "an operator", site)
            for name in _OPERATORS if shape_of(type(each)).base is not None else ():
                foreign.count_unexplored(run, each, name, site)


def _accesses_of_operator(left: Any, right: Any, op: Op) -> list[Access]:
    found = native_objects.accesses(left, op)
    return found + (handed_objects.anything_with(right) if state_of(type(right)) else deep_access.contents_of(right))


def augment(run: Any, left: Any, right: Any, name: str, site: int) -> None:
    """``left`` is changed in place, if it is a mutable container; otherwise both operands are read."""
    handler = operation(left, name)
    if handler is not None:
        natives.operation_of(run, left, name, handler, site, (right,))
        if type(left) not in IN_C:
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
