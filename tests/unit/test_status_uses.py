"""Code mentions the times and numbers of files only where it may have the status of a file as a tuple."""

from __future__ import annotations

import ast

import pytest

from mazurka.program.python.instrument.rewrite.rewriter import mentioned

_ASKED = "import os\nstatus = os.stat('a')\n"


@pytest.mark.parametrize(
    "rest",
    [
        "status[8]",
        "a, b, c, d, e, f, g, h, i, j = status",
        "first, *others = status",
        "def f(found):\n    return found[1]",
        "def f():\n    found = []\n    found = status\n    return found[1]",
        "found = []\ndef f():\n    return found[1]",
        "def f():\n    found = []\n    for found in [status]:\n        pass\n    return found[1]",
        "def f():\n    found = []\n    def g():\n        nonlocal found\n        found = status\n    return found[1]",
        "status.st_mtime",
    ],
)
def test_uses(rest: str) -> None:
    assert "times" in mentioned(ast.parse(_ASKED + rest))


@pytest.mark.parametrize(
    "rest",
    [
        "status.st_size",
        "a, b = b, a",
        "pid, error = read()",
        "def f():\n    errors = []\n    errors.append(1)\n    return errors[0], errors[1]",
        "def f():\n    errors: list[int] = []\n    return errors[-1]",
    ],
)
def test_other_expressions(rest: str) -> None:
    assert "times" not in mentioned(ast.parse(_ASKED + rest))
