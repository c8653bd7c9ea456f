"""Every property has a text that is read as this property, and no text makes the reader fail in another way."""

from __future__ import annotations

import string

from hypothesis import assume, given
from hypothesis import strategies as st

from mazurka.errors import MazurkaError
from mazurka.properties import forms
from mazurka.properties.checks import in_normal_form, problems
from mazurka.properties.parsing import parsed
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Moment,
    Named,
    OfType,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.trace.patterns import Alternation, Complement, Concatenation, Intersection, Letter, Parallel, Repetition

_EVENTS = ("get", "event", "a", "größe")
_PARAMETERS = ("m", "call", "key")
_THREADS = ("", "t1", "pattern")

_CONSTANTS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary())
_NAMES = st.sampled_from(
    ["f", "dict.pop", "*.close", "get", "c:malloc", "before", "a*b.*", "outer.<locals>.<lambda>", "if", "is"]
)
_OPERANDS = st.one_of(_CONSTANTS.map(Equal), st.just(Anything()), _NAMES.map(OfType))
_CONDITIONS = st.sampled_from(
    ["", "m is None", "call == 'x | y' or m in (1, 2)", "not len(key) > -1", "isinstance(m, (int, str))", "m == '#'"]
)


@st.composite
def _pointcuts(draw: st.DrawFn, parameters: tuple[str, ...]) -> Pointcut:
    kind = draw(st.sampled_from(PointcutKind))
    moment = draw(st.sampled_from(Moment))
    condition = draw(_CONDITIONS)
    bound = [*map(Named, dict.fromkeys((*parameters, *(each for each in _PARAMETERS if each in condition))))]
    operands = draw(st.permutations([*bound, *draw(st.lists(_OPERANDS, max_size=2))]))
    keywords: dict[str, Anything | Equal | Named | OfType] = {}
    result: Anything | Equal | Named | OfType = Anything()
    if moment in (Moment.RETURNING, Moment.RAISING) and kind in (PointcutKind.CALL, PointcutKind.GET):
        result = draw(_OPERANDS)
        if draw(st.booleans()) and operands:
            result = operands.pop()
    if kind is PointcutKind.CALL and draw(st.booleans()) and operands:
        keywords[draw(st.sampled_from(["x", "call", "_"]))] = operands.pop()
    if draw(st.booleans()):
        operands.append(Anything(more=True))
    if len(operands) > (3 if kind is PointcutKind.SET else 2):
        kind = PointcutKind.CALL
        if moment in (Moment.BEFORE, Moment.AFTER):
            result = Anything()
    names = tuple(draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True)))
    return Pointcut(kind, names, moment, tuple(operands), keywords, result, condition)


_LETTERS = st.builds(Letter, st.sampled_from(_EVENTS), st.sampled_from(_THREADS))
_PATTERNS = st.recursive(
    _LETTERS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: Concatenation(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Alternation(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Intersection(tuple(parts))),
        inner.map(Complement),
        st.builds(Repetition, inner, st.integers(0, 1), st.booleans()),
    ),
    max_leaves=8,
)
_ENDINGS = st.one_of(
    _PATTERNS,
    st.builds(lambda one, a, b: Concatenation((one, Parallel(a, b))), _PATTERNS, _LETTERS, _LETTERS),
    st.builds(lambda one, a, b: Alternation((one, Parallel(a, b))), _PATTERNS, _LETTERS, _LETTERS),
)


@st.composite
def _properties(draw: st.DrawFn) -> Property:
    regions = Letter(_EVENTS[0], "t1", begins=("r", "s")), Letter(_EVENTS[1], ends=("s", "r"))
    used = Concatenation(tuple(map(Letter, _EVENTS)))
    pattern = forms.normal(Concatenation((used, *regions, draw(_ENDINGS))))
    events = []
    for name in _EVENTS:
        parameters = tuple(draw(st.lists(st.sampled_from(_PARAMETERS), unique=True)))
        pointcuts = tuple(draw(st.lists(_pointcuts(parameters), min_size=1, max_size=2)))
        events.append(EventDeclaration(name, parameters, pointcuts))
    mentioned = tuple(dict.fromkeys(one for each in events for one in each.parameters))
    description = draw(st.text()).replace("{", "{{").replace("}", "}}") + "{t1}"
    distinct = mentioned if len(mentioned) > 1 and draw(st.booleans()) else ()
    return Property("p-1", mentioned, tuple(events), pattern, description, distinct=distinct)


@given(_properties())
def test_every_property_has_a_text(stated: Property) -> None:
    assume(not [*problems(stated)])
    stated = in_normal_form(stated)
    (again,) = parsed(str(stated))
    assert again == stated
    assert str(again) == str(stated)


_WORDS = st.sampled_from(
    [
        *"property event pattern before returning call get set if is None _ ... -> ( ) [ ] { } : , m a p 1e5".split(),
        *'| || & ! ? * + < > = # \\ \' "text" dict.pop'.split(),
        *("\n", "\n    ", "\n        ", '"""'),
    ]
)


@given(st.lists(_WORDS | st.text(string.printable, max_size=3), max_size=40).map(" ".join))
def test_texts_are_read_or_refused(text: str) -> None:
    for each in (
        text,
        f"property p(m):\n    event a(m): {text}",
        f"property p(m):\n    event a(m): f(m)\n    pattern: {text}",
    ):
        try:
            parsed(each)
        except MazurkaError as error:
            assert error.slug.startswith("property-")
