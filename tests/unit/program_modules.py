"""Modules of small programs, written for a test and imported by it."""

from __future__ import annotations

import importlib
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def imported(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: str) -> Iterator[Callable[[str], Any]]:
    """A function that imports modules: ``head``, which ends in the head of a function, and the body it is given."""
    monkeypatch.syspath_prepend(str(folder))
    names = []

    def made(body: str) -> Any:
        each = f"{name}_{len(names)}"
        (folder / f"{each}.py").write_text(head + textwrap.indent(textwrap.dedent(body), "    "))
        names.append(each)
        importlib.invalidate_caches()
        return importlib.import_module(each)

    yield made
    for each in names:
        sys.modules.pop(each, None)
