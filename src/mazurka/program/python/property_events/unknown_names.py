"""Events that can't happen, since their names are of nothing that the program has: mistyped ones, most often.

A name with wildcards may be of anything, and so may an attribute of an instance, or a name in a class or module that
makes its attributes when they are asked for. The others are looked up in the modules that the program has imported.
"""

from __future__ import annotations

import builtins
import importlib.util
import inspect
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from types import ModuleType
from typing import Any, Final

from mazurka.errors import did_you_mean
from mazurka.properties.property import EventDeclaration, PointcutKind, Property

_MISSING: Final = object()


def impossible_events(
    properties: Iterable[Property], modules: Mapping[str, Any], main: Mapping[str, Any]
) -> Iterator[str]:
    """A text for each event none of whose names is of anything in the program's modules, by name, or the globals of its
    main one."""
    modules = {**sys.modules, **modules}
    file = main.get("__file__")
    if isinstance(file, str) and main.get("__name__") == "__main__":
        program = ModuleType("__main__")
        vars(program).update(main)
        modules |= {"__main__": program, PurePath(file).stem: program}
    for stated in properties:
        for event in stated.events:
            reasons = _reasons(event, modules)
            if reasons:
                yield f"event {event.name} of {stated.name}: {reasons[0]}"


def _reasons(event: EventDeclaration, modules: Mapping[str, Any]) -> list[str]:
    """Why each of an event's names is of nothing; empty if one may be of something."""
    reasons = []
    for pointcut in event.pointcuts:
        for name in pointcut.names:
            reason = _reason(name, pointcut.kind, modules)
            if not reason:
                return []
            reasons.append(reason)
    return reasons


def _reason(name: str, kind: PointcutKind, modules: Mapping[str, Any]) -> str:
    if not all(part.isidentifier() for part in name.split(".")):
        return ""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        path = ".".join(parts[:count])
        module = modules.get(path)
        if module is not None:
            return _in_thing(module, path, parts[count:], kind)
    if hasattr(builtins, parts[0]):
        return _in_thing(builtins, "builtins", parts, kind)
    file = getattr(modules["__main__"], "__file__", "")
    if _own(modules["__main__"], parts[0]) is not _MISSING:
        return f"{name} is no full name; did you mean {PurePath(file or '').stem}.{name}?"
    if not _can_be_imported(parts[0]):
        hint = did_you_mean(parts[0], {each.partition(".")[0] for each in modules})
        return f"there is no module {parts[0]}" + (f"; {hint}" if hint else "")
    return ""


def _can_be_imported(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return True


def _in_thing(thing: Any, path: str, parts: Sequence[str], kind: PointcutKind) -> str:
    """Why a path from a module or class on leads nowhere; "" if it may lead somewhere."""
    for at, part in enumerate(parts):
        is_attribute = at == len(parts) - 1 and kind is not PointcutKind.CALL
        if is_attribute or not isinstance(thing, type | ModuleType) or _own(thing, "__getattr__") is not _MISSING:
            return ""
        found = _own(thing, part)
        if found is _MISSING:
            hint = did_you_mean(part, dir(thing))
            return f"{path} has no {part}" + (f"; {hint}" if hint else "")
        thing, path = found, f"{path}.{part}"
    return ""


def _own(thing: Any, name: str) -> Any:
    return inspect.getattr_static(thing, name, _MISSING)
