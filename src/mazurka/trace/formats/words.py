"""Operations in the words of STD, and the kind of each one's target: shared by the text formats that RAPID reads.

=====================  ==========================================================
words                  operation
=====================  ==========================================================
``r w``                READ, WRITE of a variable (``rmw`` both at once)
``acq rel req``        ACQUIRE, RELEASE, REQUEST of a lock
``fork join``          FORK, JOIN of a thread
``begin end``          BEGIN, END of the thread itself; their operand is not read
``wait notify``        WAIT, NOTIFY of a condition
``notifyAll``          NOTIFY_ALL; some write ``broadcast`` or ``notifyall``
``branch``             BRANCH
``enter exit``         CALL, RETURN of a method; some write ``call``, ``return``
``alloc free``         ALLOC, FREE of an object
``fence point``        FENCE, POINT
``sleep spin nop``     SLEEP, SPIN, NOP
=====================  ==========================================================

A bare number that is forked or joined by a thread called ``T`` and a number is the thread of that name: ``T0`` that
does ``fork(12)`` starts ``T12``.
"""

from __future__ import annotations

from typing import Final

from mazurka.trace.event import Op
from mazurka.trace.targets import CONDITION, LOCK, THREAD, VARIABLE, Kind
from mazurka.trace.trace import NOTHING

WORDS: Final = {
    "r": Op.READ,
    "w": Op.WRITE,
    "acq": Op.ACQUIRE,
    "rel": Op.RELEASE,
    "req": Op.REQUEST,
    "fork": Op.FORK,
    "join": Op.JOIN,
    "begin": Op.BEGIN,
    "end": Op.END,
    "wait": Op.WAIT,
    "notify": Op.NOTIFY,
    "notifyAll": Op.NOTIFY_ALL,
    "branch": Op.BRANCH,
    "enter": Op.CALL,
    "exit": Op.RETURN,
    "alloc": Op.ALLOC,
    "free": Op.FREE,
    "rmw": Op.RMW,
    "fence": Op.FENCE,
    "point": Op.POINT,
    "sleep": Op.SLEEP,
    "spin": Op.SPIN,
    "nop": Op.NOP,
    "broadcast": Op.NOTIFY_ALL,
    "notifyall": Op.NOTIFY_ALL,
    "call": Op.CALL,
    "return": Op.RETURN,
}

#: How operations are written: the first word for each.
WORD_OF: Final = {op: word for word, op in reversed(WORDS.items())}

#: The kind of target of each operation.
KINDS: Final = {
    Op.READ: VARIABLE,
    Op.WRITE: VARIABLE,
    Op.RMW: VARIABLE,
    Op.ACQUIRE: LOCK,
    Op.RELEASE: LOCK,
    Op.REQUEST: LOCK,
    Op.FORK: THREAD,
    Op.JOIN: THREAD,
    Op.BEGIN: THREAD,
    Op.END: THREAD,
    Op.WAIT: CONDITION,
    Op.NOTIFY: CONDITION,
    Op.NOTIFY_ALL: CONDITION,
    Op.CALL: Kind.METHOD.tag,
    Op.RETURN: Kind.METHOD.tag,
    Op.ALLOC: Kind.OBJECT.recorded,
    Op.FREE: Kind.OBJECT.recorded,
    Op.BRANCH: Kind.NOTHING.tag,
    Op.FENCE: Kind.NOTHING.tag,
    Op.POINT: Kind.POINT.tag,
    Op.SLEEP: Kind.NOTHING.tag,
    Op.SPIN: Kind.NOTHING.tag,
    Op.NOP: Kind.NOTHING.tag,
}

#: Operations whose target is their own thread.
OWN: Final = frozenset({Op.BEGIN, Op.END})


def target_of(op: Op, thread: str, operand: str) -> tuple[str, str] | None:
    """The target of an operation; None if it needs an operand and has none."""
    if op in OWN:
        return THREAD, thread
    kind = KINDS[op]
    if kind == Kind.NOTHING.tag:
        return NOTHING if not operand else (kind, operand)
    if not operand:
        return NOTHING if op is Op.POINT else None
    if kind == THREAD and operand.isdecimal() and thread[:1] == "T" and thread[1:].isdecimal():
        return kind, f"T{operand}"
    return kind, operand
