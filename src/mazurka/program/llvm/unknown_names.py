"""Events that can't happen in a C program, since it has no functions, variables or fields of their names."""

from __future__ import annotations

from collections.abc import Iterable

from mazurka.errors import did_you_mean
from mazurka.program.llvm.ir.debug import structure_name
from mazurka.program.llvm.ir.module import Module
from mazurka.program.llvm.property_events import PREFIX
from mazurka.properties.property import Pointcut, PointcutKind, Property


def impossible_events(properties: Iterable[Property], module: Module) -> list[str]:
    """A text for each event none of whose names is of anything in a module."""
    functions = {name for each in module.functions.values() for name in (each.name, each.shown_name)}
    variables = {name for each in module.globals.values() for name in (each.name, each.shown_name)}
    for structure, fields in module.field_names.items():
        variables.update(f"{structure_name(structure)}.{field}" for field in fields.values())
    found = []
    for stated in properties:
        for event in stated.events:
            known = [functions if each.kind is PointcutKind.CALL else variables for each in event.pointcuts]
            missing = [_missing(each, names) for each, names in zip(event.pointcuts, known, strict=True)]
            if all(missing):
                found.append(f"event {event.name} of {stated.name}: {missing[0]}")
    return found


def _missing(pointcut: Pointcut, known: set[str]) -> str:
    """Why none of a pointcut's names is of anything; "" if one may be."""
    names = [name.removeprefix(PREFIX) for name in pointcut.names]
    if any("*" in name or name in known for name in names) or not pointcut.names[0].startswith(PREFIX):
        return ""
    kind = "function" if pointcut.kind is PointcutKind.CALL else "field" if "." in names[0] else "variable"
    hint = did_you_mean(names[0], known)
    return f"there is no {kind} {names[0]}" + (f"; {hint}" if hint else "")
