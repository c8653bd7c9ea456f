"""The choice of classes whose shapes (:mod:`class_shapes`) are kept after the run that met them.

Classifying a class again in each run would cost more than most runs. A shape is kept from run to run:

- if its class lasts: one written in C, one of our models, or the one that its module has under its name (a class that a
  run made, as all of a script are, ends with the run, and its shape, which may refer to it, must not hold it);
- as long as no class was changed: hooks forget all shapes when the program changes a class, and restoring the state
  does when it finds a class changed;
- and as long as no further code was instrumented, since the known effects of a method depend on whether its code is
  instrumented.

:mod:`recurring_classes` keeps the knowledge about classes that each run makes again.

Cost: a look at each class first met in a run, at its end.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics import native_objects, objects, recurring_classes
from mazurka.program.python.semantics.shapes import ClassShape, forget_shapes, shapes

_HEAP_TYPE: Final = 1 << 9

#: A module that each run of a script makes again, and that is still there when classes are looked at.
_SCRIPT: Final = "__main__"

_module_of: Final[Any] = type.__dict__["__module__"].__get__
_name_of: Final[Any] = type.__dict__["__name__"].__get__
_flags_of: Final[Any] = type.__dict__["__flags__"].__get__

_seen = (0, 0)


def settle() -> None:
    """Between two runs: drop the shapes that must not or need not be kept."""
    global _seen
    seen = len(sites.instrumented), len(sites.stored)
    if seen != _seen:
        _seen = seen
        forget_shapes()
        return
    fresh = []
    for key, shape in reversed(shapes.items()):  # the latest first; all that lasted so far come before them
        if shape.lasts:
            break
        fresh.append((key, shape))
    for key, shape in fresh:
        shape.lasts = not recurring_classes.keep(shape) and _lasts(shape)
        if not shape.lasts:
            shapes.pop(key, None)


def _lasts(shape: ClassShape) -> bool:
    kind: Any = shape.watch()
    if kind is None:
        return False
    if not _flags_of(kind) & _HEAP_TYPE:
        return True
    module, name = _module_of(kind), _name_of(kind)
    if module == _SCRIPT:
        return False
    if type(module) is str and objects.dictionary(sys.modules.get(module)).get(name) is kind:
        return True
    return native_objects.is_stateless(kind)  # one of our models, under the name of the class that it stands for
