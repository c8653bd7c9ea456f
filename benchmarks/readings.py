"""The reading of a run: the values that its threads read, by which runs with equal values are recognised.

Only of runs whose plan asked for values as keys (``Plan.values``). The reading is the sequence of each thread's steps:
the operation, the place in the source, the location, and the value if it read one that the program can distinguish; and
the operation that it was stopped before. The writer of a value, and the order in which threads moved, are no part of
it. Objects are numbered per run; here they are numbered by the first thread (in the order of names) that touches them,
and when it does. These numbers follow from the steps of the threads, so runs that read equal values have equal
readings.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any, Final

from mazurka.program.protocol import Run
from mazurka.trace.event import READS

#: Numbers of objects are at least this.
_OBJECTS: Final = 1 << 24


def reading(run: Run) -> bytes:
    """A digest that is equal for equal readings. (Not `hash`, to which -1 and -2 are the same.)"""
    did: dict[str, list[Any]] = defaultdict(list)
    for step in run.log:
        more = [(access.op.value, access.target) for access in step.more]
        value = step.value if READS[step.op] else None
        did[run.tasks[step.task]].append((step.op.value, step.site, step.target, value, more))
    for blocked in run.blocked:
        did[run.tasks[blocked.task]].append((blocked.op.value, blocked.target))
    numbers: dict[int, int] = {}
    text = repr([_numbered(part, numbers) for part in sorted(did.items())])
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def _numbered(part: Any, numbers: dict[int, int]) -> Any:
    """The same with objects numbered as they come."""
    if isinstance(part, (tuple, list)):
        return tuple([_numbered(each, numbers) for each in part])
    if type(part) is int and abs(part) >= _OBJECTS:
        number = numbers.setdefault(abs(part), len(numbers))
        return (number, part > 0)
    return part
