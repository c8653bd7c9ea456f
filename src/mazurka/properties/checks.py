"""Whether a property makes sense: of names that are declared and used, and of patterns that an execution can show.

Both ways to state one (`parsing.py`, `building.py`) have their property checked here. A :class:`Problem` says at which
part it is; only a text has a line for it.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from string import Formatter
from typing import Final, NamedTuple, TypeAlias

from mazurka.errors import Slug, did_you_mean
from mazurka.properties import conditions, names
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
from mazurka.trace.patterns import (
    Alternation,
    Complement,
    Concatenation,
    Intersection,
    Letter,
    Parallel,
    Pattern,
    Repetition,
    letters,
    protocol,
)

#: The kinds of failures and of predicted bugs: a finding's kind is the name of its property, which is none of these.
KINDS: Final = frozenset(
    "assertion atomicity blocked call-order deadlock exception exit invariant livelock nondeterminism order-violation"
    " property race".split()
)

#: A part of a property: ``("event", "check", "parameter", "m")``, ``("pattern", 2)`` for its third letter.
Part: TypeAlias = tuple[str | int, ...]

NAME: Final[Slug] = "property-name"
PATTERN: Final[Slug] = "property-pattern"
POINTCUT: Final[Slug] = "property-pointcut"

_PROPERTY_NAME: Final = re.compile(r"[^\W\d]\w*(-\w+)*")


class Problem(NamedTuple):
    """A mistake: the slug of its error, a message, a remedy ("" if none), and the part of the property."""

    slug: Slug
    message: str
    hint: str
    part: Part


def problems(stated: Property) -> Iterator[Problem]:
    """The mistakes in a property, in the order of its text as far as they depend on nothing later."""
    if not _PROPERTY_NAME.fullmatch(stated.name):
        yield Problem(NAME, f"{stated.name!r} is no name of a property", "names are words, joined by -", ("name",))
    if stated.name in KINDS:
        hint = "a finding's kind is the name of its property"
        yield Problem(NAME, f"{stated.name} is the name of another kind of bug", hint, ("name",))
    yield from _of_parameters(stated.parameters, ())
    yield from _twice("event", ((each.name, ("event", each.name, 2)) for each in stated.events))
    for event in stated.events:
        yield from _of_event(event, stated)
    used = {name for event in stated.events for name in event.parameters}
    for name in stated.parameters:
        if name not in used:
            yield Problem(NAME, f"no event has the parameter {name}", "", ("parameter", name))
    yield from _of_distinct(stated)
    yield from _of_pattern(stated)
    yield from _of_description(stated)


def _of_parameters(parameters: Iterable[str], part: Part) -> Iterator[Problem]:
    parameters = list(parameters)
    for name in parameters:
        if not name.isidentifier() or keyword.iskeyword(name) or name == "_":
            yield Problem(NAME, f"{name!r} is no name of a parameter", "", (*part, "parameter", name))
    yield from _twice("parameter", ((name, (*part, "parameter", name, 2)) for name in parameters))


def _of_distinct(stated: Property) -> Iterator[Problem]:
    for name in stated.distinct:
        if name not in stated.parameters:
            hint = did_you_mean(name, stated.parameters) or "distinct objects are those of parameters"
            yield Problem(NAME, f"the property has no parameter {name}", hint, ("distinct", "parameter", name))
    yield from _twice("parameter", ((name, ("distinct", "parameter", name, 2)) for name in stated.distinct))


def _twice(kind: str, parts: Iterable[tuple[str, Part]]) -> Iterator[Problem]:
    parts = list(parts)
    counts = Counter(name for name, _ in parts)
    for name, part in parts:
        if counts[name] > 1:
            yield Problem(NAME, f"there are two {kind}s {name}", "", part)
            return


def _of_event(event: EventDeclaration, stated: Property) -> Iterator[Problem]:
    here: Part = ("event", event.name)
    parameters = stated.parameters
    others = {name for each in stated.events if each.pointcuts for name in each.parameters if not _frees(each, name)}
    if not event.name.isidentifier():
        yield Problem(NAME, f"{event.name!r} is no name of an event", "", here)
    yield from _of_parameters(event.parameters, here)
    for name in event.parameters:
        if name not in parameters:
            hint = did_you_mean(name, parameters) or "parameters of events are parameters of the property"
            yield Problem(NAME, f"the property has no parameter {name}", hint, (*here, "parameter", name))
    if not event.pointcuts:
        yield Problem(POINTCUT, f"the event {event.name} has no pointcut", "", here)
    for at, pointcut in enumerate(event.pointcuts):
        yield from _of_pointcut(pointcut, event, others, (*here, "pointcut", at))


def _frees(event: EventDeclaration, name: str) -> bool:
    """Whether some pointcut of an event does not bind one of its parameters."""
    return any(name not in pointcut.binds() for pointcut in event.pointcuts)


def _of_pointcut(pointcut: Pointcut, event: EventDeclaration, others: Collection[str], here: Part) -> Iterator[Problem]:
    if not pointcut.names:
        yield Problem(POINTCUT, "a pointcut without a name", "", here)
    for each in pointcut.names:
        yield from _of_name(each, (*here, "name"))
    yield from _of_c(pointcut, here)
    yield from _of_operands(pointcut, here)
    if pointcut.result != Anything() and not (
        pointcut.moment in (Moment.RETURNING, Moment.RAISING) and pointcut.kind in (PointcutKind.CALL, PointcutKind.GET)
    ):
        hint = "write returning or raising before call or get"
        yield Problem(
            POINTCUT, f"there is no result {pointcut.moment.value} {pointcut.kind.value}", hint, (*here, "result")
        )
    if isinstance(pointcut.result, Anything) and pointcut.result.more:
        yield Problem(POINTCUT, "`...` stands for operands, not for a result", "", (*here, "result"))
    bound = pointcut.binds()
    known = (*bound, *pointcut.free(event.parameters))
    try:
        used = conditions.names_in(conditions.checked(pointcut.condition, known)) if pointcut.condition else frozenset()
    except conditions.Refused as refused:
        hint = refused.hint or (did_you_mean(refused.name, known) if refused.name else "")
        yield Problem(POINTCUT, refused.message, hint, (*here, "condition", refused.line, refused.column))
        return
    for name in bound:
        if name not in event.parameters and name not in used:
            hint = did_you_mean(name, event.parameters)
            hint = hint or "names in a pointcut are parameters of its event, or used by its condition; _ is any operand"
            yield Problem(NAME, f"the event {event.name} has no parameter {name}", hint, (*here, "operand", name))
    for name in event.parameters:
        if name in used and name not in bound:
            if name not in others:
                message = f"the condition is on {name}, which no other event binds"
                place = (*here, "condition", *conditions.place_of(name, pointcut.condition))
                yield Problem(POINTCUT, message, f"declare an event that has {name} among its operands", place)
        elif name not in bound:
            declared = f"{event.name}({', '.join(event.parameters)})"
            hint = f"write {name} where the operation has it, or leave it out in {declared}"
            yield Problem(POINTCUT, f"this pointcut does not bind {name}", hint, here)


def _of_c(pointcut: Pointcut, here: Part) -> Iterator[Problem]:
    """Features of Python that C does not have."""
    if not any(name.startswith("c:") for name in pointcut.names):
        return
    mentioned = (*(pointcut.operands or ()), pointcut.result)
    if pointcut.moment is Moment.RAISING:
        yield Problem(POINTCUT, "functions of C raise no exceptions", "write returning or after", here)
    if pointcut.kind is PointcutKind.DELETE:
        yield Problem(POINTCUT, "variables of C are not deleted", "", here)
    if pointcut.keywords:
        yield Problem(POINTCUT, "arguments of C have no names", "give them in their order", here)
    if any(isinstance(each, OfType) for each in mentioned):
        yield Problem(POINTCUT, "objects of C have no classes", "", here)


def _of_name(name: str, here: Part) -> Iterator[Problem]:
    try:
        wrong = "" if names.expanded(name) == (name,) else f"{name!r} is no qualified name"
    except ValueError as error:
        wrong = str(error)
    if wrong:
        yield Problem(POINTCUT, wrong, names.EXAMPLES, here)


def _of_operands(pointcut: Pointcut, here: Part) -> Iterator[Problem]:
    operands = pointcut.operands
    if operands is None:
        if pointcut.keywords:
            yield Problem(POINTCUT, "keywords without operands", "put `...` before them for any", here)
        return
    rest = [at for at, each in enumerate(operands) if each == Anything(more=True)]
    if rest and (len(rest) > 1 or rest[0] != len(operands) - 1):
        yield Problem(POINTCUT, "`...` stands for all further operands", "put it last", (*here, "rest"))
    most = {PointcutKind.GET: 2, PointcutKind.DELETE: 2, PointcutKind.SET: 3}.get(pointcut.kind)
    if most is not None and (len(operands) - len(rest) > most or pointcut.keywords):
        expected = "the object, the value, the attribute's name" if most == 3 else "the object, the attribute's name"
        yield Problem(POINTCUT, f"{pointcut.kind.value} has at most {most} operands: {expected}", "", here)
    for each in (*operands, *pointcut.keywords.values(), pointcut.result):
        yield from _of_operand(each, here)
    for name in pointcut.keywords:
        if not name.isidentifier() or keyword.iskeyword(name):
            yield Problem(POINTCUT, f"{name!r} is no name of an argument", "", here)
        if pointcut.keywords[name] == Anything(more=True):
            yield Problem(POINTCUT, "`...` stands for operands, not for one argument", "", here)


def _of_operand(operand: Operand, here: Part) -> Iterator[Problem]:
    match operand:
        case OfType(name):
            yield from _of_name(name, (*here, "name"))
        case Named(name):
            if not name.isidentifier() or keyword.iskeyword(name) or name == "_":
                yield Problem(NAME, f"{name!r} is no name of a parameter", "", (*here, "operand", name))
        case Equal(value):
            if not isinstance(value, None | bool | int | float | str | bytes) or value != value:
                message = f"{value!r} is no constant: None, a bool, a number, a text or bytes"
                yield Problem(POINTCUT, message, "", here)
        case Anything():
            pass


# -- patterns ---------------------------------------------------------------------------------------------------------


def _of_pattern(stated: Property) -> Iterator[Problem]:
    known = [event.name for event in stated.events]
    all_letters = [*letters(stated.pattern)]
    for at, letter in enumerate(all_letters):
        if letter.event not in known:
            hint = did_you_mean(letter.event, known) or _events(known)
            yield Problem(NAME, f"no event {letter.event} is declared", hint, ("pattern", at))
        for name in filter(None, (letter.thread, *letter.begins, *letter.ends)):
            if not name.isidentifier():
                yield Problem(NAME, f"{name!r} is no name of a thread or a region", "", ("pattern", at))
    used = {letter.event for letter in all_letters}
    for name in known:
        if name not in used:
            hint = "use the event, or leave it out"
            yield Problem(NAME, f"the pattern does not use the event {name}", hint, ("event", name))
    yield from _misplaced(stated.pattern)
    yield from _of_regions(all_letters)
    if protocol(stated.pattern) is None and may_be_empty(stated.pattern):
        message = "the pattern accepts the empty word: every execution would violate the property"
        yield Problem(PATTERN, message, "at least one event has to be required", ("pattern",))


def _events(known: Collection[str]) -> str:
    return f"the property declares {', '.join(known)}" if known else "the property declares no events"


def _misplaced(pattern: Pattern) -> Iterator[Problem]:
    """The ``||`` that are not at the end of the pattern."""
    at = 0

    def walk(part: Pattern, is_last: bool) -> Iterator[int]:
        nonlocal at
        match part:
            case Letter():
                at += 1
            case Parallel():
                if not is_last:
                    yield at
                at += 2
            case Complement(inner) | Repetition(inner):
                yield from walk(inner, False)
            case Alternation(parts):
                for each in parts:
                    yield from walk(each, is_last)
            case Intersection(parts):
                for each in parts:
                    yield from walk(each, False)
            case Concatenation(parts):
                for each in parts[:-1]:
                    yield from walk(each, False)
                for each in parts[-1:]:
                    yield from walk(each, is_last)

    for place in walk(pattern, True):
        yield Problem(PATTERN, "`||` can only come last in a pattern", "two events at once end it", ("pattern", place))


def _of_regions(all_letters: list[Letter]) -> Iterator[Problem]:
    begun: dict[str, str] = {}
    ended = {region for letter in all_letters for region in letter.ends}
    for at, letter in enumerate(all_letters):
        for region in letter.begins:
            if begun.setdefault(region, letter.event) != letter.event:
                message = f"the region {region} begins with two events, {begun[region]} and {letter.event}"
                yield Problem(PATTERN, message, "a region begins with one event", ("pattern", at))
            elif region not in ended:
                hint = did_you_mean(region, ended) or f"its last event has the attribute >{region}"
                yield Problem(PATTERN, f"the region {region} begins, but does not end", hint, ("pattern", at))
    for at, letter in enumerate(all_letters):
        for region in letter.ends:
            if region not in begun:
                hint = did_you_mean(region, begun) or f"its first event has the attribute <{region}"
                yield Problem(PATTERN, f"the region {region} ends, but does not begin", hint, ("pattern", at))


def may_be_empty(pattern: Pattern) -> bool:
    """Whether the empty word is in the language of a pattern."""
    match pattern:
        case Letter() | Parallel():
            return False
        case Concatenation(parts) | Intersection(parts):
            return all(map(may_be_empty, parts))
        case Alternation(parts):
            return any(map(may_be_empty, parts))
        case Complement(part):
            return not may_be_empty(part)
        case Repetition(part, least):
            return least == 0 or may_be_empty(part)


def _of_description(stated: Property) -> Iterator[Problem]:
    known = [*stated.parameters, *dict.fromkeys(each.thread for each in letters(stated.pattern) if each.thread)]
    try:
        fields = [*Formatter().parse(stated.description)]
    except ValueError as error:
        message = f"the description can't be filled in: {error}"
        yield Problem(NAME, message, "write {{ and }} for braces", ("description",))
        return
    for _, name, form, conversion in fields:
        if name is not None and (name not in known or form or conversion):
            hint = did_you_mean(name, known) or "there are the parameters and the threads of the pattern"
            yield Problem(NAME, f"the description names {{{name}}}", hint, ("description",))


def in_normal_form(stated: Property) -> Property:
    """A property without problems, with its conditions in normal form."""
    events = []
    for event in stated.events:
        pointcuts = (
            replace(each, condition=_checked(each, event.parameters)) if each.condition else each
            for each in event.pointcuts
        )
        events.append(replace(event, pointcuts=tuple(pointcuts)))
    return replace(stated, events=tuple(events))


def _checked(pointcut: Pointcut, parameters: Sequence[str]) -> str:
    return conditions.checked(pointcut.condition, (*pointcut.binds(), *pointcut.free(parameters)))
