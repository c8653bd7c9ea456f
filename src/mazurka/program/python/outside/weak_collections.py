"""The making of weak collections: their elements may end in any thread; these ends are tracked from the first start of
a thread on."""

from __future__ import annotations

import weakref
from typing import Any

from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.semantics import natives


def _init(models: Models, real: Any, self: Any, *args: Any, **named: Any) -> None:
    real(self, *args, **named)
    natives.made_weak(self)


for _kind in (weakref.WeakSet, weakref.WeakKeyDictionary, weakref.WeakValueDictionary):
    replace_method("weakref", f"{_kind.__name__}.__init__", _init)
