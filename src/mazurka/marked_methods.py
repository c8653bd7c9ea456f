"""Marks methods whose calls are invocations: with arguments and results, besides their reads and writes.

    @mazurka.linearizable("hash_table", "put", "get", state=lambda table: frozenset(table.items.items()))
    class Table: ...

    @mazurka.linearizable(spec="bag.toml", state=lambda bag: frozenset(bag.items))
    class Bag: ...

A class is marked with the type whose specification describes it (``mazurka spec list``) and the methods that its
specification names; or with a file that specifies it. Each method must be linearizable: its calls take effect
atomically, at some moment between call and return. ``state`` gives the abstract state of an object, as the type's
specification has it, whenever no call is under way.

``mazurka record`` records the calls of marked methods; ``mazurka check --strategy ncmc`` explores them as single steps,
if the class has a ``state``. Both set :data:`observer` before they load a program, and methods that are marked then
report to it; methods of classes that were marked before report while a program is checked. Otherwise a class is
unchanged.

Imports nothing of Mazurka, so that importing it is cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar
from weakref import ReferenceType, ref

_Class = TypeVar("_Class", bound=type)


class MarkedClass(NamedTuple):
    """A class, by its names, the type that specifies it, and the state of its objects."""

    type_name: str
    class_name: str
    full_name: str
    state: Callable[[Any], Any] | None
    is_builtin: bool = False

    @property
    def assumption(self) -> str:
        """The assumption if calls are taken for single steps."""
        if self.is_builtin:
            return f"operations of a {self.class_name} are atomic"
        return f"{self.class_name} is linearizable, as {self.type_words} says"

    @property
    def type_words(self) -> str:
        """The name of the type for people: for a file without its folder."""
        return self.type_name.rpartition("/")[2].replace("%20", " ").replace("%25", "%")


class InvocationObserver:
    """Observes marked classes, and calls of their methods, which return or raise, in the calling thread.

    Methods that are not overridden have no effect.
    """

    #: Whether the construction of objects is reported, too.
    hides_making = False

    def mark(self, marked: MarkedClass) -> None:
        """A class is marked."""

    def make(self, marked: MarkedClass, thing: Any) -> object:
        """An object is about to be made; the result is handed to :meth:`made`."""
        return None

    def made(self, call: object) -> None:
        """The object is made, or its construction has failed; ``call`` is the result of :meth:`make`."""

    def call(self, marked: MarkedClass, thing: Any, method: str, arguments: tuple[Any, ...]) -> object:
        """A method is called; the result is handed to :meth:`end` or :meth:`leave`."""
        return None

    def end(self, call: object, result: object) -> None:
        """The call has returned."""

    def leave(self, call: object, error: BaseException) -> None:
        """An exception leaves the call."""


#: The classes that have been marked, with their methods, by full name.
known: dict[str, tuple[MarkedClass, tuple[str, ...]]] = {}

#: The classes themselves.
_classes: list[tuple[ReferenceType[type], MarkedClass]] = []

#: The classes that report to no observer, with their methods.
_silent: list[tuple[ReferenceType[type], MarkedClass, tuple[str, ...]]] = []

#: Set while a program is recorded, or checked.
observer: InvocationObserver | None = None


def linearizable(
    *names: str, state: Callable[[Any], Any] | None = None, spec: str | None = None
) -> Callable[[_Class], _Class]:
    """Mark methods of a class; they take positional arguments, or arguments that can be given by position.

    ``names`` are a type of the library and the methods. With ``spec``, a file in TOML or Python (or ``FILE:TYPE``),
    beside that of the class, which specifies the type, they are the methods; without any, all public methods of the
    class are marked.

    Raises TypeError for a method that is no plain function of the class, or takes ``*args`` or ``**kwargs``, and
    FileNotFoundError if there is no such file.
    """
    library_type = "" if spec is not None else names[0] if names else ""
    if spec is None and (not library_type or " " in library_type):
        raise TypeError(f"no name of a type: {library_type!r}")

    def mark(marked: _Class) -> _Class:
        type_name = library_type if spec is None else _specified(marked, spec)
        methods = names[1:] if spec is None else names or _public_methods(marked)
        found = {name: _method(marked, name) for name in methods}
        full_name = f"{marked.__module__}.{marked.__qualname__}"
        kind = MarkedClass(type_name, marked.__qualname__, full_name, state)
        known[full_name] = kind, methods
        _classes.append((ref(marked), kind))
        if observer is not None:
            _observe(observer, marked, kind, found)
        else:
            _silent.append((ref(marked), kind, methods))
        return marked

    return mark


def living() -> list[tuple[type, MarkedClass]]:
    """The marked classes that still exist."""
    return [(kind, marked) for each, marked in _classes if (kind := each()) is not None]


def observe_known(watching: InvocationObserver) -> Callable[[], None]:
    """Let classes report that were marked when there was no observer; returns a function that undoes that."""
    undone: list[tuple[type, str, Any]] = []
    for living, marked, methods in _silent:
        kind = living()
        if kind is None or not all(name in kind.__dict__ for name in methods):
            continue
        undone += [(kind, name, kind.__dict__[name]) for name in (*methods, "__init__") if name in kind.__dict__]
        _observe(watching, kind, marked, {name: kind.__dict__[name] for name in methods})

    def undo() -> None:
        for kind, name, function in undone:
            setattr(kind, name, function)

    return undo


def _specified(marked: type, spec: str) -> str:
    """The name of a type that a file specifies: with the absolute path, since other processes may have another
    directory."""
    import os
    import sys

    file, colon, type_name = spec.rpartition(":")
    if not (colon and file.endswith((".toml", ".py"))):
        file, type_name = spec, ""
    module = getattr(sys.modules.get(marked.__module__), "__file__", None)
    whole = os.path.abspath(os.path.join(os.path.dirname(module), file) if module else file)
    if not os.path.isfile(whole):
        raise FileNotFoundError(f"no specification of {marked.__qualname__}: {whole}")
    escaped = whole.replace("%", "%25").replace(" ", "%20")
    return f"{escaped}:{type_name}" if type_name else escaped


def _public_methods(marked: type) -> tuple[str, ...]:
    import inspect

    return tuple(name for name, value in vars(marked).items() if inspect.isfunction(value) and name[:1] != "_")


def _method(marked: type, name: str) -> Callable[..., Any]:
    import inspect

    method = marked.__dict__.get(name)
    if not inspect.isfunction(method) or inspect.isgeneratorfunction(method) or inspect.iscoroutinefunction(method):
        raise TypeError(f"{marked.__qualname__}.{name} is no plain method")
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        raise TypeError(f"{marked.__qualname__}.{name} takes any number of arguments")
    return method


def _observe(
    watching: InvocationObserver, kind: type, marked: MarkedClass, methods: dict[str, Callable[..., Any]]
) -> None:
    import inspect

    watching.mark(marked)
    for name, method in methods.items():
        setattr(kind, name, _observed(watching, marked, name, method))
    if watching.hides_making and inspect.isfunction(maker := kind.__dict__.get("__init__")):
        kind.__init__ = _making(watching, marked, maker)  # type: ignore[misc]


def _observed(
    watching: InvocationObserver, marked: MarkedClass, name: str, method: Callable[..., Any]
) -> Callable[..., Any]:
    import functools
    import inspect

    signature = inspect.signature(method)

    @functools.wraps(method)
    def observed(thing: Any, *args: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(thing, *args, **named)
        except TypeError:
            return method(thing, *args, **named)  # which raises the error itself
        bound.apply_defaults()
        call = watching.call(marked, thing, name, tuple(bound.arguments.values())[1:])
        try:
            result = method(thing, *args, **named)
        except BaseException as error:
            watching.leave(call, error)
            raise
        watching.end(call, result)
        return result

    return observed


def _making(watching: InvocationObserver, marked: MarkedClass, maker: Callable[..., Any]) -> Callable[..., Any]:
    import functools

    @functools.wraps(maker)
    def observed(thing: Any, *args: Any, **named: Any) -> None:
        call = watching.make(marked, thing)
        try:
            maker(thing, *args, **named)
        finally:
            watching.made(call)

    return observed
