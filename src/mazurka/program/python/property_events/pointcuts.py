"""Which operations are events: the pointcuts of properties, and their match with an operation at run time.

A *call* is described by its name, the class by which the name is found (for methods) or the function (for all others),
and its operands. A pointcut's name matches a method by each class of the operand that defines or inherits it, under the
name of the class where it is defined, or under any name by which the class is reachable; a function likewise. The
models of threads' primitives have the names of the primitives.

Nothing here runs code of the program: operands are compared only if they are plain values. A condition that would look
at more (shown_values.py) is not met, and is counted.

Cost: a look-up for operations whose name no pointcut has; the match of a name is kept by class or function.
"""

from __future__ import annotations

import builtins
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final, NamedTuple

from mazurka.program.python.property_events.naming import OpenCondition
from mazurka.program.python.property_events.shown_values import Undecided, are_equal, holds
from mazurka.program.python.semantics.per_run import per_run
from mazurka.properties.conditions import closed
from mazurka.properties.names import pattern
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Named,
    OfType,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.trace.conditions_on_objects import MARK

#: The modules by which the primitives are reachable that have models.
_OF_MODELS: Final = ("threading", "_thread", "queue", "_queue", "concurrent.futures", "asyncio", "multiprocessing.pool")

#: The names of one class each: those of functions that make its objects are used for it, too, and some are classes in
#: later versions of Python.
_SPELLINGS: Final = (
    ("_thread.lock", "_thread.LockType", "_thread.allocate_lock", "_thread.allocate", "threading.Lock"),
    ("_thread.RLock", "threading.RLock"),
)

_names_of: Final[Any] = type.__dict__["__dict__"].__get__
_bases_of: Final[Any] = type.__dict__["__mro__"].__get__
_qualname_of: Final[Any] = type.__dict__["__qualname__"].__get__
_module_of: Final[Any] = type.__dict__["__module__"].__get__


class Described(NamedTuple):
    """An operation. ``owner``: the class by whose bases a method is found; else ``function`` (or its code) is called.
    ``optional``: how many of the last operands need not be named by a pointcut."""

    operation: PointcutKind
    name: str
    owner: type | None
    function: Any
    operands: tuple[Any, ...]
    keywords: Mapping[str, Any]
    optional: int = 0
    module: str = ""  # of code that is entered
    passed: bool = True  # the keywords are those that are passed, and no defaults


class EventRule(NamedTuple):
    """A pointcut, with its event and property."""

    property: Property
    event: EventDeclaration
    pointcut: Pointcut
    number: int


class Firing:
    """An event that an operation is: the objects that are bound so far, by parameter. ``subject`` is the operation's
    first operand."""

    __slots__ = ("bound", "rule", "subject")

    def __init__(self, rule: EventRule, bound: dict[str, Any], subject: Any) -> None:
        self.rule = rule
        self.bound = bound
        self.subject = subject


class Pointcuts:
    """The pointcuts of some properties. ``uncertain`` are conditions that could not be decided, with their number."""

    def __init__(self, properties: Iterable[Property]) -> None:
        self.rules: dict[PointcutKind, list[EventRule]] = {operation: [] for operation in PointcutKind}
        self.uncertain: dict[str, int] = {}
        number = 0
        for each in properties:
            for event in each.events:
                for pointcut in event.pointcuts:
                    self.rules[pointcut.kind].append(EventRule(each, event, pointcut, number))
                    number += 1
        self._by_name: dict[tuple[PointcutKind, str], tuple[EventRule, ...]] = {}
        self._by_owner: dict[tuple[int, str, type], bool] = {}
        self._matching: dict[tuple[PointcutKind, str, type | None], list[EventRule]] = {}
        self._by_function: dict[tuple[int, int], tuple[Any, bool]] = {}

    def forget(self) -> None:
        """Forget objects of the last run."""
        self._by_owner.clear()
        self._matching.clear()
        self._by_function.clear()

    def named(self, operation: PointcutKind, name: str) -> tuple[EventRule, ...]:
        """The rules for an operation whose name has this last component."""
        key = (operation, name)
        found = self._by_name.get(key)
        if found is None:
            found = self._by_name[key] = tuple(
                rule
                for rule in self.rules[operation]
                if any(pattern(each.rpartition(".")[2]).fullmatch(name) for each in rule.pointcut.names)
            )
        return found

    def names(self, rule: EventRule, described: Described) -> bool:
        """Whether a rule's names match an operation."""
        if described.owner is not None:
            key = (rule.number, described.name, described.owner)
            known = self._by_owner.get(key)
            if known is None:
                is_method = described.operation is PointcutKind.CALL
                known = _names_member(rule.pointcut.names, described.owner, described.name, is_method)
                self._by_owner[key] = known
            return known
        if type(described.function) is types.BuiltinFunctionType and described.function.__self__ is not None:
            if type(described.function.__self__) is not types.ModuleType:  # it is made at each look-up
                return _names_function(rule.pointcut.names, described.function, described.module)
        place = (rule.number, id(described.function))
        kept = self._by_function.get(place)
        if kept is None:
            kept = self._by_function[place] = (
                described.function,
                _names_function(rule.pointcut.names, described.function, described.module),
            )
        return kept[1]

    def are_any(self, described: Described) -> bool:
        """Whether an operation may be an event, by its name."""
        return any(self.names(rule, described) for rule in self.named(described.operation, described.name))

    def firings(self, described: Described) -> list[Firing]:
        """The events that an operation is, as far as its operands decide that."""
        found = []
        for rule in self._rules_for(described):
            bound = _bound(rule.pointcut, described)
            if bound is not None:
                found.append(Firing(rule, bound, next(iter(described.operands), None)))
        return found

    def _rules_for(self, described: Described) -> list[EventRule]:
        """The rules whose names match an operation."""
        key = (described.operation, described.name, described.owner)
        found = self._matching.get(key) if described.owner is not None else None
        if found is None:
            rules = self.named(described.operation, described.name)
            found = [rule for rule in rules if self.names(rule, described)]
            if described.owner is not None:
                self._matching[key] = found
        return found

    def is_met(self, firing: Firing, result: Any, has_result: bool) -> bool:
        """Whether the result, or the exception, is as the pointcut says, and its condition is met; binds the result's
        parameter."""
        pointcut = firing.rule.pointcut
        if has_result and not is_as(pointcut.result, result, firing.bound):
            return False
        if not pointcut.condition:
            return True
        free = pointcut.free(firing.rule.event.parameters)
        try:
            if not free:
                return holds(pointcut.condition, firing.bound)
            given = {name: thing for name, thing in firing.bound.items() if name not in free}
            if (text := closed(pointcut.condition, given)) is not None:
                firing.bound.update(dict.fromkeys(free, OpenCondition(MARK + text)))
                return True
            raise Undecided
        except Undecided:
            where = f"{firing.rule.property.name}.{firing.rule.event.name}: if {pointcut.condition}"
            self.uncertain[where] = self.uncertain.get(where, 0) + 1
            return False


# -- operands --------------------------------------------------------------------------------------------------------


def _bound(pointcut: Pointcut, described: Described) -> dict[str, Any] | None:
    """The objects that a pointcut binds to its parameters; None if the operands are not as it says."""
    bound: dict[str, Any] = {}
    if pointcut.operands is not None and not _fit(pointcut.operands, described, bound):
        return None
    if pointcut.operands is not None and described.passed and Anything(more=True) not in pointcut.operands:
        if any(name not in pointcut.keywords for name in described.keywords):
            return None
    for name, operand in pointcut.keywords.items():
        if name not in described.keywords or not is_as(operand, described.keywords[name], bound):
            return None
    return bound


def _fit(wanted: Sequence[Operand], described: Described, bound: dict[str, Any]) -> bool:
    given = described.operands
    for place, operand in enumerate(wanted):
        if isinstance(operand, Anything) and operand.more:
            rest = wanted[place + 1 :]
            if len(given) < place + len(rest):
                return False
            ends = given[len(given) - len(rest) :]
            return all(is_as(each, thing, bound) for each, thing in zip(rest, ends, strict=True))
        if place >= len(given) or not is_as(operand, given[place], bound):
            return False
    return len(given) - described.optional <= len(wanted)


def is_as(operand: Operand, thing: Any, bound: dict[str, Any]) -> bool:
    """Whether an operand is as it has to be; binds its parameter."""
    match operand:
        case Named(parameter):
            if parameter in bound and bound[parameter] is not thing and not are_equal(bound[parameter], thing):
                return False
            bound[parameter] = thing
            return True
        case Equal(value):
            return are_equal(thing, value)
        case OfType(name):
            return any(matches(name, base) for base in _bases_of(type(thing)))
        case _:
            return True


def matches(name: str, kind: type) -> bool:
    """Whether a class is reachable by a name."""
    wanted = pattern(name)
    return any(wanted.fullmatch(each) for each in _names_of_class(kind)) or _stands_for(_resolved(name), kind)


# -- names -----------------------------------------------------------------------------------------------------------


def _names_member(names: Sequence[str], owner: type, name: str, is_method: bool) -> bool:
    """Whether a method, or an attribute, of objects of class ``owner`` has one of these names."""
    classes = _bases_of(owner)
    if is_method and any(name in _names_of(each) for each in classes):
        last = max(place for place, each in enumerate(classes) if name in _names_of(each))
        classes = classes[: last + 1]
        classes = [each for each in classes if any(name in _names_of(base) for base in _bases_of(each))]
    for wanted in names:
        expression, (prefix, _, last_part) = pattern(wanted), wanted.rpartition(".")
        by_name = _resolved(prefix)
        for kind in classes:
            if any(expression.fullmatch(f"{each}.{name}") for each in _names_of_class(kind)):
                return True
            if _stands_for(by_name, kind) and pattern(last_part).fullmatch(name):
                return True
    return False


def _stands_for(found: Any, kind: type) -> bool:
    """Whether an object found by its name is a class, or one of the functions that make its objects
    (``_SPELLINGS``)."""
    if found is None or found is kind:
        return found is kind
    return any(found is _resolved(each) for each in _spellings(_names_of_class(kind)))


#: By class its names.
_class_names: Final[dict[type, tuple[str, ...]]] = per_run({})


def _names_of_class(kind: type) -> tuple[str, ...]:
    """The names under which a class is defined."""
    known = _class_names.get(kind)
    if known is None:
        known = _class_names[kind] = _find_names(kind)
    return known


def _find_names(kind: type) -> tuple[str, ...]:
    names = _own_names(kind)
    return (*names, *_spellings(names))


def _spellings(names: Sequence[str]) -> Sequence[str]:
    """All names of the class that has one of these."""
    return next((group for group in _SPELLINGS if not set(group).isdisjoint(names)), ())


def _own_names(kind: type) -> tuple[str, ...]:
    module = _names_of(kind).get("__module__") or _module_of(kind)  # classes in C may lack the item
    qualname: str = _qualname_of(kind)
    if module == "builtins":
        return (qualname, f"builtins.{qualname}")
    if not isinstance(module, str):
        return (qualname,)
    if module.startswith("mazurka.program.python."):
        short = qualname.removeprefix("Recorded").lstrip("_")
        return tuple([f"{each}.{short}" for each in _OF_MODELS])
    return (*[f"{each}.{qualname}" for each in _names_of_module(module)],)


def _names_of_module(module: str) -> tuple[str, ...]:
    """A module's name; that of a program's main module is also the name of its file."""
    if module != "__main__":
        return (module,)
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return (module, PurePath(file).stem) if isinstance(file, str) else (module,)


def _names_function(names: Sequence[str], function: Any, module: str) -> bool:
    """Whether a function, its code, or a class that is called, has one of these names."""
    own = _names_of_function(function, module)
    for wanted in names:
        expression = pattern(wanted)
        if any(expression.fullmatch(each) for each in own) or _is_same(_resolved(wanted), function):
            return True
    return False


def _names_of_function(function: Any, module: Any) -> tuple[str, ...]:
    kind = type(function)
    if kind is str:  # a variable of a module
        return (function, *[f"{each}.{function.rpartition('.')[2]}" for each in _names_of_module(module)])
    if kind is types.CodeType:
        qualname = function.co_qualname
    elif isinstance(function, type):
        return _names_of_class(function)
    elif kind is types.FunctionType:
        module, qualname = function.__module__, function.__qualname__
    elif kind is types.BuiltinFunctionType:
        module, qualname = function.__module__, function.__name__
    else:
        return ()
    if module in ("builtins", None):
        return (qualname, f"builtins.{qualname}")
    return tuple(f"{each}.{qualname}" for each in _names_of_module(module)) if isinstance(module, str) else ()


#: At most so many wrappers of a function are looked through.
_MOST_WRAPPERS: Final = 20


def _is_same(found: Any, function: Any) -> bool:
    """Whether an object found by its name is this function, or wraps it."""
    for _ in range(_MOST_WRAPPERS):
        if found is None or found is function:
            return found is not None
        kind = type(found)
        if kind is types.FunctionType:
            if found.__code__ is function:
                return True
            found = found.__dict__.get("__wrapped__")
        elif kind is staticmethod or kind is classmethod or kind is types.MethodType:
            found = found.__func__
        else:
            return False
    return False


def _resolved(name: str) -> Any:
    """The object that a dotted name means, without running code; None if there is none."""
    if "*" in name or not name:
        return None
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:length])
        found: Any = sys.modules.get("__main__" if module in _names_of_module("__main__") else module)
        if found is None:
            continue
        for part in parts[length:]:
            found = _member(found, part)
            if found is None:
                return None
        return found
    return vars(builtins).get(parts[0]) if len(parts) == 1 else None


def _member(thing: Any, name: str) -> Any:
    if isinstance(thing, type):
        return next((space[name] for each in _bases_of(thing) if name in (space := _names_of(each))), None)
    return vars(thing).get(name) if isinstance(thing, types.ModuleType) else None
