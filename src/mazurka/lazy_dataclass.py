"""``dataclass`` as in :mod:`dataclasses`, but each class's methods are compiled when one of them is first called.

CPython compiles up to six methods of a data class from text when the class is made. A first check imports 170 data
classes and makes objects of a third of them, so that cost a fifth of its time.

Definition: classes, fields, and the behaviour of their methods are those of :func:`dataclasses.dataclass` with the same
options. Departures: ``__dataclass_params__`` does not say that a class is frozen, so a data class of this module and
one of CPython's must not inherit from each other if they are frozen; ``inspect.signature`` does not know the
parameters; ``InitVar`` is not supported. Options other than those below are CPython's own.

The methods are compiled without code of :mod:`dataclasses`: that may be instrumented while a program runs.

Cost: a ninth of CPython's for each class that is imported; a compilation at the first call of each method.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # type checkers know this name only
else:

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, **options):
        """See the module, and :func:`dataclasses.dataclass`."""

        def wrap(cls):
            if options:
                return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **options)
            return _made(cls, frozen, slots, eq)

        return wrap if cls is None else wrap(cls)


_compile: Final = exec
_set: Final = object.__setattr__
_MISSING: Final = dataclasses.MISSING
_ABSENT: Final = object()  # the default of parameters for fields with a factory


def _made(cls: type, frozen: bool, slots: bool, eq: bool) -> Any:
    """The data class of a class statement, whose methods are compiled later."""
    given = {*vars(cls)}
    has_hash = vars(cls).get("__hash__", _MISSING) is not _MISSING
    if vars(cls).get("__hash__", _MISSING) is None and "__eq__" in given:
        has_hash = False  # the interpreter has put it there
    if not cls.__doc__:
        cls.__doc__ = cls.__name__  # otherwise CPython looks for the signature
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
    fields = dataclasses.fields(made)
    later: dict[str, Callable[[], str]] = {}
    if "__init__" not in given:
        later["__init__"] = lambda: _init(made, fields, frozen, slots)
    if "__repr__" not in given:
        later["__repr__"] = lambda: _repr(fields)
    if eq and "__eq__" not in given:
        later["__eq__"] = lambda: _eq([each.name for each in fields if each.compare])
    if eq and not has_hash:
        if frozen:
            later["__hash__"] = lambda: _hash(
                [each.name for each in fields if (each.compare if each.hash is None else each.hash)]
            )
        else:
            made.__hash__ = None  # as the interpreter does
    for name, source in later.items():
        setattr(made, name, _stub(made, name, fields, source))
    if frozen:
        _freeze(made, frozenset(each.name for each in fields), given, slots)
    return made


def _stub(made: type, name: str, fields: tuple[dataclasses.Field[Any], ...], source: Callable[[], str]) -> Any:
    """A method that compiles itself when it is first called."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        if vars(made).get(name) is method:
            space: dict[str, Any] = {"_set": _set, "_absent": _ABSENT}
            for each in fields:
                space[f"_of_{each.name}"] = each.default
                space[f"_new_{each.name}"] = each.default_factory
            _compile(source(), space)
            compiled = recursive_repr()(space[name]) if name == "__repr__" else space[name]
            compiled.__qualname__ = method.__qualname__
            compiled.__module__ = made.__module__
            setattr(made, name, compiled)
        return getattr(made, name)(self, *args, **named)

    method.__name__, method.__qualname__, method.__module__ = name, f"{made.__qualname__}.{name}", made.__module__
    return method


def _init(made: type, fields: tuple[dataclasses.Field[Any], ...], frozen: bool, slots: bool) -> str:
    """The source of ``__init__``."""
    positional, by_name, lines = ["self"], ["*"], []
    for each in fields:
        name, value = each.name, each.name
        has_default, has_factory = each.default is not _MISSING, each.default_factory is not _MISSING
        if each.init:
            default = f"=_of_{name}" if has_default else "=_absent" if has_factory else ""
            (by_name if each.kw_only else positional).append(f"{name}{default}")
            if has_factory:
                value = f"_new_{name}() if {name} is _absent else {name}"
        elif has_factory:
            value = f"_new_{name}()"
        elif has_default and slots:
            value = f"_of_{name}"
        else:
            continue
        lines.append(f'_set(self, "{name}", {value})' if frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = positional + (by_name if by_name[1:] else [])
    return f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"])


def _repr(fields: tuple[dataclasses.Field[Any], ...]) -> str:
    shown = ", ".join(f"{each.name}={{self.{each.name}!r}}" for each in fields if each.repr)
    return f'def __repr__(self): return self.__class__.__qualname__ + f"({shown})"'


def _eq(names: list[str]) -> str:
    return f"""def __eq__(self, other):
 if other.__class__ is self.__class__:
  return {_values("self", names)} == {_values("other", names)}
 return NotImplemented"""


def _hash(names: list[str]) -> str:
    return f"def __hash__(self): return hash({_values('self', names)})"


def _values(owner: str, names: list[str]) -> str:
    return "(" + "".join(f"{owner}.{name}," for name in names) + ")"


def _freeze(made: Any, names: frozenset[str], given: set[str], slots: bool) -> None:
    """Let no attribute of an object be assigned to or deleted."""

    def assign(self: Any, name: str, value: Any) -> None:
        if type(self) is made or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def delete(self: Any, name: str) -> None:
        if type(self) is made or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    for name, function in (("__setattr__", assign), ("__delattr__", delete)):
        if name in given:
            raise TypeError(f"cannot overwrite attribute {name} in class {made.__name__}")
        setattr(made, name, function)
    if slots:  # copies and pickles restore the attributes past these two
        ordered = [each.name for each in dataclasses.fields(made)]

        def state(self: Any) -> list[Any]:
            return [getattr(self, name) for name in ordered]

        def restore(self: Any, values: list[Any]) -> None:
            for name, value in zip(ordered, values, strict=True):
                _set(self, name, value)

        for name, method in (("__getstate__", state), ("__setstate__", restore)):
            if name not in given:
                setattr(made, name, method)
