"""Reads of which no other thread can change the result.

A thread reads data at a site that is no point only if no other thread writes it once there are several; otherwise the
site needs a point, and an exhaustive search begins again (:mod:`mazurka.program.runtime.sharing`). So the steps of its
thread before determine what it reads, and the model of a run loses nothing without it. About every second step is one.
"""

from __future__ import annotations

from typing import Any

from mazurka.trace.event import Op
from mazurka.trace.targets import CONTENT_TAGS, Target


def is_own_read(op: Op, target: Target, site: int, more: tuple[Any, ...]) -> bool:
    """Whether a step that is no point is such a read. Operations on primitives have no site, or other targets."""
    if op is not Op.READ or not site or target[0] not in CONTENT_TAGS:
        return False
    for access in more:
        if access.op is not Op.READ or access.target[0] not in CONTENT_TAGS:
            return False
    return True
