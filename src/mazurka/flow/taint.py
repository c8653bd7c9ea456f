"""Which values re-execution knows without any record: the constants of a program, and what it computes of them alone.

Definition: a value is *unknown* if it comes from memory that other threads might write, from a library, or from
outside, or if it's computed of such a value; the least set that these rules close, over all functions together.
Parameters are unknown where one caller passes an unknown value, or callers aren't known (an address of the function
is taken). Variables whose address is only loaded from and stored to count as values, if they surely have one.

Only integers are known: numbers that the program would compute as floats, and addresses, never are. No branch on a
known value is recorded; :mod:`mazurka.flow.evaluation` computes it again.

Limit: where the behaviour of a program is undefined (an overflow that the compiler was told can't happen), what runs
might differ from what is computed again.

Cost: linear in the program, times the depth of calls that pass values on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mazurka.flow.evaluation import COMPUTED, INTRINSICS
from mazurka.program.llvm.ir.functions import assigned_at_starts, instructions_of, promoted_in, stored_by
from mazurka.program.llvm.ir.jumps import is_setjmp
from mazurka.program.llvm.ir.module import (
    ConstantExpression,
    ConstantValue,
    Instruction,
    IrFunction,
    Local,
    Module,
    Operand,
    Symbol,
)
from mazurka.program.llvm.ir.types import Int

_DIVISIONS: Final = frozenset("udiv sdiv urem srem".split())


def called_by(module: Module, each: Instruction) -> str | None:
    """The name of the function that a call names; None if it calls an address."""
    value = each.operands[0].value
    while isinstance(value, Symbol) and value.name in module.aliases:
        value = module.aliases[value.name].value
    return value.name if isinstance(value, Symbol) else None


def address_taken(module: Module) -> set[str]:
    """The defined functions whose addresses are used for more than to call them by name."""
    found: set[str] = set()
    for variable in module.globals.values():
        if variable.initial is not None:
            found.update(_symbols(variable.initial))
    for alias in module.aliases.values():
        found.update(_symbols(alias))
    for function in module.functions.values():
        for each in instructions_of(function):
            for operand in each.operands[1:] if each.opcode == "call" else each.operands:
                found.update(_symbols(operand))
    return {name for name in found if name in module.functions and module.functions[name].blocks}


def _symbols(operand: Operand) -> Iterator[str]:
    match operand.value:
        case Symbol(name):
            yield name
        case ConstantExpression(operands=parts):
            for part in parts:
                yield from _symbols(part)
        case ConstantValue(list() as parts):
            for part in parts:
                yield from _symbols(part)


class Taint:
    """The unknown values of a program. ``roots`` are the functions that callers outside of it call."""

    def __init__(self, module: Module, roots: set[str]) -> None:
        self._module = module
        self._unknown: dict[str, set[str]] = {}
        self._returned: set[str] = set()
        self.promoted: dict[str, set[str]] = {}
        self._callers: dict[str, set[str]] = {}
        defined = {name: function for name, function in module.functions.items() if function.blocks}
        for name, function in defined.items():
            self.promoted[name] = {
                place for place, kind in promoted_in(function).items() if isinstance(kind, Int)
            } - self._maybe_unassigned(function)
            self._unknown[name] = {
                parameter
                for parameter, kind in function.parameters
                if name in roots or function.variadic or not isinstance(kind, Int)
            }
            if any(is_setjmp(each) for each in instructions_of(function)):  # its variables may go back
                self.promoted[name] = set()
                self._unknown[name].update(each.result for each in instructions_of(function))
                self._unknown[name].update(parameter for parameter, _ in function.parameters)
            for each in instructions_of(function):
                if each.opcode == "call" and (called := called_by(module, each)) in defined and called is not None:
                    self._callers.setdefault(called, set()).add(name)
        waiting = dict.fromkeys(defined)
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            waiting.update(dict.fromkeys(self._spread(defined[name])))

    def is_known(self, function: str, operand: Operand) -> bool:
        """Whether an operand in a function is known."""
        if not isinstance(operand.type, Int):
            return False
        match operand.value:
            case Local(name):
                return name not in self._unknown[function]
            case ConstantValue(value):
                return value is None or isinstance(value, int)
        return False

    def _maybe_unassigned(self, function: IrFunction) -> set[str]:
        """The promoted variables that a load may find without a value."""
        promoted = promoted_in(function)
        starts = assigned_at_starts(function, promoted)
        found: set[str] = set()
        for block in function.blocks:
            assigned = set(starts[block.name])
            for each in block.instructions:
                place = each.operands[0].value if each.opcode == "load" else None
                if isinstance(place, Local) and place.name in promoted and place.name not in assigned:
                    found.add(place.name)
                assigned.update(stored_by(each, promoted))
        return found

    def _spread(self, function: IrFunction) -> set[str]:
        """Find all unknown values of a function; returns the functions for which that makes more values unknown."""
        name, unknown, concerned = function.name, self._unknown[function.name], set()
        is_stable = False
        while not is_stable:
            is_stable = True
            for each in instructions_of(function):
                made = each.result
                if each.opcode == "store":
                    place = each.operands[1].value
                    made = place.name if isinstance(place, Local) and place.name in self.promoted[name] else ""
                if made and made not in unknown and not self._is_computed(name, each):
                    unknown.add(made)
                    is_stable = False
        for each in instructions_of(function):
            if each.opcode == "ret" and each.operands and name not in self._returned:
                if not self.is_known(name, each.operands[0]):
                    self._returned.add(name)
                    concerned |= self._callers.get(name, set())
            elif each.opcode == "call" and (called := called_by(self._module, each)) in self._unknown:
                assert called is not None
                callee = self._module.functions[called]
                for (parameter, _), operand in zip(callee.parameters, each.operands[1:], strict=False):
                    if parameter not in self._unknown[called] and not self.is_known(name, operand):
                        self._unknown[called].add(parameter)
                        concerned.add(called)
                if len(each.operands) - 1 < len(callee.parameters):
                    missing = {parameter for parameter, _ in callee.parameters[len(each.operands) - 1 :]}
                    if not missing <= self._unknown[called]:
                        self._unknown[called] |= missing
                        concerned.add(called)
        return concerned

    def _is_computed(self, name: str, each: Instruction) -> bool:
        """Whether the result of an instruction, or what a store leaves in a promoted variable, is known."""
        match each.opcode:
            case "alloca":
                return each.result in self.promoted[name]
            case "store":
                return self.is_known(name, each.operands[0])
            case "load":
                place = each.operands[0].value
                return (
                    isinstance(place, Local)
                    and place.name in self.promoted[name]
                    and place.name not in self._unknown[name]
                )
            case "call":
                called = called_by(self._module, each)
                if not isinstance(each.type, Int):
                    return False
                if called in INTRINSICS:
                    return all(self.is_known(name, operand) for operand in each.operands[1:3])
                return called in self._unknown and called not in self._returned
            case opcode if opcode in COMPUTED and isinstance(each.type, Int):
                if opcode in _DIVISIONS and not _is_plain(each.operands[1]):
                    return False
                return all(self.is_known(name, operand) for operand in each.operands)
        return False


def _is_plain(operand: Operand) -> bool:
    """Whether a divisor is a constant other than 0 and -1."""
    value = operand.value.value if isinstance(operand.value, ConstantValue) else None
    assert isinstance(operand.type, Int)
    return isinstance(value, int) and value not in (0, (1 << operand.type.bits) - 1)
