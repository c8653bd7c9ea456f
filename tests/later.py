"""Modules that are imported when a test first uses them, and not when tests are collected.

Each process of pytest-xdist imports all test modules. A test that runs programs in such a process looks at all existing
objects, and forks: with numba and PyArrow imported that takes twice as long, and four times as long once kernels have
been compiled. So test modules name the modules here that import these; ``conftest.py`` lets their tests run last.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class Later:
    """A module, by its name; its attributes are there as ever."""

    def __init__(self, module: str) -> None:
        self._module = self.__name__ = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # pytest looks whether it is something to collect
            raise AttributeError(name)
        return getattr(importlib.import_module(self._module), name)


def called(module: Later, name: str) -> Callable[..., Any]:
    """A function of it, or a class, which is imported when it is called."""

    def call(*arguments: Any) -> Any:
        return getattr(module, name)(*arguments)

    return call
