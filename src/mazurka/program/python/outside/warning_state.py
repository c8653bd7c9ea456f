"""The filters and hooks of `warnings`: one location, which issuing a warning reads. Whether the warning has been issued
before is another location, which decides whether it is shown again; a program that looks at the registries of these
(``__warningregistry__``) accesses them, too.

Code in C issues warnings, too, in no step. Once a run has changed the filters beside other threads
(``FILTER_POINTS``), all later runs have a filter before all others that notes such warnings, and matches none; a run
with both is counted. From 3.14 on, where a context may have filters that come first, each change is.

Cost: nothing, until filters are changed; then some microseconds a warning."""

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
from mazurka.program.python.primitives.run import Models, beginners, here
from mazurka.program.python.primitives.steps import StepAccess, change, pass_step, read
from mazurka.program.python.semantics.class_shapes import operation
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.program.python.semantics.locations import space_name
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.concurrency import has_concurrent_threads
from mazurka.program.runtime.task import FILTER_POINTS
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


class _Watch:
    """Takes the place of a filter's expression for messages: each warning is held against it, and it matches none."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.filter = ("ignore", self, Warning, None, 0)
        self.expected = False  # the running thread issues a warning, by a step
        self.changed = False  # filters were changed beside other threads
        self.noted = False  # code in C has issued a warning beside other threads

    def match(self, _text: str) -> None:
        """A warning is about to be issued."""
        if self.expected:
            self.expected = False
        elif here() is self.models and has_concurrent_threads(self.models.runtime):
            self.noted = True
            self.count()

    def note_change(self) -> None:
        """The filters are about to be changed."""
        if has_concurrent_threads(self.models.runtime):
            self.changed = True
            self.count()

    def count(self) -> None:
        """Count a warning of code in C, and a change of the filters, in one run."""
        if self.changed and self.noted:
            count_change(self.models, "warnings filters")

    def come_first(self) -> None:
        """Stand before all other filters."""
        filters: Any = warnings.filters
        if not filters or filters[0] is not self.filter:
            filters[:] = [self.filter, *(each for each in filters if each is not self.filter)]


#: That of the run in progress.
_watches: Final[list[_Watch]] = []

#: Whether all warnings are held against the filters of the process first.
_CAN_WATCH: Final = sys.version_info < (3, 14)


def _begin(models: Models) -> None:
    """A run begins: if need be, note all its warnings, those that were issued before, too."""
    _watches.clear()
    if FILTER_POINTS in models.runtime.points and _CAN_WATCH:
        _keep(models)
        _watches.append(_Watch(models))
        _watches[0].come_first()
        vars(warnings)["_filters_mutated"]()


beginners.append(_begin)


def _changing(models: Models, real: Any, *args: Any, **named: Any) -> Any:
    watch = _watches[0] if _watches and _watches[0].models is models else None
    if watch is not None:
        watch.note_change()
    elif _CAN_WATCH and has_concurrent_threads(models.runtime):
        models.runtime.need_points(FILTER_POINTS)
    else:
        count_change(models, "warnings filters")
    pass_step(models, change(*_FILTERS))
    _keep(models)
    try:
        return real(*args, **named)
    finally:
        if watch is not None:
            watch.come_first()


def _issue(function: Callable[..., None], *args: Any, **named: Any) -> None:
    """Issue a warning, by a step that has passed."""
    for watch in _watches:
        watch.expected = True
    try:
        function(*args, **named)
    finally:
        for watch in _watches:
            watch.expected = False


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
    _issue(_warn, message, category, stacklevel + 2, source, **named)


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
    _issue(real, message, category, *args, **named)


FUNCTIONS["warnings", "warn"] = warn
replace_function(warnings, "warn_explicit", _warn_explicit)
