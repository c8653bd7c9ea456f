"""Formulas of commutativity conditions, and tables of them: formulas that are read, refused, or equal."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from mazurka.commute.equivalence import is_same
from mazurka.commute.formula import EARLIER, Formula, Pair, Side, Sigma, compiled, in_words, mentions_state, swapped
from mazurka.commute.parsing import Wrong, formula_of, lines_of
from mazurka.commute.shared_type import FUNCTIONS, SharedType, Step
from mazurka.commute.specification import specifications_of
from mazurka.errors import MazurkaError

PARAMETERS = (("k", "v"), ("k", "n"))


def formula(text: str) -> Formula:
    return formula_of(text, PARAMETERS, FUNCTIONS)


def worth(text: str, one: Side, two: Side, earlier: Any = None) -> Any:
    return compiled(formula(text), FUNCTIONS, PARAMETERS)(Pair(one, two, earlier))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("k1 != k2 or v1 == n2", False),
        ("k1 == k2 and not raised(r1)", True),
        ("v1 + 1 == n2 == 2", True),
        ("-v1 + n2 * 3 - 1 == 4", True),
        ("n2 // 2 == 1 and n2 % 2 == 0", True),
        ("k1 in s1 and k1 not in s2", True),
        ("len(s) + len(s1) == 3 and at(s, 5) != None", True),
        ("missing(at(s, 5)) and last(s1) == first(s1)", True),
        ("r1 is None and r2 is not None", True),
        ("v1 in (1, 'x')", True),
        ("v1 >= 1 and v1 > 0 and v1 <= 1 and v1 < 2", True),
        ("True and (False or v1 == 1)", True),
    ],
)
def test_what_formulas_are_worth(text: str, value: bool) -> None:
    one, two = Side(("a", 1), None, ("a",)), Side(("a", 2), 7, ())
    assert worth(text, one, two, ("p", "q")) is value
    assert in_words(formula(in_words(formula(text)))) == in_words(formula(text))
    assert worth(in_words(formula(text)), one, two, ("p", "q")) is value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no formula"),
        ("v1 ==", "no formula"),
        ("v1 == w2", "there is no w2"),
        ("size(s)", "there is no function size"),
        ("k1.upper()", "not part of the logic"),
        ("[k1]", "not part of the logic"),
        ("__import__('os')", "there is no function __import__"),
        ("v1 if k1 else n2", "not part of the logic"),
        ("(lambda: 1)()", "not part of the logic"),
        ("len(s=1)", "not part of the logic"),
        ("s[0]", "not part of the logic"),
        ("v1 ** 9", "not part of the logic"),
        ("(v1, k1)", "no value"),
        ("1j", "no value"),
        ("not " * 20_000 + "v1", "no formula|too deep"),
    ],
)
def test_what_is_no_formula(text: str, why: str) -> None:
    with pytest.raises(Wrong, match=why):
        formula(text)


def test_exchanging_the_calls() -> None:
    turned = swapped(formula("k1 != k2 or r1 in s2 and len(s) == n2"))
    assert in_words(turned) == "k2 != k1 or r2 in s1 and len(s) == n1"
    assert swapped(Sigma(EARLIER)) == Sigma(EARLIER)
    assert mentions_state(formula("len(s) == 0"))
    assert not mentions_state(formula("r1 == 0"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("k1 != k2 or k1 in s", "k2 != k1 or k2 in s", True),  # equals may stand for each other
        ("k1 == k2 and k2 == r1", "k1 == r1 and r1 == k2", True),
        ("r1 and r2", "r2 and r1", True),
        ("not (r1 or r2)", "not r1 and not r2", True),
        ("v1 > n2", "n2 < v1", True),
        ("at(s, k1) == at(s, k2) or k1 != k2", "True", True),
        ("k1 in s", "k2 in s", False),
        ("v1 > n2", "n2 > v1", False),
        ("r1", "r2", False),
    ],
)
def test_which_formulas_are_the_same(one: str, other: str, same: bool) -> None:
    assert is_same(formula(one), formula(other)) is same
    assert is_same(formula(other), formula(one)) is same


def test_lines_of_tables() -> None:
    table = """
        add, put || get : k1 != k2  # a comment
            or r1

        get || get : True
    """
    first, second = lines_of(table, str)
    assert (first.number, list(first.pairs()), first.formula) == (1, [("add", "get"), ("put", "get")], "k1 != k2 or r1")
    assert (second.number, second.formula) == (4, "True")


class Faulty(SharedType):
    initials = (0,)
    scope: ClassVar[dict[str, Any]] = {"v": (0, 1)}

    def read(self, s: int) -> Step:
        return s, s

    def write(self, s: int, v: int) -> Step:
        return v, None


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({}, "neither"),
        ({"fine": "True"}, "without a pair"),
        ({"fine": "read || True"}, "not of the form"),
        ({"fine": "read || red : True"}, "there is no method red; did you mean read"),
        ({"fine": "read || write : v1 == r2"}, "read || write: there is no v1"),
        ({"fine": "write || write : v1 == 0"}, "not symmetric"),
        ({"fine": "read, write || read, write : r1 == 0"}, "not symmetric"),
        ({"fine": "read || write : True\nwrite || read : True"}, "has a condition already"),
        ({"coarse": "read || write : s == v2"}, "looks at a state"),
        ({"coarse": "read || read : True", "initials": ()}, "`initials`"),
        ({"coarse": "read || read : True", "scope": {}}, "`scope` has no values for the parameter v of write"),
        ({"coarse": "read || read : True", "swap": lambda self, s, r: (s, r)}, "swap has a parameter r"),
    ],
)
def test_specifications_that_are_refused(changes: dict[str, Any], what: str) -> None:
    with pytest.raises(MazurkaError) as raised:
        specifications_of(type("Faulty", (Faulty,), changes))
    assert what in str(raised.value)
    assert raised.value.slug == "specification"


def test_a_type_without_methods() -> None:
    with pytest.raises(MazurkaError, match="without methods"):
        specifications_of(type("Empty", (SharedType,), {"initials": (0,), "fine": "a || a : True"}))


def test_errors_name_the_line() -> None:
    with pytest.raises(MazurkaError, match=r"test_commute_formulas\.py:\d+: read \|\| write") as raised:
        specifications_of(Misspelt)
    line = int(raised.value.where.rpartition(":")[2])
    with open(__file__, encoding="utf-8") as source:
        assert "raed1" in source.readlines()[line - 1]


class Misspelt(Faulty):
    fine = """
        read  || read  : True
        read  || write : raed1 == v2
    """
