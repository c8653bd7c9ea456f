"""The state that every run starts from: a snapshot is taken once after imports, and put back before each run.

A snapshot walks the objects that are reachable from the modules under test (globals, class attributes, closure cells,
function attributes, instances, containers) and keeps a shallow copy of each mutable object's content. Restoring
compares by identity, at the speed of C, and rewrites in place only the objects that a run changed, so that references
held anywhere stay valid. Objects whose content can't be put back (generators, open files, caches filled at import ...)
are listed in :attr:`Snapshot.obstacles`: then every run has to be made in a forked child.

None of this calls methods of the program: classes that derive from containers may override each of them, as a set does
that is filled at its first use (pytz).

Cost: about 30 ns per dictionary entry and restore; the walk itself about a microsecond per object.
"""

from __future__ import annotations

import _random
import array
import functools
import gc
import io
import itertools
import os
import random
import sys
import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import is_
from typing import Any, Final

from mazurka.program.python.instrument import known_functions
from mazurka.program.python.isolation.counters import Counter, is_counter
from mazurka.program.python.semantics.objects import NO_ATTRIBUTES, dictionary

#: The real function; programs are given a model of it.
_getcwd: Final = os.getcwd

#: A restorer puts one object back and says whether it had changed.
Restorer = Callable[[], bool]

_ATOMS: Final = (
    str, bytes, int, float, complex, bool, type(None), type(Ellipsis), type(NotImplemented), range, slice,
    types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType, types.MethodWrapperType, types.CodeType,
    types.ModuleType,
)  # fmt: skip

_STUCK: Final = (
    types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, io.IOBase, memoryview,
)  # fmt: skip

#: Streams that are put back like a container.
_BUFFERS: Final = (io.StringIO, io.BytesIO)

_FILES: Final = (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.FileIO, *_BUFFERS)

#: Module globals that belong to the import system.
_IMPORT_NAMES: Final = frozenset({"__builtins__", "__spec__", "__loader__", "__cached__", "__warningregistry__"})

#: More objects than this are not walked: a fork is cheaper than comparing them before each run.
_MOST: Final = 40_000


class Snapshot:
    """The content of all mutable objects that are reachable from the given modules."""

    def __init__(
        self,
        modules: Iterable[types.ModuleType],
        apart: tuple[type, ...] = (),
        reshaped: Callable[[], object] = lambda: None,
    ) -> None:
        """``apart``: types whose instances restore their own state; ``reshaped`` is called when a class was changed."""
        self._reshaped = reshaped
        self.obstacles: list[str] = []
        self._atoms: tuple[type, ...] = (*_ATOMS, *apart)
        self._restorers: list[Restorer] = []
        self._keep: list[object] = []  # the walked objects, so that their ids stay theirs
        self._seen: set[int] = set()
        self._tracked = {module.__name__ for module in modules}
        self._todo: list[tuple[str, object]] = []
        self._counters: dict[int, Counter] = {}
        self._remade: dict[int, Callable[[], Restorer]] = {}
        for module in modules:
            self._walk_module(module)
        while self._todo and not self.too_large:
            path, obj = self._todo.pop()
            self._walk(path, obj)
        self._take_counters()
        self._environ = dict(_environment())
        self._cwd = _getcwd()
        self._path = list(sys.path)

    @property
    def too_large(self) -> bool:
        """Whether putting everything back would take longer than a forked child per execution."""
        return len(self._restorers) > _MOST

    def reaches(self, module: types.ModuleType) -> bool:
        """Whether anything that was walked is a function or a class of a module."""
        space, name = vars(module), module.__name__
        return any(
            each.__globals__ is space if type(each) is types.FunctionType else vars(each).get("__module__") == name
            for each in self._keep
            if issubclass(type(each), (types.FunctionType, type))
        )

    def restore(self) -> int:
        """Put everything back; the number of objects that had changed."""
        changed = 0
        for restorer in self._restorers:
            if restorer():
                changed += 1
        if _environment() != self._environ:
            os.environ.clear()
            os.environ.update({os.fsdecode(name): os.fsdecode(value) for name, value in self._environ.items()})
        if sys.path != self._path:
            sys.path[:] = self._path
        if _getcwd() != self._cwd:
            os.chdir(self._cwd)
        return changed

    # -- walking ----------------------------------------------------------------------------------------------------

    def _walk_module(self, module: types.ModuleType) -> None:
        if id(module) in self._seen:
            return
        self._seen.add(id(module))
        self._walk_namespace(module.__name__, vars(module), _IMPORT_NAMES)

    def _walk_namespace(self, path: str, namespace: dict[str, Any], spared: Collection[str] = ()) -> None:
        place = self._restore_by(functools.partial(_restore_dict, namespace))
        for name, value in list(namespace.items()):
            if name not in spared:
                self._meet(f"{path}.{name}", value, place, functools.partial(namespace.__setitem__, name))

    def _restore_by(self, make: Callable[[], Restorer]) -> int:
        """Add the restorer that ``make`` returns, and returns again when a counter was replaced; its index."""
        self._restorers.append(make())
        place = len(self._restorers) - 1
        self._remade[place] = make
        return place

    def _meet(self, path: str, value: object, place: int, put: Callable[[Any], object]) -> None:
        """Note a value that the restorer at ``place`` puts back; ``put`` would put another in its place."""
        if not is_counter(value):
            self._todo.append((path, value))
            return

        def hold(counter: object) -> None:
            put(counter)
            self._restorers[place] = self._remade[place]()

        counter = self._counters.setdefault(id(value), Counter(path, value))
        counter.holders[place, path] = hold

    def _take_counters(self) -> None:
        """Add the counters, after all that refers to them; those of which not all holders are known are obstacles."""
        places = {place for counter in self._counters.values() for place, _ in counter.holders}
        for place in places:  # otherwise it would refer to its counters, too
            self._restorers[place] = bool
        known = [counter for counter in self._counters.values() if counter.is_known()]
        for place in places:
            self._restorers[place] = self._remade[place]()
        self._restorers += [counter.restore for counter in known]
        self.obstacles += [
            f"{counter.path} is an itertools.count" for counter in self._counters.values() if counter not in known
        ]

    def _walk(self, path: str, obj: Any) -> None:
        # By type only: `isinstance` and `hasattr` would ask proxies and lazy objects, which run code of the program.
        kind = type(obj)
        if issubclass(kind, self._atoms) or id(obj) in self._seen:
            return
        self._seen.add(id(obj))
        self._keep.append(obj)
        if issubclass(kind, type):
            self._walk_class(path, obj)
        elif kind is types.FunctionType:
            self._walk_function(path, obj)
        elif kind is types.CellType:
            self._walk_cell(path, obj)
        elif kind is types.MethodType:
            self._todo += [(path, obj.__self__), (path, obj.__func__)]
        elif kind is staticmethod or kind is classmethod:
            self._todo.append((path, obj.__func__))
        elif kind is property:
            self._todo += [(path, part) for part in (obj.fget, obj.fset, obj.fdel)]
        elif kind is functools.partial:
            self._todo += [(path, obj.func), (path, obj.args), (path, obj.keywords)]
        elif issubclass(kind, (tuple, frozenset)):
            items = tuple.__iter__(obj) if issubclass(kind, tuple) else frozenset.__iter__(obj)
            self._todo += [(path, item) for item in items]
            self._walk_attributes(path, obj, known=True)
        elif issubclass(kind, _STUCK):
            if kind in _BUFFERS and not obj.closed:
                self._restorers.append(_restore_stream(obj))
            elif not any(obj is stream for stream in _standard_streams()) and not _keeps_nothing(obj, kind):
                self.obstacles.append(f"{path} is a {kind.__name__}")
        elif not issubclass(kind, (weakref.ref, types.MappingProxyType)):
            self._walk_attributes(path, obj, self._walk_content(path, obj, kind))

    def _walk_content(self, path: str, obj: Any, kind: type) -> bool:
        """Save the content of a container; returns whether the container is of one of the known kinds."""
        for base, restorer in _RESTORERS:
            if issubclass(kind, base):
                self._restorers.append(restorer(obj))
                if issubclass(kind, dict):
                    self._walk_items(path, obj)
                elif issubclass(kind, (list, deque, set)):
                    self._todo += [(f"{path}[{index}]", item) for index, item in enumerate(base.__iter__(obj))]
                return True
        if kind is itertools.count:
            self.obstacles.append(f"{path} refers to an itertools.count")
        elif kind is _CACHE:
            self._walk_cache(path, obj)
        else:
            return False
        return True

    def _walk_items(self, path: str, mapping: dict[Any, Any]) -> None:
        for key, value in list(dict.items(mapping)):
            self._todo += [(path, key), (f"{path}[{key!r}]" if (type(key) is str or type(key) is int) else path, value)]

    def _walk_attributes(self, path: str, obj: object, known: bool) -> None:
        namespace = dictionary(obj)
        if type(namespace) is dict and namespace is not NO_ATTRIBUTES:
            self._seen.add(id(namespace))
            self._keep.append(namespace)
            self._walk_namespace(path, namespace)
        slots = list(slots_of(type(obj)))
        if slots:
            place = self._restore_by(functools.partial(_restore_slots, obj, slots))
            for name, descriptor in slots:
                value = _get_slot(descriptor, obj)
                if value is not _UNSET:
                    self._meet(f"{path}.{name}", value, place, functools.partial(descriptor.__set__, obj))
        if not known and namespace is NO_ATTRIBUTES and not slots and hasattr(type(obj), "__next__"):
            self.obstacles.append(f"{path} is a {type(obj).__name__}")

    def _walk_class(self, path: str, cls: type) -> None:
        if cls.__module__ not in self._tracked:
            return
        place = self._restore_by(functools.partial(_restore_class, cls, self._reshaped))
        for name, value in vars(cls).items():
            if name not in ("__dict__", "__weakref__"):
                self._meet(f"{path}.{name}", value, place, functools.partial(type.__setattr__, cls, name))

    def _walk_function(self, path: str, function: types.FunctionType) -> None:
        if function.__module__ not in self._tracked:
            return
        if function.__dict__:
            self._walk_namespace(path, function.__dict__)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._todo.append((path, default))
        for cell in function.__closure__ or ():
            self._todo.append((path, cell))

    def _walk_cell(self, path: str, cell: types.CellType) -> None:
        try:
            content = cell.cell_contents
        except ValueError:
            return
        place = self._restore_by(functools.partial(_restore_cell, cell))
        self._meet(path, content, place, functools.partial(setattr, cell, "cell_contents"))

    def _walk_cache(self, path: str, cached: Any) -> None:
        if cached.cache_info().currsize:
            self.obstacles.append(f"{path} is a cache that importing has filled")

        def restore() -> bool:
            dirty = bool(cached.cache_info().currsize)
            if dirty:
                cached.cache_clear()
            return dirty

        self._restorers.append(restore)
        self._todo.append((path, cached.__wrapped__))


_UNSET: Final = object()
_CACHE: Final = type(functools.lru_cache(len))


def _restore_dict(mapping: dict[Any, Any]) -> Restorer:
    keys, values = [*dict.keys(mapping)], [*dict.values(mapping)]
    size = len(keys)
    saved = dict.copy(mapping) if type(mapping) is dict else None  # a copy of others would call their `keys`

    def restore() -> bool:
        if (
            dict.__len__(mapping) == size
            and all(map(is_, dict.keys(mapping), keys))
            and all(map(is_, dict.values(mapping), values))
        ):
            return False
        dict.clear(mapping)
        dict.update(mapping, zip(keys, values, strict=True) if saved is None else saved)
        return True

    return restore


def _restore_ordered(mapping: OrderedDict[Any, Any]) -> Restorer:
    saved = list(OrderedDict.items(mapping))
    flat = [part for item in saved for part in item]

    def restore() -> bool:
        now = [part for item in OrderedDict.items(mapping) for part in item]
        if len(now) == len(flat) and all(map(is_, now, flat)):
            return False
        OrderedDict.clear(mapping)
        for key, value in saved:
            OrderedDict.__setitem__(mapping, key, value)
        return True

    return restore


def _restore_list(sequence: list[Any]) -> Restorer:
    saved = [*list.__iter__(sequence)]
    size = len(saved)

    def restore() -> bool:
        if list.__len__(sequence) == size and all(map(is_, list.__iter__(sequence), saved)):
            return False
        list.__setitem__(sequence, slice(None), saved)
        return True

    return restore


def _restore_set(members: set[Any]) -> Restorer:
    saved = [*set.__iter__(members)]
    ids = frozenset(map(id, saved))

    def restore() -> bool:
        if set.__len__(members) == len(ids) and ids.issuperset(map(id, set.__iter__(members))):
            return False
        set.clear(members)
        set.update(members, saved)
        return True

    return restore


def _restore_deque(queue: deque[Any]) -> Restorer:
    saved = [*deque.__iter__(queue)]
    size = len(saved)

    def restore() -> bool:
        if deque.__len__(queue) == size and all(map(is_, deque.__iter__(queue), saved)):
            return False
        deque.clear(queue)
        deque.extend(queue, saved)
        return True

    return restore


def _restore_buffer(base: Any, buffer: Any) -> Restorer:
    """For a bytearray or an array."""
    everything = slice(None)
    saved = base.__getitem__(buffer, everything)

    def restore() -> bool:
        if base.__eq__(buffer, saved):
            return False
        base.__setitem__(buffer, everything, saved)
        return True

    return restore


def _restore_stream(stream: Any) -> Restorer:
    """For a stream in memory."""
    saved, *newline = stream.__getstate__()[:-2]
    position = stream.tell()
    content = stream.getvalue()

    def restore() -> bool:
        if not stream.closed and stream.tell() == position and stream.getvalue() == content:
            return False
        stream.__init__(saved, *newline)  # in place, and open again
        stream.seek(position)
        return True

    return restore


def _keeps_nothing(obj: Any, kind: type) -> bool:
    """Whether this is a closed file, or one of the null device, of standard output or of standard error: pytest-xdist
    replaces the streams of these, of which loggers then keep older ones."""
    if kind not in _FILES:
        return False
    try:
        number = 1 if obj.closed else obj.fileno()
        return number in (1, 2) or os.path.samestat(os.fstat(number), os.stat(os.devnull))
    except (OSError, ValueError):
        return False


def _restore_random(generator: random.Random) -> Restorer:
    """For a generator of `random`; its other state (`gauss_next`) is an attribute like others."""
    state = _random.Random.getstate(generator)

    def restore() -> bool:
        dirty = _random.Random.getstate(generator) != state
        if dirty:
            _random.Random.setstate(generator, state)
        return dirty

    return restore


def _restore_cell(cell: types.CellType) -> Restorer:
    content = cell.cell_contents

    def restore() -> bool:
        try:
            if cell.cell_contents is content:
                return False
        except ValueError:
            pass
        cell.cell_contents = content
        return True

    return restore


def _restore_class(cls: type, reshaped: Callable[[], object]) -> Restorer:
    saved = dict(vars(cls))
    names, values = list(saved), list(saved.values())

    def restore() -> bool:
        now = vars(cls)
        if len(now) == len(names) and all(map(is_, now.values(), values)) and list(now) == names:
            return False
        if not _same_shape(now, saved):
            reshaped()
        changed = False
        for name in [name for name in now if name not in saved]:
            if name not in ("__abstractmethods__", "__static_attributes__", "__firstlineno__"):
                type.__delattr__(cls, name)
                changed = True
        for name, value in saved.items():
            if now.get(name, _UNSET) is not value and name not in ("__dict__", "__weakref__"):
                type.__setattr__(cls, name, value)
                changed = True
        return changed

    return restore


#: Types of class attributes that are found in one way: replacing a value by another of these types changes no shape.
_PLAIN: Final = frozenset({int, float, str, bytes, bool, type(None), tuple, list, dict, set})


def _same_shape(now: Mapping[str, Any], saved: Mapping[str, Any]) -> bool:
    """Whether all attributes of a class are found in the same way as before."""
    return now.keys() == saved.keys() and all(
        now[name] is value or (type(value) in _PLAIN and type(now[name]) is type(value))
        for name, value in saved.items()
    )


def slots_of(cls: type) -> Iterable[tuple[str, Any]]:
    """The slots that instances of a class have: names, and functions that read and store them without running code."""
    for base in cls.__mro__:
        if "__slots__" in vars(base):
            for name, descriptor in vars(base).items():
                if isinstance(descriptor, types.MemberDescriptorType):
                    yield name, descriptor


def _get_slot(descriptor: Any, obj: object) -> Any:
    try:
        return descriptor.__get__(obj, type(obj))
    except AttributeError:
        return _UNSET


def _restore_slots(obj: object, slots: list[tuple[str, Any]]) -> Restorer:
    saved = [(descriptor, _get_slot(descriptor, obj)) for _, descriptor in slots]

    def restore() -> bool:
        changed = False
        for descriptor, value in saved:
            if _get_slot(descriptor, obj) is value:
                continue
            changed = True
            if value is _UNSET:
                descriptor.__delete__(obj)
            else:
                descriptor.__set__(obj, value)
        return changed

    return restore


_RESTORERS: Final[list[tuple[Any, Callable[[Any], Restorer]]]] = [
    (OrderedDict, _restore_ordered),
    (dict, _restore_dict),
    (list, _restore_list),
    (set, _restore_set),
    (deque, _restore_deque),
    (bytearray, functools.partial(_restore_buffer, bytearray)),
    (array.array, functools.partial(_restore_buffer, array.array)),
    (random.Random, _restore_random),
]


def _environment() -> dict[Any, Any]:
    """The encoded content of `os.environ`: decoding all of it takes longer than many a run."""
    return vars(os.environ)["_data"]  # type: ignore[no-any-return]  # not in its stub, but in every CPython


def _standard_streams() -> tuple[object, ...]:
    return sys.stdout, sys.stderr, sys.stdin, sys.__stdout__, sys.__stderr__, sys.__stdin__


def hold_collector() -> Callable[[], None]:
    """Stop automatic garbage collection, so that finalisers run when the caller collects; returns the function that
    undoes this."""
    collecting = gc.isenabled()
    known_functions.freeze()  # older objects are frozen: a full collection costs more than many a search
    gc.disable()

    def undo() -> None:
        known_functions.thaw()
        if collecting:
            gc.enable()

    return undo
