"""The values that decided branches depend on: only these are computed again.

Cost: linear in the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mazurka.program.llvm.ir.functions import instructions_of
from mazurka.program.llvm.ir.module import Instruction, IrFunction, Operand


class Needed:
    """The needed values of a program's functions, by name; ``called`` is the name of the function of the program that
    a call names, None if it's another one."""

    def __init__(self, functions: Mapping[str, IrFunction], called: Callable[[Instruction], str | None]) -> None:
        self.names: dict[str, set[str]] = {name: set() for name in functions}
        self._functions = functions
        self._called = called
        self._waiting: list[tuple[str, str]] = []
        self._makers: dict[tuple[str, str], Instruction] = {}
        self._stores: dict[tuple[str, str], list[Instruction]] = {}
        self._calls: dict[str, list[tuple[str, Instruction]]] = {}
        for name, function in functions.items():
            for each in instructions_of(function):
                if each.result:
                    self._makers[name, each.result] = each
                if each.opcode == "store" and (place := getattr(each.operands[1].value, "name", "")):
                    self._stores.setdefault((name, place), []).append(each)
                elif each.opcode == "call" and (callee := called(each)) is not None:
                    self._calls.setdefault(callee, []).append((name, each))

    def need(self, function: str, operands: Iterable[Operand]) -> None:
        """Take operands for needed, with all that they depend on."""
        self._add(function, operands)
        while self._waiting:
            self._follow(*self._waiting.pop())

    def _add(self, function: str, operands: Iterable[Operand]) -> None:
        for operand in operands:
            value = getattr(operand.value, "name", None)
            if value is not None and value not in self.names[function]:
                self.names[function].add(value)
                self._waiting.append((function, value))

    def _follow(self, function: str, value: str) -> None:
        for each in self._stores.get((function, value), ()):
            self._add(function, each.operands[:1])
        for at, (parameter, _) in enumerate(self._functions[function].parameters):
            if parameter == value:
                for caller, each in self._calls.get(function, ()):
                    self._add(caller, each.operands[at + 1 : at + 2])
        maker = self._makers.get((function, value))
        if maker is None:
            return
        if maker.opcode != "call":
            self._add(function, maker.operands)
        elif (callee := self._called(maker)) is None:
            self._add(function, maker.operands[1:])
        else:
            for each in instructions_of(self._functions[callee]):
                if each.opcode == "ret":
                    self._add(callee, each.operands)
