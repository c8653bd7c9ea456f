"""The reads and writes of functions of the library that apply an operation: `operator`, `functools`, slots of `object`.

``operator.setitem(d, k, v)`` is ``d[k] = v``, ``object.__setattr__(x, 'a', v)`` is ``x.a = v``, and so on.

Cost: that of the operation.
"""

from __future__ import annotations

import dis
import functools
import itertools
import logging
import operator
import sys
import types
import weakref
from collections import ChainMap, UserDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Access
from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import (
    attributes,
    classification,
    consulted,
    deep_access,
    definitions,
    foreign,
    global_variables,
    handed_objects,
    keys,
    native_objects,
    objects,
    raising,
    reachable,
    untracked,
    weak_registries,
)
from mazurka.program.python.semantics.class_shapes import OPERATIONS, operation, shape_of
from mazurka.program.python.semantics.classification import DICTIONARY, classify
from mazurka.program.python.semantics.containers import DEEP, SLOTS, read_structure
from mazurka.program.python.semantics.gathering import (
    AccessCollector,
    effects_of_calls,
    gives_containers,
    in_one_step,
    is_seen,
)
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import BASES, mortal, perform
from mazurka.program.python.semantics.native_objects import state_of
from mazurka.program.python.semantics.objects import is_a, number, peek_attribute
from mazurka.program.python.semantics.per_run import per_run
from mazurka.program.python.semantics.shapes import Handler, calling
from mazurka.program.python.semantics.views import sources
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import CYCLE_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import REFERENCE, STRUCTURE, Kind, kind_of

GETTERS: Final = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def by_name(run: Any, args: tuple[Any, ...], site: int, op: Op) -> None:
    """``getattr(*args)`` and its like."""
    if len(args) < 2 or not is_a(args[1], str):
        return
    thing, name = args[0], str.__str__(args[1])  # a text of a class of its own might run code to compare
    if name == "__weakref__":
        objects.hide_watching(thing)
    how = classify(type(thing), name)
    if op is Op.READ:
        attributes.read(run, thing, name, site, how)
    elif how is DICTIONARY and op is Op.WRITE and len(args) > 2 and is_a(args[2], dict):
        attributes.replace_all(run, thing, site, args[2])
    else:
        attributes.write(run, thing, name, site, how, op)


def hand_out(name: str, args: tuple[Any, ...]) -> None:
    """Count accesses to the dictionary that one of these functions returns as accesses to its owner."""
    if name == "__getattribute__" and not any(type(each) is str and each == "__dict__" for each in args):
        return
    for each in args:
        if type(each).__flags__ & 1 << 9 and not is_a(each, (type, types.ModuleType)) and objects.dictionary(each):
            objects.adopt_namespace(each)


def given_dictionary(run: Any, owner: Any, site: int) -> None:
    """Code is about to get the dictionary of an object; an error gets its dictionary by that, which `__reduce__`
    shows."""
    if is_a(owner, BaseException) and not run.is_recording:
        run.visit(Op.RMW, (STRUCTURE, -number(owner)), site)
    objects.adopt_namespace(owner)


#: Methods in C by which an object is copied: they look at its attributes.
COPYING: Final = frozenset({"__reduce_ex__", "__reduce__", "__getstate__"})


def native_method(run: Any, owner: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A method in C, bypassing overrides in the class of ``owner``; except for containers, it reads all its
    arguments."""
    if name in SLOTS:
        by_name(run, (owner, *args), site, SLOTS[name])
        return
    if is_a(owner, type):
        if name == "__subclasses__" and has_concurrent_threads(run):
            untracked.count_untracked(run, f"{name}()", site)
        deep_access.read(run, args, site)
        return
    if is_a(owner, BaseException):
        raising.method(run, owner, name, site, args)
        return
    base = shape_of(type(owner)).base
    if name in COPYING and (base is None or type(owner) not in BASES):  # with the attributes of an instance
        deep_access.read(run, (owner, *args), site, copying=True, shallow=True)
    elif base is None:
        if classification.changes_arguments(type(owner), name):
            change_arguments(run, args, site)
            return
        if name in classification.REMAKING and classification.classify(type(owner), name) is classification.REMADE:
            made_again(run, owner, name, site)
        for each in args:
            if type(each) in BUILTIN_METHODS and foreign.changes(each) and has_concurrent_threads(run):
                untracked.count_untracked(run, f"{each.__name__}(), handed to {type(owner).__name__}.{name}()", site)
        deep_access.read(run, (owner, *args) if is_a(owner, (tuple, frozenset)) else args, site)
    else:
        handler = OPERATIONS[base].get(name)
        if handler is not None:
            operation_of(run, owner, name, handler, site, args)


def change_arguments(run: Any, given: Iterable[Any], site: int) -> None:
    """A method in C is called that may change those of its arguments that have a state, and reads the others."""
    changed = [each for each in given if state_of(type(each)) is native_objects.NATIVE]
    deep_access.read(run, [each for each in given if not any(each is other for other in changed)], site)
    for each in changed:
        native_objects.access(run, each, Op.RMW, site)


def made_again(run: Any, thing: Any, name: str, site: int) -> None:
    """An object that is otherwise never changed is initialised again; for errors and classes it is their first
    initialisation."""
    if has_concurrent_threads(run) and not run.is_recording and not is_a(thing, (type, BaseException)):
        untracked.count_untracked(run, f"{type(thing).__name__}.{name}()", site)


def operation_of(run: Any, thing: Any, name: str, handler: Handler, site: int, args: tuple[Any, ...]) -> None:
    """An operation on a container, which may go into its elements, as deep as they are."""
    if name in DEEP and not run.is_recording:
        inside = _gone_into(thing, name, args)
        key = next(filter(callable, args), None) if name == "sort" else None
        if key is not None:
            consulted.note((key,))
        behind = gives_containers(key)
        if inside:
            in_one_step(
                run,
                site,
                lambda part: handler(part, thing, site, args),
                lambda part: deep_access.read(
                    part, inside, site, copying=behind, comparing=name not in deep_access.DESCRIBING and not behind
                ),
                lambda part: part.accesses.extend(effects_of_calls(calling[0], key, deep_access.elements(thing), site)),
            )
            return
    perform(run, site, handler, thing, site, args)


def _gone_into(thing: Any, name: str, args: tuple[Any, ...]) -> list[Any]:
    """The objects that a method iterates over beside its container: they, and their contents, are read, too."""
    if name in _TAKING_PAIRS:
        return deep_access.inside([each for each in args if not is_a(each, dict)]) if is_a(thing, _PAIRED) else []
    if name == "sort" and any(map(is_seen, args)):
        return []  # only the results of the key function are compared
    inside = [each for each in args if type(each) not in deep_access.PLAIN]
    if not inside and name == "__contains__" and is_a(thing, (dict, set)):
        return []  # a hashed element never changes
    return [*inside, *[each for each in deep_access.elements(thing) if type(each) not in deep_access.PLAIN]]


#: Containers whose elements come in pairs.
_PAIRED: Final = (dict, UserDict, ChainMap)
_TAKING_PAIRS: Final = frozenset({"update", "__ior__", "__init__"})


def operate(run: Any, name: str, site: int, args: tuple[Any, ...]) -> None:
    """A function of `operator`."""
    name = {"iconcat": "iadd", "concat": "add"}.get(name, name.strip("_"))
    handler = operation(args[0], f"__{name}__") if args else None
    if name == "length_hint" and args:
        length = operation(args[0], "__len__")
        if length is not None:
            length(run, args[0], site, ())
        for container in sources(args[0]) if length is None else ():
            read_structure(run, container, site)
        if hasattr(type(args[0]), "__next__") and has_concurrent_threads(run):
            untracked.count_untracked(run, "operator.length_hint() of an iterator", site)
    elif handler is not None:
        operation_of(run, args[0], f"__{name}__", handler, site, args[1:])
    elif args and name in _CHANGING and state_of(type(args[0])):
        deep_access.read(run, args[1:], site)
        native_objects.access(run, args[0], Op.RMW, site)
    else:
        deep_access.read(run, args, site)


#: Functions of `operator` that change their first argument.
_CHANGING: Final = frozenset(
    "setitem delitem iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ixor ior".split()
)


def get(run: Any, getter: Any, site: int, args: tuple[Any, ...]) -> None:
    """An `operator.itemgetter` or `attrgetter` is called: one step, however many items or attributes it gets."""
    if not args:
        return
    thing, asked = args[0], getter.__reduce__()[1]
    if type(getter) is operator.itemgetter:
        if len(asked) == 1 or run.is_recording:
            _items(run, thing, asked, site)
        else:
            in_one_step(run, site, lambda part: _items(part, thing, asked, site))
    elif run.is_recording or (len(asked) == 1 and "." not in asked[0]):
        _paths(run, thing, asked, site)
    else:
        in_one_step(run, site, lambda part: _paths(part, thing, asked, site))


def _items(run: Any, thing: Any, keys: Iterable[Any], site: int) -> None:
    for key in keys:
        native_method(run, thing, "__getitem__", site, (key,))


def _paths(run: Any, thing: Any, paths: Iterable[str], site: int) -> None:
    for path in paths:
        _dotted(run, thing, path, site)


def called_by(caller: operator.methodcaller) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
    """The name of the method that an `operator.methodcaller` calls, and its arguments."""
    reduced: Any = caller.__reduce__()
    made, given = reduced
    named: dict[str, Any] = {}
    if type(made) is functools.partial:
        given, named = (*made.args, *given), made.keywords
    return given[0], given[1:], named


def _dotted(run: Any, thing: Any, path: str, site: int) -> None:
    names = path.split(".")
    for number_of_it, name in enumerate(names, 1):
        by_name(run, (thing, name), site, Op.READ)
        if number_of_it < len(names):
            count_computed(run, thing, name, site)
            thing = peek_attribute(thing, name)


def loaded(run: Any, entry: Any, site: int) -> None:
    """An entry point is loaded (`importlib.metadata`): attributes of a module are read, by their names in a text."""
    module = sys.modules.get(entry.module)
    if module is not None and entry.attr:
        _dotted(run, module, entry.attr, site)


def count_computed(run: Any, thing: Any, name: str, site: int) -> None:
    """The attribute of that name is computed by code, whose accesses are unknown."""
    if type(thing) in objects.SCALARS or not has_concurrent_threads(run) or run.is_recording:
        return
    if classification.is_computed(thing, name):
        untracked.count_untracked(run, f"the value of {type(thing).__name__}.{name}, from a function in C,", site)


def printed(run: Any, args: tuple[Any, ...], named: dict[str, Any], site: int) -> None:
    """``print`` is called: it writes on the named stream, or on the present `sys.stdout`."""
    run.current.silent += 1
    if run.is_recording:
        return
    stream = named.get("file")
    if stream is None:
        global_variables.global_access(run, "sys", "stdout", site, Op.READ, vars(sys))
        stream = sys.stdout
    if state_of(type(stream)):
        native_objects.access(run, stream, Op.RMW, site)
    start = type(stream).__dict__.get("_mz_print")
    if start is not None:  # a file that the run has opened
        start(stream, run.current.index, max(1, 2 * len(args)))


def is_reference(thing: Any) -> bool:
    """Whether an object is a weak reference or a weak proxy."""
    return is_a(thing, weakref.ref)


#: id of an object, and the location that its end writes -> the watcher of its end.
_mortal: dict[tuple[int, Any], Any] = per_run({})


def let_go(run: Any) -> None:
    """Hooks must not keep alive an object that a weak reference is about to look for, or that has a finaliser."""
    untracked.look_now(run)
    if _stored:
        _watch_stored(run)
    if not objects.let_go():
        text = "weak references or finalisers beside too many objects to look through"
        run.untracked[text] = run.untracked.get(text, 0) + 1


def dereferenced(run: Any, reference: Any, site: int) -> None:
    """A weak reference is called: whether its object still exists depends on the references of other threads."""
    if not run.is_recording:
        run.visit(Op.READ, _life(run, reference, site), site)


def _life(run: Any, reference: Any, site: int) -> Any:
    """The location of the life of a reference's object: the object's end writes it."""
    let_go(run)
    thing = weakref.ref.__call__(reference)
    if thing is None:
        target = (REFERENCE, objects.numbers.get(id(reference)) or number(reference))
        known = _ends.get(id(reference))
        if known is None and has_concurrent_threads(run) and id(reference) not in _dead_before:
            untracked.count_untracked(run, "a weak reference to an object that may have ended meanwhile", site)
        return known or target
    target = (REFERENCE, number(thing))
    _ends[id(reference)] = target
    watch(thing, target, asked=CYCLE_POINTS not in run.points or not reachable.is_in_use(thing))
    if run.detail:
        objects.label(run, target, thing, " (its life)")
    return target


def finaliser_used(run: Any, finaliser: Any, site: int) -> None:
    """A `weakref.finalize` is called, detached or looked at: the end of its object calls it, too, if that comes
    first."""
    info: Any = vars(weakref.finalize)["_registry"].get(finaliser)
    if info is not None:
        run.visit(Op.RMW, _life(run, info.weakref, site), site)
    elif has_concurrent_threads(run):
        untracked.count_untracked(run, "a finaliser that may have been called meanwhile", site)


attributes.finalisers.append(finaliser_used)


#: Location of a life -> the threads that used a weak reference as a key while it lasted.
_keyed: dict[Any, set[int]] = per_run({})


def _used_as_key(reference: Any) -> None:
    """A weak reference is looked up, or stored, as a key: this is no step of its own, so the end of its object in
    another thread counts as untracked."""
    run: Any = activation.active
    if run is None or run.is_recording or not has_concurrent_threads(run):
        return
    target, index = _life(run, reference, 0), run.current.index
    _keyed.setdefault(target, set()).add(index)
    enders = definitions.ended.get(target, {})
    for other in [each for each in enders if each != index]:
        enders.pop(other)()


deep_access.life.append(_life)
keys.references.append(_used_as_key)


def remove_dead(run: Any, references: dict[Any, Any], key: Any, site: int) -> None:
    """An entry of a weak dictionary is removed if its object has ended."""
    reference = references.get(key)
    if is_reference(reference):
        in_one_step(
            run,
            site,
            lambda part: operate(part, "delitem", site, (references, key)),
            lambda part: dereferenced(part, reference, site),
        )


def watch(thing: Any, target: Any, *, asked: bool = True) -> None:
    """Have the end of ``thing`` write a location. ``asked``: the program may now see whether it has ended."""
    key = (id(thing), target)
    if asked and key not in _asked:
        _asked[key] = True
        _referred.append(weakref.ref(thing))
    if key not in _mortal:
        _mortal[key] = weakref.ref(thing, functools.partial(_ended, key, target))
        known = mortal.get(id(thing))
        if known is None or known[0]() is not thing:
            mortal[id(thing)] = known = weakref.ref(thing), []
        known[1].append(target)


#: The objects, with a location that their ends write, whose references are in the following list.
_asked: dict[tuple[int, Any], bool] = per_run({})

#: Weak references to objects that the program has looked up by weak references, and to the members of its weak
#: collections.
_referred: list[Any] = []


def may_notice_ends() -> bool:
    """Whether the program has finalisers, or weak references to any object."""
    return sites.is_in_program(sites.finalizing, sites.referring_weakly)


def take_referred() -> list[Any]:
    """Take the weak references that were made beside those of the program."""
    taken = [*_referred]
    _referred.clear()
    return taken


def watch_with(thing: Any, report: Callable[[Any], None], several: bool = False) -> None:
    """At the end of ``thing`` a function in C is called, and ``report`` passes its accesses to a run; ``several``: by
    code in Python, in more steps than one."""
    key = (id(thing), id(report))
    _mortal[key] = weakref.ref(thing, functools.partial(_called_at_end, key, report, several))


def _called_at_end(key: tuple[int, Any], report: Callable[[Any], None], several: bool, _reference: Any) -> None:
    _mortal.pop(key, None)
    run = activation.active
    if run is None or run.solo or run.aborting or not run.log:
        return
    site, gathered = run.log[-1][3], AccessCollector(run)
    report(gathered)
    if gathered.accesses:
        in_step = _goes_along(run, gathered.accesses, site) and _is_in_step(site)
        if several or not in_step:
            text = "the calls of a finaliser" if several else "a call at the end of an object"
            count = functools.partial(untracked.count_untracked, run, text, site)
            if several:
                handed_objects.hand(run, gathered.accesses, count)
            for access in gathered.accesses if not in_step else ():
                definitions.ended.setdefault(access.target, {}).setdefault(run.current.index, count)


def _goes_along(run: Any, accesses: Sequence[Access], site: int) -> bool:
    """Add accesses to the last step; false if other orders of it and the steps of other threads are not explored."""
    if run.widen(accesses):
        return True
    for access in accesses:
        run.sharing.touch(run.current.index, access.op, access.target, site, site in run.points)
    first, *more = accesses
    run.visit(first.op, first.target, site, None, tuple(more), False)
    return False


def _is_in_step(number: int) -> bool:
    """Whether an object ends in the very instruction of the last step, and so before any other thread can move."""
    site, frame = sites.site(number), sys._getframe(2)
    code = frame.f_code
    if site is None or code.co_filename != site.file or dis.opname[code.co_code[frame.f_lasti]] not in _LETTING_GO:
        return False
    line, _, column, _ = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
    return column is not None and (line, column + 1) == (site.line, site.column)


#: Instructions by which a step releases objects.
_LETTING_GO: Final = frozenset(
    "CALL CALL_KW CALL_FUNCTION_EX STORE_SUBSCR STORE_SLICE DELETE_SUBSCR STORE_ATTR DELETE_ATTR BINARY_OP".split()
)


def watch_members(run: Any, collection: Any, added: tuple[Any, ...] = (), site: int = 0, *, one: bool = False) -> None:
    """Have the end of each member of a weak collection change it, and so the end of an object that is about to be
    ``added``: a single ``one``, or all elements of iterables."""
    let_go(run)
    data = objects.dictionary(collection).get("data")
    references = [*data, *(data.values() if is_a(data, dict) else ())] if is_a(data, (dict, set)) else []
    members = [weakref.ref.__call__(each) for each in references if is_a(each, weakref.ref)]
    for thing in [each for each in (*members, *_members_of(run, added, site, one)) if each is not None]:
        watch(thing, (STRUCTURE, number(collection)))


def watch_stored(run: Any, collection: Any, key: Any, site: int) -> None:
    """``collection[key] = ...`` is about to store a value that is not known yet: it is looked up at the next step."""
    if is_a(collection, weakref.WeakValueDictionary) and has_concurrent_threads(run):
        _stored.append(_Store(run.current.index, collection, key, site))
        run.let_go = let_go


@dataclass(slots=True)
class _Store:
    """A store into a weak dictionary by a thread, and the number of steps that the thread has made since the store was
    announced; the first of them is the store itself."""

    thread: int
    collection: Any
    key: Any
    site: int
    steps: int = 0


_stored: list[_Store] = per_run([])


def _watch_stored(run: Any) -> None:
    """Watch the objects that have been stored; the running thread is about to make a step."""
    left = []
    for store in _stored:
        thing = _stored_under(store.collection, store.key)
        if thing is not None:  # possibly the object of another thread's store
            watch(thing, (STRUCTURE, number(store.collection)))
        is_its_own = store.thread == run.current.index
        if not is_its_own or store.steps == 0 or _is_amid_store():
            store.steps += is_its_own
            left.append(store)
        elif thing is None:
            untracked.count_untracked(run, "the end of an object that threads refer to weakly", store.site)
    _stored[:] = left
    if left:
        run.let_go = let_go


def _is_amid_store() -> bool:
    """Whether the running thread is inside the method of the library that stores, which may be instrumented."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "__setitem__" and frame.f_code.co_filename == weakref.__file__:
            return True
        frame = frame.f_back
    return False


def _stored_under(collection: Any, key: Any) -> Any:
    data = objects.dictionary(collection).get("data", {})
    found: Any = (
        data.get(key)
        if (type(key) is str or type(key) is int)
        else next((data[each] for each in data if each is key), None)
    )
    return weakref.ref.__call__(found) if is_a(found, weakref.ref) else None


def _members_of(run: Any, added: tuple[Any, ...], site: int, one: bool) -> list[Any]:
    """The objects that a method may add to a weak collection: its arguments, and their elements."""
    for each in () if one else added:
        if hasattr(type(each), "__next__") and has_concurrent_threads(run):
            untracked.count_untracked(run, "an addition to a weak collection by an iterator", site)
    found = [*added, *deep_access.inside(added)]
    found += [each for pair in found if type(pair) is tuple for each in pair]
    return [each for each in found if objects.can_be_watched(each)]


#: id of a weak reference -> the location of its object's life.
_ends: dict[int, Any] = per_run({})

#: Whether instrumented code makes weak references, or weak collections.
_is_weak = False

#: Identities of weak references that were dead when the first thread was started.
_dead_before: set[int] = per_run(set())

#: Objects that existed before the runs, at whose ends a function may be called.
_mourned: list[weakref.ref[Any]] = []

#: Functions that return the existing weak references and collections: those that were made before the runs, and in this
#: one.
_kept: list[Any] = []
_made: list[Any] = per_run([])


def made_weak(thing: Any) -> None:
    """A weak collection has been made in a run."""
    _made.append(weakref.ref(thing))


def find_weak() -> None:
    """Find the weak references and collections that exist before the runs, if the program makes any."""
    global _is_weak
    forget_weak()
    _found_with.append(_extent())
    users = [each for each in list(sys.modules.values()) if _uses_weakly(each)]
    _is_weak = bool(users)
    if not _is_weak:
        return
    found = objects.existing((*_COLLECTIONS, weakref.ref))
    _kept.extend(weakref.ref(each) for each in found if type(each) is not weakref.ref)
    references = [each for each in found if type(each) is weakref.ref]
    is_used = _is_to_ours if users != [logging] else _is_to_handler
    _kept.extend(functools.partial(_itself, each) for each in references if is_used(each))
    _mourn(references)


def find_more_weak() -> None:
    """Find them once more, if modules have been imported, or instrumented, since."""
    if _found_with != [_extent()]:
        find_weak()


def _extent() -> tuple[int, int]:
    return len(sys.modules), len(sites.instrumented)


#: How many modules there were, and how many of them were instrumented, when weak references were looked for.
_found_with: Final[list[tuple[int, int]]] = []

_COLLECTIONS: Final = (weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary)
#: The globals of modules that use weak references.
_MAKERS: Final = frozenset(map(id, (weakref, weakref.ref, weakref.finalize, *_COLLECTIONS)))


def forget_weak() -> None:
    """Forget the objects whose weak references are watched; call it when a run ends."""
    global _is_weak
    _found_with.clear()
    _kept.clear()
    _mourned.clear()
    _is_weak = False


def _is_to_ours(reference: Any) -> bool:
    """Whether a weak reference is to an object of the program. Each class has such references to those that derive from
    it, thousands in all: here a class counts only if the program makes it. (Classes in C mostly last for good.)"""
    thing: Any = weakref.ref.__call__(reference)
    if is_a(thing, type):
        return bool(type.__dict__["__flags__"].__get__(thing) & _HEAP_TYPE) and native_objects.is_ours(thing)
    return native_objects.is_ours(type(thing))


_HEAP_TYPE: Final = 1 << 9


def _is_to_handler(reference: Any) -> bool:
    """Whether it is one of those that `logging` uses."""
    return is_a(weakref.ref.__call__(reference), logging.Handler)


def _mourn(references: list[Any]) -> None:
    """Remember the objects at whose ends a function is called that does not report its own steps."""
    watched = [each for each in references if each.__callback__ is not None and not _is_known(each.__callback__)]
    _mourned.extend(weakref.ref(thing) for each in watched if (thing := weakref.ref.__call__(each)) is not None)


def note_alone(run: Any) -> None:
    """The main thread, which is running, has seen one more thread end, and no other is left."""
    finalising = sites.is_in_program(sites.finalizing)
    if (
        (_referred or finalising)
        and CYCLE_POINTS in run.points
        and not run.aborting
        and not has_concurrent_threads(run)
    ):
        reachable.note(run, _referred, finalising)


def alive_alone(run: Any) -> frozenset[int]:
    """The identities of objects that were no garbage when the main thread was alone for good, if it has done nothing
    since that could show it their ends."""
    alone = reachable.last()
    if alone is None or alone.threads != len(run.tasks) or not alone.held:
        return frozenset()
    written = {target for _, target in _mortal}
    for _, _, target, _, _, _, more in run.log[alone.steps :]:
        if any(each in written or kind_of(each) is Kind.REFERENCE for each in (target, *[one.target for one in more])):
            return frozenset()
    return alone.held


def kept_to_the_end(run: Any) -> frozenset[int]:
    """As in :func:`.reachable.kept_to_the_end`, if the run has looked up no object of its own by weak references: by
    one it may get an object that was garbage meanwhile."""
    found = reachable.kept_to_the_end(run)
    if not found:
        return found
    made = set(map(id, objects.made()))
    for each in _referred:
        thing = each()
        if thing is None or (id(thing) in made and not is_a(thing, type)):
            return frozenset()
    return found


def finish() -> None:
    """A run has ended: watch no longer the objects that it leaves behind, which may end in a later one."""
    if _is_weak:
        _mourn(objects.young(weakref.ref))


def _itself(thing: Any) -> Any:
    return thing


def _uses_weakly(module: Any) -> bool:
    space = module.__dict__ if type(module) is types.ModuleType else objects.dictionary(module)
    return space.get("__file__") in sites.instrumented and not _MAKERS.isdisjoint(map(id, list(space.values())))


def watch_early(run: Any) -> None:
    """The first thread is about to be started: ends of weakly referenced objects are tracked from now on."""
    for find in (*_kept, *_made):
        thing = find()
        if thing is None:
            continue
        if not is_reference(thing):
            if not weak_registries.is_unread(run, thing):
                watch_members(run, thing)
            continue
        referent = weakref.ref.__call__(thing)
        if referent is None:
            _dead_before.add(id(thing))
        elif id(thing) not in _ends:
            _ends[id(thing)] = target = (REFERENCE, number(referent))
            watch(referent, target)
    if _is_weak:
        _watch_callbacks()


def _watch_callbacks() -> None:
    """Watch for callbacks at ends of objects that do not report themselves, and were set before the hooks were in
    place."""
    _mourned[:] = [each for each in _mourned if each() is not None]
    before = [each for find in _mourned if (known := find()) is not None for each in weakref.getweakrefs(known)]
    references = {id(each): each for each in [*before, *objects.young(weakref.ref)] if type(each) is weakref.ref}
    for reference in references.values():
        callback: Any = reference.__callback__
        thing: Any = weakref.ref.__call__(reference)
        if thing is not None and callback is not None and not is_seen(callback) and not _is_known(callback):
            watch_with(thing, functools.partial(_announce, callback, (), {}))
    for known in list(vars(weakref.finalize)["_registry"].values()):  # not by `peek`, whose own steps would be reported
        thing = weakref.ref.__call__(known.weakref)
        if thing is not None and not is_seen(known.func):
            announce = functools.partial(_announce, known.func, known.args, known.kwargs or {})
            watch_with(thing, announce, several=True)


def _announce(function: Any, given: tuple[Any, ...], named: dict[str, Any], ended: Any) -> None:
    calling[0](ended, function, 0, given, named)


def _is_known(callback: Any) -> bool:
    """Whether a callback is one of ours, or one by which weak collections learn of ends (:func:`watch_members`)."""
    if type(callback) is functools.partial:
        callback = callback.func
    if type(callback) is types.FunctionType:
        return callback.__module__.partition(".")[0] in ("mazurka", "weakref", "_weakrefset", "functools")
    of = getattr(callback, "__self__", None)
    return of is objects.numbers or (type(of) is weakref.ref and callback.__name__ == "_destroy")  # caches of `abc`


def _ended(key: tuple[int, Any], target: Any, _reference: Any) -> None:
    """A weakly referenced object has ended, in a step of the running thread."""
    _mortal.pop(key, None)
    run = activation.active
    if run is None or run.solo or run.aborting or not run.log:
        return
    site = run.log[-1][3]
    _goes_along(run, (Access(Op.RMW, target),), site)
    text = "the end of an object that threads refer to weakly"
    count = functools.partial(untracked.count_untracked, run, text, site)
    definitions.ended.setdefault(target, {}).setdefault(run.current.index, count)
    record = run.touched.get(target)
    if (record is not None and record[0] == -1) or _keyed.get(target, set()) - {run.current.index}:
        run.untracked[text] = run.untracked.get(text, 0) + 1
