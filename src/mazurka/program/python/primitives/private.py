"""Private attributes of CPython that programs use nevertheless; and the replacement of attributes of classes."""

from __future__ import annotations

from collections.abc import Callable
from sys import _getframe
from typing import Any, Final

from mazurka.program.python.primitives.run import INNER, Models, count_untracked, here, model_of
from mazurka.trace.event import Op


class Peeked:
    """A private attribute that programs read: a READ of the location that it belongs to."""

    def __init__(self, name: str, kind: str) -> None:
        self.name = name
        self.kind = kind

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        if thing is None or self.name not in thing.__dict__:
            raise AttributeError(f"{getattr(owner, '__name__', '')!r} object has no attribute {self.name!r}")
        if _getframe(1).f_code.co_filename not in INNER and (models := here()) is not None:
            models.runtime.visit(Op.READ, model_of(thing, models, self.kind).target, 0, point=True)
        return thing.__dict__[self.name]

    def __set__(self, thing: Any, value: Any) -> None:
        if _getframe(1).f_code.co_filename not in INNER and (models := here()) is not None:
            count_untracked(models.runtime, f"assignment to {type(thing).__name__}.{self.name}")
        thing.__dict__[self.name] = value


class Stored:
    """An attribute that only the constructor assigns to: another assignment is untracked."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __set__(self, thing: Any, value: Any) -> None:
        if self.name in thing.__dict__ and (models := here()) is not None:
            count_untracked(models.runtime, f"assignment to {type(thing).__name__}.{self.name}")
        thing.__dict__[self.name] = value


class Private:
    """A private attribute whose use ``report`` reports; without a report its use is untracked."""

    def __init__(self, name: str, report: Callable[[Models, Any, Op], None] | None = None) -> None:
        self.name = name
        self.report = report

    def _use(self, thing: Any, op: Op) -> None:
        models = here()
        if models is None:
            return
        if self.report is not None:
            self.report(models, thing, op)
        else:
            count_untracked(models.runtime, f"{type(thing).__name__}.{self.name}")

    def __get__(self, thing: Any, owner: type | None = None) -> Any:
        if thing is None or self.name not in thing.__dict__:
            raise AttributeError(f"{getattr(owner, '__name__', '')!r} object has no attribute {self.name!r}")
        if _getframe(1).f_code.co_filename not in INNER:
            self._use(thing, Op.READ)
        return thing.__dict__[self.name]

    def __set__(self, thing: Any, value: Any) -> None:
        if _getframe(1).f_code.co_filename not in INNER:
            self._use(thing, Op.WRITE)
        thing.__dict__[self.name] = value

    def __delete__(self, thing: Any) -> None:
        if _getframe(1).f_code.co_filename not in INNER:
            self._use(thing, Op.WRITE)
        del thing.__dict__[self.name]


_MISSING: Final = object()


def replace(replacements: dict[type, dict[str, Any]], original: dict[tuple[type, str], Any]) -> Callable[[], None]:
    """Put replacements into their classes; returns the function that puts the originals back."""
    before = []
    for cls, attributes in replacements.items():
        for name, value in attributes.items():
            old = cls.__dict__.get(name, _MISSING)
            before.append((cls, name, old))
            original[cls, name] = old
            if callable(value) and callable(old) and name != "__enter__":
                value.__name__, value.__qualname__, value.__doc__ = name, old.__qualname__, old.__doc__
            setattr(cls, name, value)

    def restore() -> None:
        for cls, name, old in before:
            if old is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, old)

    return restore


def untracked_method(owner: type, name: str, original: dict[tuple[type, str], Any]) -> Callable[..., Any]:
    """A private method of CPython, whose calls within a run are untracked."""

    def method(self: Any, *args: Any) -> Any:
        models = here()
        if models is not None and _getframe(1).f_code.co_filename not in INNER:
            count_untracked(models.runtime, f"{owner.__name__}.{name}()")
        return original[owner, name](self, *args)

    return method
