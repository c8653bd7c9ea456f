"""Terms over unknown inputs are the same after they have been sent to another process, however deep they are."""

from __future__ import annotations

import pickle

import pytest

from mazurka.symbolic.terms import Term, as_text, constant, from_text, operation, variable


def _chain(depth: int) -> list[Term]:
    """Terms of which each consists of the one before it, twice."""
    made = [variable("n", 32)]
    for step in range(depth):
        made.append(operation("add", operation("mul", made[-1], made[-1]), constant(step, 32)))
    return made


@pytest.mark.parametrize("depth", [0, 1, 24, 25, 26, 60, 1_000])
def test_a_pickled_term_is_the_same_object(depth: int) -> None:
    term = _chain(depth)[-1]
    assert pickle.loads(pickle.dumps(term)) is term
    assert from_text(as_text(term)) is term


def test_terms_that_have_parts_in_common_are_pickled_once() -> None:
    terms = _chain(400)
    content = pickle.dumps(terms)
    assert pickle.loads(content) == terms
    assert len(content) < 100 * len(pickle.dumps(terms[-1]))


def test_a_term_is_made_anew_in_a_process_that_does_not_have_it() -> None:
    content, text = pickle.dumps(_chain(200)[-1]), as_text(_chain(200)[-1])
    assert as_text(pickle.loads(content)) == text
