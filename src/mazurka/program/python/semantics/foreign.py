"""Code of the program's libraries that is not instrumented: the accesses of entering it, and the untracked rest.

It runs as one opaque step. An object of a class from there has one state
(:mod:`native_objects`), the package itself has another: a call reads and writes both, and looks at its arguments. So
every order of such calls is explored, but not the steps of other threads during them: as soon as two threads that run
at the same time have entered a package, or share an object of it, this is counted as untracked, with the package's
name.

Modules of the standard library are an exception: those that a run enters are instrumented from then on. They are learnt
like points (:func:`explored`), so that a search begins anew, and a replay knows them. And functions that only look at
their arguments (:mod:`harmless`) are one step, unless they are written in Python and look at locations that threads
change.

Cost: some microseconds a call.
"""

from __future__ import annotations

import copy
import functools
import gc
import operator
import sys
import types
from collections import UserDict
from collections.abc import Callable, Iterable
from typing import Any, Final
from zlib import crc32

from mazurka.program.protocol import ENTERED, Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.isolation import determinism
from mazurka.program.python.semantics import (
    array_operations,
    callbacks_in_c,
    classification,
    consulted,
    deep_access,
    definitions,
    global_variables,
    harmless,
    key_fields,
    native_objects,
    objects,
    untracked,
)
from mazurka.program.python.semantics.class_shapes import shape_of
from mazurka.program.python.semantics.gathering import effects_of_calls, gives_containers, in_one_step, is_seen
from mazurka.program.python.semantics.handed_objects import accesses_of_arrays, anything_with, arrays_in, handed_over
from mazurka.program.python.semantics.harmless import BUILTIN_METHODS
from mazurka.program.python.semantics.locations import bases
from mazurka.program.python.semantics.native_objects import FOREIGN, NATIVE, NOTHING, state_of
from mazurka.program.python.semantics.objects import is_a
from mazurka.program.python.semantics.shapes import calling
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.sharing import SHARED
from mazurka.trace.event import Op
from mazurka.trace.targets import GLOBAL, OBJECT, STRUCTURE, Kind, kind_of

_READ, _RMW = Op.READ, Op.RMW

_EXPLORED: Final = 1 << 37

#: Modules whose code runs as it is while threads keep to the rules of `asyncio`.
OF_LOOPS: Final = "asyncio."

#: Names of functions that the library makes from texts of its own, for classes of the program.
_MADE: Final = frozenset(
    """__init__ __repr__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __setattr__ __delattr__ __getstate__
    __setstate__ __new__ __replace__ __getnewargs__ __attrs_init__ __post_init__""".split()
)


def call(run: Any, function: types.FunctionType, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A function in Python that is not instrumented is about to be called."""
    wrapped = function.__dict__.get("__wrapped__")
    if type(wrapped) is types.FunctionType and is_made(wrapped):  # as `dataclasses` wraps a `__repr__`
        function = wrapped
    module, name = module_of(function), function.__name__
    if harmless.root_of(module) in harmless.MODELLED:
        _call_modelled(run, function, module, site, args)
        return
    run.current.silent += 1
    if module == _CHILDREN:
        if args and _has_method(args[0], name) and not run.is_recording:
            native_objects.access(run, args[0], _RMW, site)
        return
    given = (*args, *named.values())
    if harmless.is_untraceable(module, function.__qualname__) and has_concurrent_threads(run):
        untracked.count_untracked(run, f"{function.__qualname__}()", site)
        return
    if is_made(function):
        _call_made(run, function, site, args, given)
        return
    _look(run, function, module, given, site)
    _look_at_hints(run, function, given, site)
    if module == "contextlib" and function.__qualname__ in _REDIRECTING and args:
        global_variables.global_access(run, "sys", args[0]._stream, site, _RMW, vars(sys))
    if harmless.is_transparent(function) and not (args and state_of(type(args[0])) is FOREIGN):
        _count_changers(run, function, given, site)
        return
    if harmless.is_interface(module) and args:
        _call_interface(run, module, name, site, given)
        return
    if harmless.is_assertion(module):
        deep_access.read(run, given[1:], site)
        return
    if harmless.is_pure_python(module, function.__qualname__):
        _call_pure(run, function, module, site, args, given)
        return
    if run.is_recording:
        deep_access.read(run, given, site)
        return
    space = function.__globals__
    if module not in sys.modules or vars(sys.modules[module]) is not space:
        given = (*given, space)  # of no module: other functions may have its globals
    enter(run, module, name, given, site)


def _call_modelled(run: Any, function: types.FunctionType, module: str, site: int, args: tuple[Any, ...]) -> None:
    """A function whose operations report to the runtime themselves."""
    if module.startswith(OF_LOOPS):
        _use_loop(run, function)
    elif function.__code__ is determinism.SEEDING and args and not run.is_recording:
        native_objects.access(run, args[0], _RMW, site)


def _use_loop(run: Any, function: types.FunctionType) -> None:
    """A function of `asyncio` is about to be called. Only the thread of a loop uses its tasks, futures and the rest:
    where another one does, this code has to be explored. (It is in any case where several threads run loops.)"""
    name = function.__qualname__
    if run.is_recording or name in harmless.OF_ANY_THREAD or "<locals>" in name:  # those wake loops by its own rules
        return
    if run.current.index not in run.running_loops and has_concurrent_threads(run):
        explore(run, OF_LOOPS)


def _count_renamed(run: Any, thing: Any, site: int) -> None:
    """A function or class gets the name, the documentation and other attributes of another one. Decorators do this to
    functions that they have just made; any other one may be known to other threads."""
    name = thing.__qualname__ if is_a(thing, (types.FunctionType, type)) else "<locals>"
    if "<locals>" not in name:
        untracked.count_untracked(run, f"functools.update_wrapper() of {name}", site)


def _call_interface(run: Any, module: str, name: str, site: int, given: tuple[Any, ...]) -> None:
    """A function that calls the methods of its object."""
    owner = type(given[0])
    if shape_of(owner).base is not None and not run.is_recording:
        enter(run, module, name, given, site)
    elif state_of(owner) is FOREIGN and not run.is_recording:  # whose methods report nothing
        enter(run, _module_of_class(owner), name, given, site)
    elif deep_access.reads_shared(run, given[1:], site) and not run.is_recording:
        _enter(run, module, name, site)


def _call_pure(
    run: Any, function: types.FunctionType, module: str, site: int, args: tuple[Any, ...], given: tuple[Any, ...]
) -> None:
    """A function that only reads its arguments, and changes no more than its own object."""
    name = function.__name__
    owner = args[0] if args and _has_method(args[0], name) else None
    _count_changers(run, function, given, site)
    if not run.is_recording and any(map(_is_stream, given)):
        enter(run, module, name, given, site)
        return
    of_object = owner is not None and state_of(type(owner)) is not NOTHING
    looks_at_shared = deep_access.reads_shared(run, given[1:] if of_object else given, site)
    if of_object:
        native_objects.access(run, owner, _RMW, site)
        looks_at_shared |= _is_used_by_several(run, owner)
    if looks_at_shared and not run.is_recording:
        _enter(run, module, name, site)


def _is_used_by_several(run: Any, owner: Any) -> bool:
    """Whether threads share an object, whose methods in Python take several steps."""
    record = run.touched.get((OBJECT, objects.number(owner)))
    return has_concurrent_threads(run) and record is not None and record[0] == -1


def _is_stream(thing: Any) -> bool:
    """Whether an object is a stream in memory, which functions in Python use in several steps."""
    return state_of(type(thing)) is NATIVE and hasattr(type(thing), "readline")


def _look(run: Any, function: types.FunctionType, module: str, given: tuple[Any, ...], site: int) -> None:
    """The reads of a function of the library beside containers and instances."""
    name = function.__name__
    if function is functools.update_wrapper and has_concurrent_threads(run) and given:
        _count_renamed(run, given[0], site)
    if name == "getmembers" and given:
        objects.hide_watching(given[0])
    if not harmless.is_transparent(function):
        consulted.note(given)
    if module == "unittest.mock" and name in _PATCHING and has_concurrent_threads(run):
        _enter(run, module, name, site)  # the function may assign to any attribute
    if module in _WRITING and not run.is_recording:
        for stream in ("stdout", "stderr"):
            global_variables.global_access(run, "sys", stream, site, _READ, vars(sys))
        if is_contested(run, [Access(_READ, (GLOBAL, "sys", stream)) for stream in ("stdout", "stderr")]):
            _enter(run, module, name, site)  # it writes, and so looks for the stream, more than once
    definitions.look(run, given, site, f"{function.__qualname__}()", behind=harmless.root_of(module) in _LOOKING_BEHIND)


def construct(run: Any, function: types.FunctionType, site: int, given: tuple[Any, ...]) -> None:
    """An initialiser that a library has made is called for a new object, with these arguments."""
    run.current.silent += 1
    _call_made_ones(run, function, site, given)


def _call_made_ones(run: Any, function: types.FunctionType, site: int, given: tuple[Any, ...]) -> None:
    """A function that a library has made calls what it names: factories, converters, validators. It may call any of
    them, with any of its arguments."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    waiting: list[Any] = [function]
    others: list[Any] = []
    seen: set[int] = set()
    for each in waiting:
        if type(each) is types.FunctionType:
            _call_behind(run, each, (), site)
        for called in callbacks_in_c.called_by(each):
            if id(called) not in seen and type(called) not in BUILTIN_METHODS:
                seen.add(id(called))
                made = _made_initialiser(called) if is_a(called, type) else called
                more = made is not None and _calls_its_own(made)
                (waiting if more else others).append(made if more else called)
    for called in others:
        for report in calling:
            report(run, called, site, given, {})


#: Functions that make another object of their argument's class: of `dataclasses`, `copy` and attrs.
_MAKING_AGAIN: Final = frozenset("replace _replace evolve".split())


def _calls_its_own(thing: Any) -> bool:
    """Whether calls of a callable only call others that it holds: it, or the `__call__` of its class, is made by a
    library, or in the table."""
    found = classification.find(type(thing), "__call__") if type(thing) is not types.FunctionType else (None, thing)
    function = found[1] if found is not None else None
    if type(function) is not types.FunctionType:
        return False
    return is_made(function) or harmless.calls_its_own(module_of(function), function.__qualname__)


def _construct_again(run: Any, kind: type, site: int, given: tuple[Any, ...]) -> None:
    """A function of a library calls a class, whose initialiser may be one that a library has made."""
    if (made := _made_initialiser(kind)) is not None:
        construct(run, made, site, given)


def _made_initialiser(kind: type) -> types.FunctionType | None:
    """The initialiser of a class, if a library has made it."""
    found = next((each.__dict__["__init__"] for each in bases(kind) if "__init__" in each.__dict__), None)
    return found if type(found) is types.FunctionType and is_made(found) else None


def _call_made(
    run: Any, function: types.FunctionType, site: int, args: tuple[Any, ...], given: tuple[Any, ...]
) -> None:
    """A function that a library has made for a class of the program."""
    _call_made_ones(run, function, site, args)
    if function.__name__ not in ("__init__", "__new__", "__post_init__"):
        deep_access.read(run, given, site, copying=True)
    elif args and is_a(args[0], _owner_of(function, type(args[0]))) and not run.is_recording:
        _made_again(run, args[0], function, site)


#: The module all of whose shared state is in child processes: the models of its methods pass the steps on them.
_CHILDREN: Final = "subprocess"

#: Methods of `unittest.mock.patch` that replace an object by another one.
_PATCHING: Final = frozenset("__enter__ __exit__ start stop".split())

#: Modules whose functions write on the present `sys.stdout` or `sys.stderr`.
_WRITING: Final = frozenset({"pprint", "traceback", "warnings", "logging"})

#: Modules whose functions inspect the classes of their arguments.
_LOOKING_BEHIND: Final = frozenset("inspect pydoc pprint reprlib string json pickle copy".split())

#: Functions that set a stream of `sys`, and set it back.
_REDIRECTING: Final = frozenset({"_RedirectStream.__enter__", "_RedirectStream.__exit__"})

#: Functions that look at annotations, or at the fields of data classes.
_READING_HINTS: Final = frozenset("get_type_hints get_annotations signature fields asdict astuple replace".split())

#: Attributes of classes that hold annotations and fields.
_HINTS: Final = ("__annotations__", "__annotations_cache__", "__dataclass_fields__")


def reads_hints(function: types.FunctionType) -> bool:
    """Whether a function reads annotations, or the fields of data classes."""
    return function.__name__ in _READING_HINTS


def _look_at_hints(run: Any, function: types.FunctionType, given: Iterable[Any], site: int) -> None:
    """Such functions read annotations and fields in a loop, so a change by another thread may come in between."""
    if reads_hints(function):
        hints = [hints for each in given for hints in _hints_of(each)]
        if deep_access.reads_shared(run, hints, site) and not run.is_recording:
            _enter(run, module_of(function), function.__name__, site)


def _hints_of(thing: Any) -> list[Any]:
    """The annotations and fields of a class and its bases, or of a function; annotations that were never asked for are
    not shared."""
    if type(thing) is types.FunctionType:
        return _evaluated(thing) if sys.version_info >= (3, 14) else [thing.__annotations__]
    places = bases(thing) if is_a(thing, type) else (thing, *bases(type(thing)))
    spaces = [getattr(each, "__dict__", {}) for each in places]
    return [space.get(name) for space in spaces for name in _HINTS]


def _evaluated(function: types.FunctionType) -> list[Any]:
    """A function's annotations if they have been evaluated: to evaluate others would run code of the program."""
    others = [getattr(function, name) for name in ("__globals__", "__builtins__", "__dict__", "__kwdefaults__")]
    found = [each for each in gc.get_referents(function) if type(each) is dict]
    return [each for each in found if not any(each is other for other in others)]


def _count_changers(run: Any, function: types.FunctionType, given: tuple[Any, ...], site: int) -> None:
    """A function that changes nothing by itself may call a method in C among its arguments: the function is explored,
    if its module can be, or else the call counts as untracked."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    module = module_of(function)
    handed = [each for each in given if type(each) in BUILTIN_METHODS and changes(each)]
    if handed and not harmless.keeps_what_is_called(module, function.__qualname__) and not _explore(run, module):
        for each in handed:
            untracked.count_untracked(run, f"{each.__name__}(), handed to {function.__qualname__}()", site)
    _call_behind(run, function, given, site)
    if function.__name__ in _MAKING_AGAIN and given:
        _construct_again(run, type(given[0]), site, given[1:])


def _call_behind(run: Any, function: types.FunctionType, given: tuple[Any, ...], site: int) -> None:
    """A function may call methods in C that it, or its object, leads to."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    _call_methods(run, callbacks_in_c.methods_in_c(function, given), f"{function.__qualname__}()", site)


def holds_methods(run: Any, thing: Any) -> bool:
    """Whether an object in C may, when it is called, call methods in C that it holds, and threads might notice."""
    return not run.is_recording and has_concurrent_threads(run) and bool(callbacks_in_c.methods_held(thing))


def call_held(run: Any, thing: Any, site: int) -> None:
    """An object in C is called, which may call methods in C that it holds."""
    _call_methods(run, callbacks_in_c.methods_held(thing), f"a {type(thing).__name__}", site)


#: Methods of builtin containers that only look at them; the look-up of a `defaultdict` adds a missing key.
_LOOKING: Final = frozenset("__getitem__ __contains__ __len__ get index count copy".split())
_LOOKED_AT: Final = frozenset({dict, list, set, bytearray})


def _contents_of_owners(methods: list[Any]) -> list[Access]:
    return [access for each in methods for access in deep_access.contents_of(each.__self__)]


def _call_methods(run: Any, methods: list[Any], by: str, site: int) -> None:
    """Methods in C may be called at unknown times with unknown arguments."""
    looking = [
        each for each in methods if getattr(each, "__name__", "") in _LOOKING and type(each.__self__) in _LOOKED_AT
    ]
    others = [each for each in methods if not any(each is other for other in looking)]
    find = functools.partial(_contents_of_owners, looking)
    if not others:
        if reads := find():
            native_objects.visit(run, None, reads, find, site)
        return
    text = f"{getattr(others[0], '__name__', '?')}(), which {by} may call"
    count = functools.partial(untracked.count_untracked, run, text, site)
    accesses = handed_over(run, tuple([each.__self__ for each in others]), count)
    contested: list[bool] = []
    in_one_step(
        run,
        site,
        lambda part: [part.visit(each.op, each.target, site) for each in find()],
        lambda part: contested.append(bool(accesses) and _visit(part, accesses, site, f"calls by {by}")),
    )
    if any(contested):
        count()


def changes(function: types.BuiltinMethodType) -> bool:
    """Whether a method in C, which uninstrumented code may call, is one of an object that has a state."""
    if is_a(function.__self__, types.ModuleType):
        return False
    owner = type(function.__self__)
    return owner not in deep_access.PLAIN and (shape_of(owner).base is not None or state_of(owner) is not NOTHING)


def _owner_of(function: types.FunctionType, kind: type) -> tuple[type, ...]:
    """The classes among those of an object that have a function for their initialiser."""
    return tuple([each for each in bases(kind) if each.__dict__.get("__init__") is function])


def _made_again(run: Any, thing: Any, function: types.FunctionType, site: int) -> None:
    """An initialiser that a library has made is called for an object that is there already, unless the object's own
    initialiser calls it."""
    again = not key_fields.is_being_made(thing) and has_concurrent_threads(run)
    if again or any(access.target in run.touched for access in deep_access.instance_accesses(thing)):
        untracked.count_untracked(run, f"{function.__qualname__}()", site)


def is_plain_reader(function: types.FunctionType) -> bool:
    """Whether a function, of a module that copies objects, only reads its arguments."""
    return harmless.is_pure_python(module_of(function), function.__qualname__)


def look_at(run: Any, function: types.FunctionType, site: int, given: tuple[Any, ...]) -> None:
    """A function looks at its arguments with their content, past the methods of objects; if it copies them, at nothing
    else."""
    definitions.look(run, given, site, f"{function.__qualname__}()", behind=True)
    _count_changers(run, function, given, site)
    if not run.is_recording and any(map(_is_stream, given)):
        enter(run, module_of(function), function.__name__, given, site)
    _look_at_hints(run, function, given, site)
    shallow = function is copy.copy and all(map(deep_access.is_copied_shallowly, given))
    if deep_access.reads_shared(run, given, site, shallow) and not run.is_recording:
        _enter(run, module_of(function), function.__name__, site)


def enter(run: Any, module: str, name: str, given: tuple[Any, ...], site: int) -> None:
    """Code of a module is about to be entered that may have any effect on its arguments, and on its own state."""
    package = harmless.root_of(module) or "?"
    target = (OBJECT, package)
    accesses = [Access(_RMW, target), *handed_over(run, given, functools.partial(_enter, run, module, name, site))]
    if _visit(run, accesses, site, f"the state of {package}"):
        _enter(run, module, name, site)


def _visit(run: Any, accesses: list[Access], site: int, words: str) -> bool:
    """Pass the step of a call into uninstrumented code, unless its thread is alone; returns whether threads contend
    there."""
    target = accesses[0].target
    if not has_concurrent_threads(run) and run.touched.get(target) is not SHARED:
        return False
    if run.detail:
        run.names[target] = words
        for access in accesses[1:]:
            run.names.setdefault(access.target, "")
    run.visit(_RMW, target, site, None, tuple(accesses[1:]))
    return is_contested(run, accesses)


def driven(run: Any, generator: Any, site: int) -> list[Access]:
    """The accesses of a generator that is about to be resumed, if its code is not instrumented: any to its
    variables."""
    frame = generator.gi_frame
    if frame is None or frame.f_code.co_filename in sites.instrumented:
        return []
    module = frame.f_globals.get("__name__", "")
    if harmless.root_of(module) in harmless.MODELLED:
        return []
    count = functools.partial(_enter, run, module, frame.f_code.co_name, site)
    record = run.touched.get((OBJECT, objects.number(generator)))
    if record is not None and record[0] != run.current.index and has_concurrent_threads(run):
        count()  # the generator runs in more than one step
    return handed_over(run, tuple(frame.f_locals.values()), count)


def is_contested(run: Any, accesses: list[Access]) -> bool:
    """Whether several threads touch one of these locations, while more than one of the threads exists."""
    if not has_concurrent_threads(run):
        return False
    me = run.current.index
    for access in accesses:
        record = run.touched.get(access.target)
        if record is not None and record[0] != me:
            if record[1] or access.op is not _READ or kind_of(access.target) is Kind.OBJECT:
                return True
    return False


def _enter(run: Any, module: str, name: str, site: int) -> None:
    """Count code as entered and not explored, unless it will be from now on."""
    package = harmless.root_of(module) or "?"
    if _explore(run, module):
        return
    if package == "?":
        untracked.count_untracked(run, f"{name}(), code that is not in a module,", site)
        return
    advice = module if package in harmless.stdlib_names() else package
    text = f"{ENTERED}{advice} (add --include {advice})"
    run.untracked[text] = run.untracked.get(text, 0) + 1


def _explore(run: Any, module: str) -> bool:
    """Whether a module is to be explored from now on: then the search begins again. Clean-up code of threads that are
    unwound is no part of the run."""
    if run.is_recording or not harmless.is_explorable(module):
        return False
    if run.aborting and not run.has_ended:
        return True
    run.sharing.learn((_mark_of(module),))
    return bool(run.sharing.found_new_points)


def explore(run: Any, prefix: str) -> None:
    """Have all loaded modules of the standard library whose names begin with a prefix explored from now on."""
    names = [name for name in list(sys.modules) if name.startswith(prefix) and harmless.is_explorable(name)]
    if not run.is_recording and not run.aborting:
        run.sharing.learn([_mark_of(name) for name in sorted(names)])


def _mark_of(module: str) -> int:
    """The mark among points for a module of the standard library that is to be instrumented."""
    return -1 - (crc32(module.encode("utf-8", "surrogatepass")) | _EXPLORED)


def marks_of(modules: Iterable[str]) -> set[int]:
    """The marks that stand for these modules among the needed points."""
    return {_mark_of(module) for module in modules}


def marks(points: Iterable[int]) -> set[int]:
    """The marks among points that stand for modules."""
    return {point for point in points if point < 0 and -1 - point & _EXPLORED}


def explored(points: Iterable[int]) -> list[str]:
    """The modules, of those that were imported, that are to be instrumented."""
    known = marks(points)
    if not known:
        return []
    return [name for name in sorted(sys.modules) if harmless.is_explorable(name) and _mark_of(name) in known]


def count_unexplored(run: Any, thing: Any, name: str, site: int, given: tuple[Any, ...] | None = None) -> None:
    """A method of a container was used that is written in Python: it is no single step if threads share the container,
    or an argument. ``given`` are the arguments, if they are known."""
    if run.is_recording or not has_concurrent_threads(run):
        return
    found = classification.find(type(thing), name)
    if found is None or type(found[1]) is not types.FunctionType or classification.is_instrumented(found[1]):
        return
    if harmless.root_of(module_of(found[1])) == harmless.root_of(__name__):
        return  # a model, which passes its own steps
    n = objects.numbers.get(id(thing))
    last = run.log[-1] if run.log else None
    targets = {(STRUCTURE, n)}
    if last is not None and last[3] == site:
        targets |= {last[2], *[each.target for each in last[6]]}
    shared = [each for each in targets if run.touched.get(each) is SHARED]
    if shared and given is not None and _calls_tracked_methods(run, thing, found[1], given):
        own = n, objects.numbers.get(id(objects.dictionary(thing)["data"]))
        shared = [each for each in shared if each[1] not in own]  # these methods report their own steps
    if shared:
        _enter(run, module_of(found[1]), found[1].__qualname__, site)


#: Methods of `collections.abc` that access their object by its own methods only, and which.
_BY_ITS_METHODS: Final = {
    "Mapping.get": ("__getitem__",),
    "MutableMapping.update": ("__setitem__",),
    "MutableMapping.pop": ("__getitem__", "__delitem__"),
    "MutableMapping.setdefault": ("__getitem__", "__setitem__"),
}


def _calls_tracked_methods(run: Any, thing: Any, function: types.FunctionType, given: tuple[Any, ...]) -> bool:
    """Whether a method of the library accesses its object by methods that are instrumented only, or are from now on,
    and goes through no argument by code in Python."""
    names = _BY_ITS_METHODS.get(function.__qualname__, ()) if is_a(thing, UserDict) else ()
    data = objects.dictionary(thing).get("data")
    if not names or type(data) is not dict or any(each is data or not _is_plain_content(each) for each in given):
        return False
    found = [classification.find(type(thing), name) for name in names]
    methods = [each[1] for each in found if each is not None and type(each[1]) is types.FunctionType]
    return len(methods) == len(names) and all(
        classification.is_instrumented(each) or _explore(run, module_of(each)) for each in methods
    )


def _is_plain_content(thing: Any) -> bool:
    """Whether an object is a scalar, a dictionary with scalars for keys, or a list or tuple of scalars and tuples."""
    if type(thing) is list or type(thing) is tuple:
        return all(type(each) is tuple or type(each) in deep_access.PLAIN for each in thing)
    if type(thing) is dict:
        return all(type(each) in deep_access.PLAIN for each in thing)
    return type(thing) in deep_access.PLAIN


def count_if_shared(run: Any, thing: Any, name: str, site: int) -> None:
    """An object of a class that is not instrumented was used: its methods are no single steps if threads share it."""
    if run.is_recording or state_of(type(thing)) is not FOREIGN or not has_concurrent_threads(run):
        return
    record = run.touched.get((OBJECT, objects.number(thing)))
    if record is not None and record[0] == -1 and not _is_field_in_c(type(thing), name):
        _enter(run, _module_of_class(type(thing)), f"{type(thing).__name__}.{name}", site)


def _is_field_in_c(kind: type, name: str) -> bool:
    """Whether code in C alone gets and sets an attribute, as that of a number or a structure of `ctypes`."""
    found = classification.find(kind, name)
    if found is None or (type(found[1]) not in _FIELDS and type(found[1]).__module__ != "_ctypes"):
        return False
    ways = [classification.find(kind, each) for each in ("__getattribute__", "__setattr__")]
    return all(each is not None and type(each[1]) is types.WrapperDescriptorType for each in ways)


_FIELDS: Final = frozenset({types.GetSetDescriptorType, types.MemberDescriptorType})


def _count_iteration(run: Any, thing: Any, site: int) -> None:
    """Code in C goes through an object of a class that is not instrumented, which takes several steps.

    Methods of a file of the run report those themselves.
    """
    if any(name.startswith("_mz") for name in vars(type(thing))):
        return
    record = run.touched.get((OBJECT, objects.number(thing)))
    if record is not None and record[0] != run.current.index and has_concurrent_threads(run):
        _enter(run, _module_of_class(type(thing)), f"{type(thing).__name__}.__iter__", site)


deep_access.iterated.append(_count_iteration)


def _module_of_class(kind: type) -> str:
    """The module of the class that makes objects of another one foreign."""
    for each in bases(kind):
        if native_objects.is_in_python(each) and not native_objects.is_ours(each):
            return str(type.__dict__["__module__"].__get__(each))
    return ""


#: Stands for the name of an object that is called and has none.
_NAMELESS: Final = "?"


def native(run: Any, function: Any, site: int, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """A function or class in C that no rule covers is about to be called: it may change its arguments, and keep a state
    of its own."""
    module = getattr(function, "__module__", None) or "builtins"
    name = getattr(function, "__name__", _NAMELESS)
    given = (*args, *named.values())
    run.current.silent += 1
    if harmless.root_of(module) in harmless.MODELLED:
        return
    definitions.hold_by_call(run, module, name, given, site)
    key = named.get("key")
    reads: tuple[Access, ...] = ()
    if gives_containers(key) and has_concurrent_threads(run):
        if harmless.is_pure_native(module, name) and _gets_plain_values(key, args):
            reads = effects_of_calls(calling[0], key, args[0], site)
        else:
            untracked.count_untracked(run, f"a key in C of {name}()", site)
    called = name if name != _NAMELESS else type(function).__name__
    if harmless.is_foreign_function(function) and call_foreign(run, called, site):
        return
    if run.is_recording or harmless.is_pure_native(module, name):
        _native_pure(run, module, name, site, given, reads)
        return
    if harmless.root_of(module) == "numpy":
        args = tuple([each for each in args if each is not function])
        looks = harmless.only_looks_at_arrays(function, args, named)
        find = functools.partial(accesses_of_arrays, (*args, *named.values()), looks)
        if accesses := find():
            spans = array_operations.spans(run, site, arrays_in((*args, *named.values())), name)
            since = array_operations.begin(run, spans, site) if spans else 0
            native_objects.visit(run, None, accesses, find, site)
            if spans:
                array_operations.end(run, since, spans, site)
        return
    text = f"{module}.{name}()" if name != _NAMELESS else f"a call of an object of {type(function).__name__}"
    count = functools.partial(untracked.count_untracked, run, text, site)
    if harmless.touches_only_given(module, name):
        _call_with_given(run, module, given, site, count)
        return
    wrapped = harmless.functions_wrapped_by(function)
    if wrapped and all(map(is_seen, wrapped)):
        run.visit(_READ, (OBJECT, objects.number(function)), site)
        return
    beside = tuple([each for each in args if each is not function])
    if (made := harmless.made_by(function, (*beside, *named.values()))) is not None:
        _call_made_by(run, function, made, site, beside, named)
        return
    accesses = [Access(_RMW, (OBJECT, module)), *handed_over(run, given, count), *_streams_read(name)]
    accesses += _by_values(module, given, changing=True)
    if _visit(run, accesses, site, f"the state of {module}"):
        count()


#: Functions that return the accesses of a call in C to resources outside of the heap that a value among its arguments
#: stands for: of a module, the arguments, and whether the call may change them.
accesses_by_values: Final[list[Callable[..., list[Access]]]] = []


def _by_values(module: str, given: tuple[Any, ...], *, changing: bool) -> list[Access]:
    return [each for find in accesses_by_values for each in find(module, given, changing=changing)]


def _gets_plain_values(key: Any, args: tuple[Any, ...]) -> bool:
    """Whether a key function returns numbers or texts only, one attribute of each element of a list."""
    names: Any = key.__reduce__()[1] if type(key) is operator.attrgetter else ()
    if len(names) != 1 or "." in names[0] or not args or type(args[0]) is not list or len(args[0]) > _MOST_KEYS:
        return False
    return all(type(objects.peek_attribute(each, names[0])) in objects.SCALARS for each in args[0])


#: The keys of at most so many elements are looked at.
_MOST_KEYS: Final = 64


def _native_pure(
    run: Any, module: str, name: str, site: int, given: tuple[Any, ...], reads: tuple[Access, ...] = ()
) -> None:
    """A function in C is about to be called that changes nothing: one step with all its reads; ``reads`` are those by
    calls of a key function."""
    copies = module in _COPYING_IN_C
    if module != "builtins":
        definitions.look(run, given, site, f"{name}()", behind=copies)
    beside = [*reads]
    if not run.is_recording:
        beside += [*_streams_read(name), *_by_values(module, given, changing=False)]
        if harmless.keeps_a_state(module):
            beside.append(Access(_READ, (OBJECT, module)))  # others of its functions may change it
    if not beside:
        deep_access.read(run, given, site, copying=copies)
        return
    in_one_step(
        run,
        site,
        lambda part: deep_access.read(part, given, site, copying=copies),
        lambda part: [part.visit(each.op, each.target, site) for each in beside],
    )


def _streams_read(name: str) -> list[Access]:
    """The stream of `sys` that a function in C of that name writes on."""
    return [Access(_READ, (GLOBAL, "sys", _WRITING_IN_C[name]))] if name in _WRITING_IN_C else []


def _call_made_by(
    run: Any,
    factory: Any,
    made: tuple[Any, tuple[Any, ...], dict[str, Any]],
    site: int,
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> None:
    """A factory in C is called: the call reads it, and calls the callable that it makes, with its own arguments and the
    given ones."""
    callee, before, kept = made
    run.visit(_READ, (OBJECT, objects.number(factory)), site)
    for report in calling:
        report(run, callee, site, (*before, *args), {**kept, **named})


def _call_with_given(run: Any, module: str, given: tuple[Any, ...], site: int, count: Callable[[], None]) -> None:
    """A function in C that only accesses its arguments, and calls methods of them, as of a file."""
    if has_concurrent_threads(run) and any(_is_called_unseen(each, name) for each in given for name in _OF_FILES):
        count()
    in_one_step(
        run,
        site,
        lambda part: deep_access.read(part, given if module in _COPYING_IN_C else (), site, copying=True),
        lambda part: [part.visit(each.op, each.target, site) for thing in given for each in anything_with(thing)],
    )


#: Methods of files by which a function in C reads or writes.
_OF_FILES: Final = ("write", "read", "readline", "readinto")


def _is_called_unseen(thing: Any, name: str) -> bool:
    """Whether an object has a method of that name that neither reports its own steps nor is a method in C of a file."""
    if name in objects.dictionary(thing):
        return True
    found = classification.find(type(thing), name)
    if found is None:
        return False
    owner, method = found
    if type(method) is types.FunctionType:
        return not is_seen(method) and harmless.root_of(module_of(method)) not in harmless.MODELLED
    return owner.__module__ != "_io" or type(method) is not types.MethodDescriptorType


#: Functions in C that write on a stream of `sys` -> the name of the stream.
_WRITING_IN_C: Final = {"warn": "stderr", "warn_explicit": "stderr", "excepthook": "stderr", "displayhook": "stdout"}

#: Modules in C whose functions bypass the methods of their arguments.
_COPYING_IN_C: Final = frozenset("_pickle _json marshal".split())


def call_foreign(run: Any, name: str, site: int) -> bool:
    """A function is about to be called by way of `ctypes`; returns whether it was counted."""
    if run.is_recording or not has_concurrent_threads(run):
        return False
    untracked.count_untracked(run, f"the foreign function {name}()", site)
    return True


def module_of(function: Any) -> str:
    """The module of a function according to its code, since a wrapper may show another function's module."""
    space = getattr(function, "__globals__", None)
    name = harmless.known_as(space.get("__name__")) if type(space) is dict else None
    return name if isinstance(name, str) else getattr(function, "__module__", None) or ""


def is_made(function: types.FunctionType) -> bool:
    """Whether a library has made a function from a text, for a class of the program: an initialiser, a comparison."""
    code = function.__code__
    if module_of(function).startswith("namedtuple_"):
        return True
    return code.co_filename.startswith("<") and not code.co_filename.startswith("<frozen") and code.co_name in _MADE


def _has_method(thing: Any, name: str) -> bool:
    kind = type(thing)
    return state_of(kind) in (FOREIGN, NATIVE) and any(name in each.__dict__ for each in bases(kind))
