"""Operations on builtin containers as calls of a type of the library, in runs whose calls are single steps.

=========  =====================================================================================================
container  operations
=========  =====================================================================================================
``set``    ``add``, ``discard``, ``remove``, ``clear``, ``in``, ``len``
``dict``   ``d[k]``, ``d[k] = v``, ``del d[k]``, ``get``, ``pop``, ``setdefault``, ``clear``, ``in``, ``len``
``list``   ``append``, ``pop()``, ``remove``, ``clear``, ``l[i]``, ``l[i] = v`` (no slices), ``in``, ``len``
``deque``  ``append``, ``appendleft``, ``pop``, ``popleft``, ``clear``, ``in``, ``len``; without a ``maxlen``
Counter    ``c[k]``, ``c[k] = n``, ``del c[k]``, ``in``
=========  =====================================================================================================

Only operations of these classes themselves count, not of classes that derive from them, and only with plain values.
Each container is marked on its own, as objects of marked classes are (:mod:`.observer`): a call is held to the model,
and a container that anything else touches (a loop over it, ``sorted``, another method, code in C) is ordinary code, in
a search that begins again. ``get`` and ``pop`` with a default are calls that find the key missing, or not.

A hook returns an object that stands for the container in its operation, so that the end of the call is seen.

Cost: for each operation that of a call of a marked object; the state is a copy of the container.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from mazurka import marked_methods
from mazurka.marked_methods import MarkedClass
from mazurka.program.python.invocations.marks import ObstacleReason, ordinary
from mazurka.program.python.invocations.observer import CallsAsSteps
from mazurka.program.python.invocations.runtime import InvokingRuntime
from mazurka.program.python.primitives.run import here
from mazurka.program.python.semantics import objects, variables
from mazurka.trace.literals import Raised

_Hook = Callable[..., Any]


class _ContainerKind(NamedTuple):
    """A class of containers: the type that specifies it, its state, and its methods by number of arguments."""

    type_name: str
    state: Callable[[Any], Any]
    methods: Mapping[tuple[str, int], str]
    operators: frozenset[str]


def _pairs(thing: Any) -> frozenset[Any]:
    return frozenset(dict.items(thing))


#: Operators, by the methods that they are in specifications.
_LOOKS: Final = frozenset({"contains", "size"})
_ITEMS: Final = frozenset({"item", "set", "delete", "contains"})

_KINDS: Final[dict[type, _ContainerKind]] = {
    set: _ContainerKind(
        "set",
        frozenset,
        {("add", 1): "add", ("discard", 1): "discard", ("remove", 1): "remove", ("clear", 0): "clear"},
        _LOOKS,
    ),
    dict: _ContainerKind(
        "dict",
        _pairs,
        {
            ("get", 1): "get",
            ("get", 2): "item",
            ("pop", 1): "pop",
            ("pop", 2): "pop",
            ("setdefault", 2): "setdefault",
            ("clear", 0): "clear",
        },
        _ITEMS | _LOOKS,
    ),
    list: _ContainerKind(
        "list",
        tuple,
        {("append", 1): "append", ("pop", 0): "pop", ("remove", 1): "remove", ("clear", 0): "clear"},
        frozenset({"item", "set"}) | _LOOKS,
    ),
    deque: _ContainerKind(
        "deque",
        tuple,
        {
            ("append", 1): "append",
            ("appendleft", 1): "appendleft",
            ("pop", 0): "pop",
            ("popleft", 0): "popleft",
            ("clear", 0): "clear",
        },
        _LOOKS,
    ),
    Counter: _ContainerKind("Counter", _pairs, {}, _ITEMS),
}


class _Call(NamedTuple):
    """A call that has begun. ``counts_as``: the result that a default stands for, that a key is missing."""

    observer: CallsAsSteps
    begun: object
    counts_as: Raised | None

    def make(self, operation: Callable[[], Any]) -> Any:
        """Carry out the call, and report how it ends."""
        try:
            made = operation()
        except BaseException as error:
            self.observer.leave(self.begun, error)
            raise
        self.observer.end(self.begun, made if self.counts_as is None else self.counts_as)
        return made


class _Operand:
    """Stands for a container in one operation."""

    __slots__ = ("_call", "_thing")

    def __init__(self, call: _Call, thing: Any) -> None:
        self._call, self._thing = call, thing

    def __getitem__(self, key: Any) -> Any:
        return self._call.make(lambda: self._thing[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._call.make(lambda: self._thing.__setitem__(key, value))

    def __delitem__(self, key: Any) -> None:
        self._call.make(lambda: self._thing.__delitem__(key))

    def __contains__(self, key: Any) -> bool:
        return bool(self._call.make(lambda: key in self._thing))

    def __len__(self) -> int:
        return int(self._call.make(lambda: len(self._thing)))


class _Method:
    """Stands for a container in a call of a method. ``begin`` makes the call of the arguments."""

    __slots__ = ("_begin", "_found")

    def __init__(self, begin: Callable[[tuple[Any, ...]], _Call | None], found: Any) -> None:
        self._begin, self._found = begin, found

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._found, name)

        def called(*args: Any, **named: Any) -> Any:
            call = None if named else self._begin(args)
            return method(*args, **named) if call is None else call.make(lambda: method(*args))

        return called


def prepare(load: Callable[[str], None]) -> None:
    """Load the models, before a run, in which loading them would be a step."""
    while _unprepared:
        load(_unprepared.pop())


_unprepared: Final = [kind.type_name for kind in _KINDS.values()]


def _begin(thing: Any, method: str, arguments: tuple[Any, ...], counts_as: Raised | None = None) -> _Call | None:
    """A call of a container that is one step; None if it is ordinary code."""
    models, observer = here(), marked_methods.observer
    if models is None or not isinstance(observer, CallsAsSteps):
        return None
    runtime = models.runtime
    if not isinstance(runtime, InvokingRuntime) or runtime.solo or runtime.aborting or runtime.within is not None:
        return None
    marked = _marked(runtime, thing)
    begun = None if marked is None else observer.call(marked, thing, method, arguments)
    return None if begun is None else _Call(observer, begun, counts_as)


def _marked(runtime: InvokingRuntime, thing: Any) -> MarkedClass | None:
    """A container as an object of a class of its own; None if it has turned out to be ordinary code.

    Its name has no number of the object: executions that record values number more objects than others.
    """
    kind = _KINDS[type(thing)]
    name = f"{kind.type_name} {runtime.container(objects.number(thing))}"
    if any(ordinary(name, each) in runtime.points for each in ObstacleReason):
        return None
    return MarkedClass(kind.type_name, kind.type_name, name, kind.state, is_builtin=True)


def _is_known(thing: Any, operator: str) -> bool:
    kind = _KINDS.get(type(thing))
    return kind is not None and operator in kind.operators and _is_unbounded(thing)


def _is_unbounded(thing: Any) -> bool:
    return type(thing) is not deque or thing.maxlen is None


def _is_index(thing: Any, key: Any) -> bool:
    """Whether a key is an index, and no slice, which selects several items."""
    return type(thing) is not list or type(key) is int


def _method_call(thing: Any, name: str, args: tuple[Any, ...]) -> _Call | None:
    method = _KINDS[type(thing)].methods.get((name, len(args)))
    if method is None or not _is_unbounded(thing):
        return None
    if len(args) == 2 and name in ("get", "pop"):
        return _begin_with_default(thing, method, args[0])
    return _begin(thing, method, args)


def _begin_with_default(thing: dict[Any, Any], method: str, key: Any) -> _Call | None:
    """With a default, a missing key is no error; whether it is missing is known once the call has begun."""
    call = _begin(thing, method, (key,))
    if call is not None and not dict.__contains__(thing, key):
        return call._replace(counts_as=Raised("KeyError"))
    return call


def _item_hook(hook: _Hook, method: str) -> _Hook:
    """Before ``thing[key]`` is read, stored or deleted."""

    def announced(thing: Any, key: Any, site: int) -> Any:
        # The stored value is known only at the store, so the hook can't begin the call.
        if method == "set" or not (_is_known(thing, method) and _is_index(thing, key)):
            return hook(thing, key, site)
        call = _begin(thing, method, (key,))
        found = hook(thing, key, site)
        return found if call is None else _Operand(call, thing)

    return announced


class _ItemStore:
    """Stands for a container in an assignment to an item: the value is known only at the store."""

    __slots__ = ("_hook", "_site", "_thing")

    def __init__(self, hook: Callable[[Any, Any, int], Any], thing: Any, site: int) -> None:
        self._hook, self._thing, self._site = hook, thing, site

    def __setitem__(self, key: Any, value: Any) -> None:
        thing = self._thing
        call = _begin(thing, "set", (key, value))
        self._hook(thing, key, self._site)
        if call is None:
            thing[key] = value
        else:
            call.make(lambda: thing.__setitem__(key, value))


def _store_hook(hook: _Hook) -> _Hook:
    def announced(thing: Any, key: Any, site: int) -> Any:
        if _is_known(thing, "set") and _is_index(thing, key):
            return _ItemStore(hook, thing, site)
        return hook(thing, key, site)

    return announced


def _augmenting_hook() -> _Hook:
    """``thing[key] += ...``: the read, as in :func:`~mazurka.program.python.semantics.variables.augment_item`."""

    def announced(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
        variables.remembered[id(sys._getframe(1)), site] = (thing, key)
        known = _is_known(thing, "item") and _is_index(thing, key)
        call = _begin(thing, "item", (key,)) if known else None
        variables.read_item(thing, key, site)
        return (thing if call is None else _Operand(call, thing)), key

    return announced


def _augmented_hook() -> _Hook:
    """... and the store."""

    def announced(site: int) -> Any:
        frame = sys._getframe(1)
        thing, key = variables.remembered.pop((id(frame), site))
        if type(key) is slice:
            variables.slice_is_known(frame)
        if not (_is_known(thing, "set") and _is_index(thing, key)):
            return variables.write_item_keep(thing, key, site)
        variables.kept.keys.append(key)
        return _ItemStore(variables.write_item, thing, site)

    return announced


def _looking_hook(hook: _Hook, method: str) -> _Hook:
    """Before ``key in thing`` and ``len(thing)``."""

    def announced(thing: Any, *rest: Any) -> Any:
        call = _begin(thing, method, rest[:-1]) if _is_known(thing, method) else None
        found = hook(thing, *rest)
        return found if call is None else _Operand(call, thing)

    return announced


def _method_hook(hook: _Hook) -> _Hook:
    def announced(thing: Any, name: str, site: int, /, *args: Any, **named: Any) -> Any:
        call = _method_call(thing, name, args) if type(thing) in _KINDS and not named else None
        found = hook(thing, name, site, *args, **named)
        return found if call is None else _Method(lambda _args: call, thing)

    return announced


def _method_of_hook(hook: _Hook) -> _Hook:
    def announced(thing: Any, name: str, site: int) -> Any:
        found = hook(thing, name, site)
        if type(thing) not in _KINDS:
            return found
        return _Method(lambda args: _method_call(thing, name, args), found)

    return announced


@contextmanager
def calls_of_containers() -> Iterator[None]:
    """Put the hooks in place that make operations on containers calls."""
    names = vars(builtins)
    made: dict[str, Any] = {
        "__mz_m__": _method_hook(names["__mz_m__"]),
        "__mz_mc__": _method_of_hook(names["__mz_mc__"]),
        "__mz_ri__": _item_hook(names["__mz_ri__"], "item"),
        "__mz_di__": _item_hook(names["__mz_di__"], "delete"),
        "__mz_wi__": _store_hook(names["__mz_wi__"]),
        "__mz_gi__": _augmenting_hook(),
        "__mz_gj__": _augmented_hook(),
        "__mz_in__": _looking_hook(names["__mz_in__"], "contains"),
        "__mz_len__": _looking_hook(names["__mz_len__"], "size"),
    }
    before = {name: names[name] for name in made}
    names.update(made)
    try:
        yield
    finally:
        names.update(before)
