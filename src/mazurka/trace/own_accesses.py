"""Accesses that no other thread notices, and whose results none changes.

A thread accesses data at a site that is no point only if no other thread conflicts with it; otherwise the site needs a
point, and an exhaustive search begins again (:mod:`mazurka.program.runtime.sharing`). So what its thread has read
before, at points, determines what it reads there, and the model of a run loses nothing without it. Every second step
is a read like that.

Whether such a write is in the log depends on more than the order of the threads: it is left out while its object is
private (:mod:`mazurka.program.runtime.private_objects`), which the object is not once a key has its number.
"""

from __future__ import annotations

from typing import Any, Final

from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target, is_only_content, of_kinds

#: Whether a target is part of an object that may be private. Some statements write others after the fact, without a
#: point.
_is_part: Final = of_kinds(Kind.ATTRIBUTE, Kind.ITEM, Kind.STRUCTURE, Kind.VALUES)


def is_own_access(op: Op, target: Target, site: int, more: tuple[Any, ...]) -> bool:
    """Whether a step that is no point is such an access. Operations on primitives have no site, or other targets."""
    if not site or not _is_own(op, target):
        return False
    for access in more:
        if not _is_own(access.op, access.target):
            return False
    return True


def _is_own(op: Op, target: Target) -> bool:
    if op is Op.READ:
        return is_only_content(target)
    return (op is Op.WRITE or op is Op.RMW) and _is_part(target)
