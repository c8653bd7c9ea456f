"""Marks methods whose calls are recorded as invocations: with arguments and results, besides what they read and write.

    @mazurka.linearizable("hash_table", "put", "get")
    class Table: ...

A class is marked with the type whose specification describes it (``mazurka spec list``) and the methods that its
specification names. Each must be linearizable: its calls take effect at once, at some moment between call and return.
Where nothing is recorded the class is left as it is. While ``mazurka record`` runs a program, :data:`observer` is set,
and methods that are marked report to it.

Imports nothing of Mazurka, so that importing it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

_Class = TypeVar("_Class", bound=type)


class InvocationObserver(Protocol):
    """Is told when marked methods are called, and return or raise, by the thread that called them."""

    def call(self, type_name: str, thing: object, method: str, arguments: tuple[Any, ...]) -> object:
        """A method is called; what this returns is handed to what is told of its end."""
        ...

    def end(self, call: object, result: object) -> None:
        """The call has returned."""
        ...

    def leave(self, call: object, error: BaseException) -> None:
        """An exception leaves the call."""
        ...


#: Set while a program is recorded.
observer: InvocationObserver | None = None


def linearizable(type_name: str, *methods: str) -> Callable[[_Class], _Class]:
    """Mark these methods of a class; they take positional arguments, or ones that can be given so.

    Raises TypeError for a method that is no plain function of the class, or takes ``*args`` or ``**kwargs``.
    """
    if not type_name or " " in type_name:
        raise TypeError(f"no name of a type: {type_name!r}")

    def mark(marked: _Class) -> _Class:
        for name in methods:
            method = _method(marked, name)
            if observer is not None:
                setattr(marked, name, _observed(observer, type_name, name, method))
        return marked

    return mark


def _method(marked: type, name: str) -> Callable[..., Any]:
    import inspect

    method = marked.__dict__.get(name)
    if not inspect.isfunction(method) or inspect.isgeneratorfunction(method) or inspect.iscoroutinefunction(method):
        raise TypeError(f"{marked.__qualname__}.{name} is no plain method")
    kinds = {parameter.kind for parameter in inspect.signature(method).parameters.values()}
    if kinds & {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        raise TypeError(f"{marked.__qualname__}.{name} takes any number of arguments")
    return method


def _observed(
    watching: InvocationObserver, type_name: str, name: str, method: Callable[..., Any]
) -> Callable[..., Any]:
    import functools
    import inspect

    signature = inspect.signature(method)

    @functools.wraps(method)
    def observed(thing: Any, *args: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(thing, *args, **named)
        except TypeError:
            return method(thing, *args, **named)  # which raises it, in its own words
        bound.apply_defaults()
        call = watching.call(type_name, thing, name, tuple(bound.arguments.values())[1:])
        try:
            result = method(thing, *args, **named)
        except BaseException as error:
            watching.leave(call, error)
            raise
        watching.end(call, result)
        return result

    return observed
