"""Containers that only their function has, as its source shows."""

from __future__ import annotations

import ast

import pytest

from mazurka.program.python.analysis.local_containers import local_containers


def _found(body: str) -> set[str]:
    lines = "\n    ".join(body.splitlines())
    (function,) = ast.parse(f"def function(given):\n    {lines}").body
    assert isinstance(function, ast.FunctionDef)
    return local_containers(function)


@pytest.mark.parametrize(
    "body",
    [
        "own = {}\nown[given] = 1",
        "own = []\nfor each in given: own.append(each)\nreturn len(own)",
        "own = set()\nif given in own: own.add(given)\nreturn len(own)",
        "own = [0] * 5\ndel own[0]\nown = [each for each in given]\nreturn sorted(own)",
        "own = dict()\nfor key in own: given(own[key])",
    ],
)
def test_own(body: str) -> None:
    assert _found(body) == {"own"}


@pytest.mark.parametrize(
    "body",
    [
        "own = {}\ngiven(own)",
        "own = {}\ngiven.own = own",
        "own = {}\ngiven.append(own.items())",
        "own = []\nown.append(own)",
        "own = []\nother = own",
        "own = []\nown = given",
        "own = given\nown[0] = 1",
        "own = []\ndef inner(): own.append(1)\ngiven(inner)",
        "own = []\ngiven(lambda: own[0])",
        "own = []\nyield own[0]",
        "own = []\nreturn own",
        "own = []\nreturn own, 1",
        "own = []\ngiven(locals())",
        "own = []\nown += given",
        "own = []\nfor own in given: own[0] = 1",
        "own = []\nwith given as own: own[0] = 1",
        "own = []\nglobal own\nown[0] = 1",
        "own = []\nimport given as own\nown[0] = 1",
        "own = []\ntry: given()\nexcept KeyError as own: own[0]",
        "own = []\nmatch given:\n    case [own]: own[0] = 1",
        "own = []\nmatch given:\n    case {**own}: own[0] = 1",
        "own = []\n(own := given)[0] = 1",
        "own = []\ngiven(*own)",
        "own = []\ngiven(each for each in own)",
        "own = {}\ngiven(sorted(own, key=own.get))",
        "own = []\nraise given(own)",
    ],
)
def test_not_own(body: str) -> None:
    assert _found(body) == set()
