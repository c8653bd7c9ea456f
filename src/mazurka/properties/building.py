"""Properties stated in Python::

    from mazurka.properties.building import call, event, parameters, state

    m, key = parameters("m key")
    check = event("check", m, key).when(
        call("dict.__contains__", m, key).returning(True),
        call("dict.get", m, key, ...).returning(),
    )
    act = event("act", m, key).when(call("dict.pop", m, key, ...), call("dict.__delitem__", m, key))
    check_then_act = state(
        "check-then-act",
        check("t1") >> act("t2")[1:] >> act("t1"),
        "{t1} acts on a key of {m} that it has checked, but {t2} has changed it in between.",
    )

The result is the same :class:`~mazurka.properties.property.Property` as that of the text, which ``str`` gives. The same
mistakes raise the same errors; they name the property instead of a line.

Operands: a parameter binds, ``...`` is any further operands, :data:`anything` one of them, ``of_type`` one of a class;
every other operand is a constant. Patterns: ``>>`` one after the other, ``|`` one of them, ``&`` both, ``~`` the
complement, ``[0:]`` any number (``*``), ``[1:]`` at least one (``+``), ``[0:1]`` at most one (``?``), :func:`parallel`
at once (``||``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import EllipsisType
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.properties import forms, names
from mazurka.properties.checks import NAME, PATTERN, POINTCUT, in_normal_form, problems
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Moment,
    Named,
    OfType,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.trace.patterns import Complement, Concatenation, Letter, Parallel, Pattern

#: Any one operand (``_``).
anything: Final = Anything()


def parameter(name: str) -> Named:
    """A parameter of a property."""
    return Named(name)


def parameters(listed: str | Iterable[str]) -> tuple[Named, ...]:
    """Parameters by their names, which a text has spaces or commas between."""
    return tuple(map(Named, listed.replace(",", " ").split() if isinstance(listed, str) else listed))


def of_type(kind: str | type) -> OfType:
    """An operand of a class, given itself or by its qualified name."""
    if isinstance(kind, str):
        return OfType(kind)
    return OfType(kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}")


# -- pointcuts --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointcutBuilder:
    """A pointcut as it is built. Each method gives another one."""

    pointcut: Pointcut

    def without_operands(self) -> PointcutBuilder:
        """Only calls with no operands at all."""
        return PointcutBuilder(replace(self.pointcut, operands=()))

    def before(self) -> PointcutBuilder:
        """When the operation begins (the default)."""
        return PointcutBuilder(replace(self.pointcut, moment=Moment.BEFORE))

    def after(self) -> PointcutBuilder:
        """When it has ended, in any way."""
        return PointcutBuilder(replace(self.pointcut, moment=Moment.AFTER))

    def returning(self, result: object = anything) -> PointcutBuilder:
        """When it has returned: a parameter, a constant, or :func:`of_type`."""
        return PointcutBuilder(replace(self.pointcut, moment=Moment.RETURNING, result=_operand(result)))

    def raising(self, exception: object = anything) -> PointcutBuilder:
        """When it has raised an exception, of a class if one is given."""
        kind = of_type(exception) if isinstance(exception, type) else _operand(exception)
        return PointcutBuilder(replace(self.pointcut, moment=Moment.RAISING, result=kind))

    def if_(self, condition: str) -> PointcutBuilder:
        """Only if this expression over the operands' names holds."""
        return PointcutBuilder(replace(self.pointcut, condition=condition))


def call(name: str, *operands: object, **keywords: object) -> PointcutBuilder:
    """Calls of a function or a method, by its qualified name; for a method the first operand is the object. Without
    operands any."""
    return _cut(PointcutKind.CALL, name, operands, keywords)


def get(name: str, *operands: object) -> PointcutBuilder:
    """Loads of an attribute, ``CLASS.NAME``: the object, and the attribute's name."""
    return _cut(PointcutKind.GET, name, operands, {})


def set_(name: str, *operands: object) -> PointcutBuilder:
    """Stores of an attribute: the object, the value, and the attribute's name."""
    return _cut(PointcutKind.SET, name, operands, {})


def delete(name: str, *operands: object) -> PointcutBuilder:
    """Deletions of an attribute: the object, and the attribute's name."""
    return _cut(PointcutKind.DELETE, name, operands, {})


def enter(name: str, *operands: object) -> PointcutBuilder:
    """The beginning of a ``with`` block of an object of a class."""
    return _cut(PointcutKind.CALL, name, operands, {}, "__enter__")


def exit_(name: str, *operands: object) -> PointcutBuilder:
    """The end of a ``with`` block of an object of a class."""
    rest = () if not operands or ... in operands else (...,)
    return _cut(PointcutKind.CALL, name, (*operands, *rest), {}, "__exit__")


def get_item(name: str, container: object, key: object) -> PointcutBuilder:
    """``container[key]`` of a class of containers."""
    return _cut(PointcutKind.CALL, name, (container, key), {}, "__getitem__")


def set_item(name: str, container: object, key: object, value: object = anything) -> PointcutBuilder:
    """``container[key] = value`` of a class of containers."""
    return _cut(PointcutKind.CALL, name, (container, key, value), {}, "__setitem__")


def delete_item(name: str, container: object, key: object) -> PointcutBuilder:
    """``del container[key]`` of a class of containers."""
    return _cut(PointcutKind.CALL, name, (container, key), {}, "__delitem__")


def _cut(
    kind: PointcutKind, name: str, operands: Sequence[object], keywords: Mapping[str, object], method: str = ""
) -> PointcutBuilder:
    try:
        found = names.expanded(name)
    except ValueError as error:
        raise MazurkaError(POINTCUT, str(error), hint=names.EXAMPLES) from None
    found = tuple(f"{each}.{method}" for each in found) if method else found
    by_name = {each: _operand(operand) for each, operand in keywords.items()}
    positional = tuple(map(_operand, operands)) if operands or keywords else None
    return PointcutBuilder(Pointcut(kind, found, operands=positional, keywords=by_name))


def _operand(operand: object) -> Operand:
    match operand:
        case Named() | Anything() | OfType() | Equal():
            return operand
        case EllipsisType():
            return Anything(more=True)
        case _:
            return Equal(operand)


# -- events and patterns ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression:
    """A pattern as it is built: see the module for its operators. ``events`` are those that are declared for it."""

    pattern: Pattern
    events: tuple[EventDeclaration, ...] = ()

    def __rshift__(self, other: Expression) -> Expression:
        return Expression(forms.concatenation((self.pattern, other.pattern)), self.events + other.events)

    def __or__(self, other: Expression) -> Expression:
        return Expression(forms.alternation((self.pattern, other.pattern)), self.events + other.events)

    def __and__(self, other: Expression) -> Expression:
        return Expression(forms.intersection((self.pattern, other.pattern)), self.events + other.events)

    def __invert__(self) -> Expression:
        return Expression(Complement(self.pattern), self.events)

    def __getitem__(self, times: slice) -> Expression:
        known = {(0, None): (0, True), (1, None): (1, True), (0, 1): (0, False)}
        bounds = (times.start or 0, times.stop)
        if bounds not in known or times.step is not None:
            raise MazurkaError(PATTERN, "not a number of times", hint="write [0:], [1:] or [0:1]")
        return Expression(forms.repetition(self.pattern, *known[bounds]), self.events)


@dataclass(frozen=True, slots=True)
class DeclaredEvent:
    """An event as it is declared; calling it gives it attributes in a pattern."""

    declaration: EventDeclaration

    def when(self, *pointcuts: PointcutBuilder) -> DeclaredEvent:
        """The event with pointcuts, each of which makes it happen."""
        made = (*self.declaration.pointcuts, *(each.pointcut for each in pointcuts))
        return DeclaredEvent(replace(self.declaration, pointcuts=made))

    def __call__(
        self, thread: str = "", *, begins: str | Sequence[str] = (), ends: str | Sequence[str] = ()
    ) -> Expression:
        """The event in a pattern: a thread attribute, and the regions that begin or end with it."""
        letter = Letter(self.declaration.name, thread, _regions(begins), _regions(ends))
        return Expression(letter, (self.declaration,))


def _regions(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def event(name: str, *parameters: Named) -> DeclaredEvent:
    """An event with its parameters, which each of its pointcuts has to bind."""
    return DeclaredEvent(EventDeclaration(name, tuple(each.parameter for each in parameters), ()))


def parallel(first: Expression, second: Expression) -> Expression:
    """Two events at once (``||``)."""
    if not isinstance(first.pattern, Letter) or not isinstance(second.pattern, Letter):
        raise MazurkaError(PATTERN, "`||` stands between two events")
    return Expression(Parallel(first.pattern, second.pattern), first.events + second.events)


def empty() -> Expression:
    """The empty word (``()``)."""
    return Expression(Concatenation(()))


def state(
    name: str,
    pattern: Expression,
    description: str = "",
    *,
    parameters: Iterable[Named] = (),
    distinct: Iterable[Named] = (),
) -> Property:
    """The property of this name. Its events are those of the pattern, its parameters those of the events, in the order
    of their first mention; ``parameters`` gives another one. No two of those in ``distinct`` stand for the same object.
    Raises MazurkaError for all that the language refuses."""
    declared: dict[str, EventDeclaration] = {}
    for each in pattern.events:
        if declared.setdefault(each.name, each) != each:
            raise MazurkaError(NAME, f"there are two events {each.name}", where=f"property {name}")
    mentioned = (one for each in declared.values() for one in each.parameters)
    given = tuple(each.parameter for each in parameters) or tuple(dict.fromkeys(mentioned))
    different = tuple(each.parameter for each in distinct)
    events = tuple(declared.values())
    stated = Property(name, given, events, forms.normal(pattern.pattern), description, distinct=different)
    for problem in problems(stated):
        raise MazurkaError(problem.slug, problem.message, where=f"property {name}", hint=problem.hint)
    return in_normal_form(stated)
