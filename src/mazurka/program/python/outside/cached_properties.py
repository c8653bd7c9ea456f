"""The store by which `functools.cached_property` keeps its result: code without instrumentation writes an attribute.
Before Python 3.12 it looks for the result once more before that, when it has its lock."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.python.semantics import objects
from mazurka.trace.targets import ATTRIBUTE, STRUCTURE


class _LookingLock:
    """A lock after which the result is looked for once more."""

    def __init__(self, lock: Any, look: Callable[[], None]) -> None:
        self._lock = lock
        self._look = look

    def __enter__(self) -> None:
        self._lock.__enter__()
        self._look()

    def __exit__(self, *raised: object) -> None:
        self._lock.__exit__(*raised)


class _ReportingProperty:
    """Has the attributes that `cached_property.__get__` reads; the store of the result is reported before it
    happens."""

    def __init__(self, real: Any, look: Callable[[], None], report: Callable[[], None]) -> None:
        self.attrname = real.attrname
        lock = getattr(real, "lock", None)
        self.lock = None if lock is None else _LookingLock(lock, look)
        self._func = real.func
        self._report = report

    def func(self, instance: Any) -> Any:
        value = self._func(instance)
        self._report()
        return value


def _get(models: Models, real: Any, self: Any, instance: Any, owner: Any = None) -> Any:
    if instance is None or self.attrname is None:
        return real(self, instance, owner)

    words = f"{type(instance).__name__}.{self.attrname}"

    def look() -> None:
        pass_step(models, read((ATTRIBUTE, objects.number(instance), self.attrname), words))

    def report() -> None:
        n = objects.number(instance)
        listed = [change((STRUCTURE, -n), words)] if objects.is_listed(type(instance)) else []
        pass_step(models, change((ATTRIBUTE, n, self.attrname), words), *listed)

    return real(_ReportingProperty(self, look, report), instance, owner)


if isinstance(functools.cached_property.__dict__["__get__"], type(_get)):
    replace_method("functools", "cached_property.__get__", _get)
