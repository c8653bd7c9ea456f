"""The table of kinds of targets: whole, and the only place where tags are looked at."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mazurka
from mazurka.trace import targets
from mazurka.trace.targets import Kind, Trait, is_counter, is_data, kind_of, kind_of_tag, may_wait, orders_threads

_SOURCES = Path(mazurka.__file__).parent


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_has_properties_and_words(kind):
    assert isinstance(kind.properties, Trait)
    assert kind.words
    assert kind_of((kind.tag, 1)) is kind
    assert kind_of_tag(kind.recorded) is not None
    constant = getattr(targets, kind.name, kind.tag)
    assert constant in (kind.tag, (kind.tag,))


def test_properties_agree():
    for kind in Kind:
        assert not kind.has(Trait.COUNTS | Trait.PRIMITIVE) or kind.has(Trait.WAITS), kind
        assert not kind.has(Trait.PART) or kind.has(Trait.DATA), kind
        assert not (kind.has(Trait.PART) and kind.has(Trait.WHOLE)), kind


def test_what_only_traces_from_elsewhere_have_is_a_variable():
    for target in ("x", (), ("register", "r1"), 7):
        assert kind_of(target) is Kind.VARIABLE
        assert is_data(target)
        assert not any(holds(target) for holds in (may_wait, orders_threads, is_counter))


def test_recorded_tags_mean_the_same_kinds():
    assert kind_of(("structure", "Box#1")) is Kind.STRUCTURE
    assert kind_of(("object", "Box#1")) is Kind.OBJECT
    assert kind_of(("var", "Box#1.x")) is Kind.VARIABLE
    assert not is_data(("structure", "Box#1"))


def test_no_other_module_compares_tags():
    found = [
        f"{path.relative_to(_SOURCES)}:{node.lineno}: {ast.unparse(node)}"
        for path in sorted(_SOURCES.rglob("*.py"))
        if path != Path(targets.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _compares_a_tag(node)
    ]
    assert found == []


def _compares_a_tag(node: ast.AST) -> bool:
    """Whether the first component of a variable called target is compared, or looked up in a set; or that of any other
    object with a tag. (The first components of keys are texts, too.)"""
    match node:
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            about = [each.value for side in sides for each in ast.walk(side) if _is_first(each)]
            texts = {each.value for side in sides for each in ast.walk(side) if isinstance(each, ast.Constant)}
            compared = any(_is_first(side) or isinstance(side, ast.Tuple | ast.List | ast.Set) for side in sides)
            named = {ast.unparse(each).rpartition(".")[2] for each in about} - {"key"}
            return compared and bool(named) and ("target" in named or any(kind_of_tag(str(text)) for text in texts))
        case ast.MatchSequence(patterns=[ast.MatchValue(value=ast.Constant(value=str(text))), *_]):
            return len(text) == 1 and kind_of_tag(text) is not None
    return False


def _is_first(node: ast.AST) -> bool:
    match node:
        case (
            ast.Subscript(slice=ast.Constant(value=0))
            | ast.Subscript(slice=ast.Slice(lower=None, upper=ast.Constant(value=1)))
        ):
            return True
    return False


@pytest.mark.parametrize(
    ("source", "compares"),
    [
        ("target[0] == 'lock'", True),
        ("step.target[0] in _KEPT", True),
        ("target[:1] == ('sleep',)", True),
        ("last[2][0] in ('a', 'o')", True),
        ("'wake' in (one[2][0], *[access.target[0] for access in one[6]])", True),
        ("key[0] == 'object'", False),
        ("row[0] == 'anew'", False),
        ("targets[0] is None", False),
        ("kind_of(target) is Kind.LOCK", False),
    ],
)
def test_comparisons_are_seen(source, compares):
    assert any(map(_compares_a_tag, ast.walk(ast.parse(source)))) is compares
