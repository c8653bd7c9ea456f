"""The filters and hooks of `warnings`: one location, which issuing a warning reads. Whether the warning has been issued
before is another location, which decides whether it is shown again; a program that looks at the registries of these
(``__warningregistry__``) accesses them, too."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.outside.process_state import count_change, place
from mazurka.program.python.outside.putting_back import undo_at_end
from mazurka.program.python.outside.replacing import FUNCTIONS, replace_function, replace_method
from mazurka.program.python.primitives.run import Models, here
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.class_shapes import operation
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.program.python.semantics.locations import space_name
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.trace.targets import GLOBAL, STRUCTURE, Kind, Target

_FILTERS: Final = place("warnings filters")


def _keep(models: Models) -> None:
    module: Any = warnings

    def save() -> Callable[[], object]:
        filters = module.filters
        content = list(filters)
        hooks = {name: vars(module)[name] for name in ("showwarning", "_showwarnmsg_impl", "formatwarning")}

        def put_back() -> None:
            module.filters = filters
            filters[:] = content
            vars(module).update(hooks)
            mutated = getattr(module, "_filters_mutated", None) or getattr(module, "_filters_mutated_lock_held", None)
            if mutated is not None:
                mutated()

        return put_back

    undo_at_end(models, "warnings filters", save)


def _changing(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    count_change(models, "warnings filters")  # code in C issues warnings, too
    pass_step(models, change(*_FILTERS))
    _keep(models)
    return real(*args, **named)


for _name in ("simplefilter", "filterwarnings", "resetwarnings"):
    replace_function(warnings, _name, _changing)
for _name in ("__enter__", "__exit__"):
    replace_method("warnings", f"catch_warnings.{_name}", _changing)

_warn: Final = warnings.warn


#: The stream on which warnings are shown.
_STREAM: Final[tuple[Target, str]] = ((GLOBAL, "sys", "stderr"), "sys.stderr")


@functools.wraps(_warn)
def warn(message: Any, category: Any = None, stacklevel: int = 1, source: Any = None, **named: Any) -> None:
    """``warnings.warn``: a step on the filters and on the registries that decide whether the warning is shown."""
    models = here()
    if models is not None:
        pass_step(models, *_touched(models, message, category), *_registered(models, _space_at(stacklevel)))
    _warn(message, category, stacklevel + 1, source, **named)


def _touched(models: Models, message: Any, category: Any) -> list[StepAccess]:
    """The accesses of issuing a warning: among them the list that ``catch_warnings(record=True)`` keeps."""
    touched = [read(*_FILTERS), read(*_STREAM), change(*_issued(message, category))]
    record = getattr(vars(warnings).get("_showwarnmsg_impl"), "__self__", None)
    append = operation(record, "append") if type(record) is list else None
    if append is not None:
        gathered = AccessCollector(models.runtime)
        append(gathered, record, 0, (message,))
        touched += [StepAccess(each.op, each.target, "the warnings that were recorded") for each in gathered.accesses]
    return touched


def _space_at(level: int) -> dict[str, Any] | None:
    """The globals of the caller, so many frames above, whom a warning is attributed to."""
    try:
        return sys._getframe(max(level, 1) + 1).f_globals
    except ValueError:
        return vars(sys)


def _registered(models: Models, space: dict[str, Any] | None, registry: Any = None) -> list[StepAccess]:
    """The accesses to the registries that note a warning: that of a module, given by its globals, or a given one."""
    if sites.looking_at_registries.isdisjoint(sites.instrumented) or not has_concurrent_threads(models.runtime):
        return []
    touched = []
    if space is not None:
        registry = space.get(_REGISTRY)
        target = (GLOBAL, space_name(space), _REGISTRY)
        touched.append((read if type(registry) is dict else change)(target, _REGISTRY))
    registries = [each for each in (registry, vars(warnings).get("onceregistry")) if type(each) is dict]
    return [*touched, *[change((STRUCTURE, number(each)), "the warnings issued") for each in registries]]


_REGISTRY: Final = "__warningregistry__"


def _issued(message: Any, category: Any) -> tuple[Target, str]:
    if not isinstance(message, str):
        return (Kind.WARNED.tag, type(message).__name__), f"whether a {type(message).__name__} has been issued"
    target = (Kind.WARNED.tag, getattr(category, "__name__", ""), str(message))
    return target, f"whether {str(message)!r} has been warned of"


def _warn_explicit(models: Models, real: Any, message: Any, category: Any, *args: Any, **named: Any) -> None:
    registry = args[3] if len(args) > 3 else named.get("registry")
    pass_step(models, *_touched(models, message, category), *_registered(models, None, registry))
    real(message, category, *args, **named)


FUNCTIONS["warnings", "warn"] = warn
replace_function(warnings, "warn_explicit", _warn_explicit)
