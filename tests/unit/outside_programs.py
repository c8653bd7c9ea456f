"""Small programs about state that threads share outside the Python heap, explored in this process."""

from __future__ import annotations

import importlib.util
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent, indent
from types import ModuleType
from typing import Any

from mazurka.api import Result, explore

_HEAD = """
import threading

def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()

def main():
"""


@contextmanager
def program(folder: Path, source: str, globals_: str = "") -> Iterator[ModuleType]:
    """A module whose ``main`` is the source, in a project of its own."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    path = project / "outside_subject.py"
    path.write_text(dedent(globals_) + _HEAD + indent(dedent(source), "    "))
    spec = importlib.util.spec_from_file_location("outside_subject", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["outside_subject"] = module
    spec.loader.exec_module(module)
    try:
        yield module
    finally:
        for value in vars(module).values():
            if isinstance(value, io.IOBase):
                value.close()
        del sys.modules["outside_subject"]


def explored(folder: Path, source: str, globals_: str = "", **settings: Any) -> Result:
    """The result of an exploration of the program."""
    with program(folder, source, globals_) as module:
        return explore(module.main, **{"time_limit": 60, "jobs": 1, **settings})
