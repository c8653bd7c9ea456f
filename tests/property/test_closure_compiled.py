"""Compiled by numba, the kernel has the same results as interpreted. Compiling takes half a minute: only under
``long``."""

from __future__ import annotations

import os

import pytest
from tests.property.test_closure import generated

from mazurka.causal import state
from mazurka.causal.closure import Closure

if os.environ.get("HYPOTHESIS_PROFILE") == "long":

    def test_compiled_and_interpreted_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
        asked = [
            (model, question, Closure(model).decide(question))
            for _, _, model, questions in generated(range(40_000, 40_300), longest=40)
            for question in questions
        ]
        monkeypatch.setattr(state, "COMPILE_FROM", 0)
        for model, question, answer in asked:
            assert Closure(model).decide(question) == answer
