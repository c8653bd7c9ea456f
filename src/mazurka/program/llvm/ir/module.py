"""A module of LLVM IR as data: globals, functions, blocks, instructions, and their locations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.types import Type
from mazurka.trace.event import Location


@dataclass(frozen=True, slots=True)
class Local:
    """The result of an instruction, or a parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a global variable or function."""

    name: str


@dataclass(frozen=True, slots=True)
class ConstantValue:
    """A constant: an int, a float, a list of operands of an aggregate, bytes, or None (zero)."""

    value: Any


@dataclass(frozen=True, slots=True)
class Undefined:
    """``undef`` or ``poison``."""


@dataclass(frozen=True, slots=True)
class ConstantExpression:
    """A constant computed of addresses; ``operands`` as in an :class:`Instruction`."""

    opcode: str
    type: Type
    operands: tuple[Operand, ...]
    source: Type | None = None


Value = Local | Symbol | ConstantValue | Undefined | ConstantExpression


@dataclass(frozen=True, slots=True)
class Operand:
    """A value with its type."""

    type: Type
    value: Value


#: Marks calls of functions that take a variable number of arguments.
VARIADIC: Final = "..."


@dataclass(slots=True)
class Instruction:
    """An instruction. ``result`` is the name of its result ("" for none), ``type`` the type of that.

    ``source`` is the type that a ``getelementptr``, ``alloca``, ``load`` or the like names first; ``how`` is a
    predicate, an operation of ``atomicrmw``, ``VARIADIC`` of a call, or the like; ``labels`` are the targets of a
    branch, the blocks of a ``phi`` or the cases of a ``switch``; ``indices`` those of ``extractvalue`` and
    ``insertvalue``; ``copied`` has, for each argument of a call, the type of the object that it is a copy of
    (``byval``), or None. ``line`` is that of the IR's text.
    """

    opcode: str
    result: str
    type: Type
    operands: tuple[Operand, ...] = ()
    source: Type | None = None
    how: str = ""
    labels: tuple[str, ...] = ()
    indices: tuple[int, ...] = ()
    orderings: tuple[str, ...] = ()
    copied: tuple[Type | None, ...] = ()
    location: Location | None = None
    line: int = 0


@dataclass(slots=True)
class Block:
    """A basic block."""

    name: str
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(slots=True)
class IrFunction:
    """A function; one without blocks is declared only. ``variables`` are the source's names of its ``alloca``s."""

    name: str
    result: Type
    parameters: tuple[tuple[str, Type], ...]
    variadic: bool = False
    blocks: list[Block] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    location: Location | None = None

    @property
    def shown_name(self) -> str:
        """Its name in the source, where that is known: C++ mangles it."""
        return self.location.function if self.location is not None and self.location.function else self.name


@dataclass(slots=True)
class GlobalVariable:
    """A global variable; without ``initial`` it is defined elsewhere. ``shown_name`` is its name in the source, where
    that is known."""

    name: str
    type: Type
    initial: Operand | None
    constant: bool = False
    thread_local: bool = False
    align: int = 0
    location: Location | None = None
    shown_name: str = ""


@dataclass(slots=True)
class Module:
    """A module."""

    globals: dict[str, GlobalVariable] = field(default_factory=dict)
    functions: dict[str, IrFunction] = field(default_factory=dict)
    aliases: dict[str, Operand] = field(default_factory=dict)
    structs: dict[str, Any] = field(default_factory=dict)
    field_names: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
