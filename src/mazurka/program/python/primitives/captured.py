"""Real primitives that the program gets in spite of the models, and that a hook meets.

Code that captured a real type or function before the models came may go on to use it where no search finds the
reference (:func:`.patch.adopt`): in a ``partial``, a ``defaultdict``, a tuple. So hooks take the model of a real
primitive in its place, by identity and with its state. Otherwise a thread would wait for it for real, without an end,
since all threads of a run are one thread of the system; and a real RLock would not exclude any of them.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FrameType
from typing import Any, Final

from mazurka.program.python.primitives.locks import adopted, real_lock_type, real_rlock_type
from mazurka.program.python.primitives.queues import adopted_queue, real_simple_queue

#: A real function or type, by identity -> its model.
MODEL_OF: Final[dict[int, Any]] = {}

#: Identities of the types of real primitives: a metaclass of the program may have no hash.
REAL: Final = frozenset(map(id, (real_lock_type, real_rlock_type, real_simple_queue)))


def model_of(real: Any) -> Any:
    """The model of a real primitive that the program is about to use."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("mazurka."):
        frame = frame.f_back
    return adopted_queue(real, frame) if type(real) is real_simple_queue else adopted(real, frame=frame)


def replaced(function: Any) -> Any:
    """What the program is to call in place of ``function``, which is mostly that itself."""
    model = MODEL_OF.get(id(function))
    if model is not None:
        return getattr(model, "__func__", model)
    if type(function) is BuiltinFunctionType and id(type(function.__self__)) in REAL:
        return getattr(model_of(function.__self__), function.__name__)
    return function
