"""The segments of a function: where native code may hand over to Python.

Native code carries out whole segments. Before an instruction that may need Python (it fails, it is visible to other
threads, or it is not translated) a new segment begins; there native code *leaves*: it writes down the variables that
are live, and Python goes on with that very instruction. Native code is *entered* at heads of loops, after the pass has
been counted.

A variable is a result of an instruction, a parameter, or a variable in memory that is a Python variable (promoted).
Promoted ones are written down at every label, since those of a pass say whether it repeats the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from typing import Final, NamedTuple

from mazurka.program.llvm.ir.functions import IGNORED_CALLS, assigned_at_starts, stored_by
from mazurka.program.llvm.ir.module import Block, ConstantValue, Instruction, IrFunction, Local, Operand, Symbol
from mazurka.program.llvm.ir.types import Float, Int, Pointer, Type, Void
from mazurka.program.llvm.loop_structure import LoopStructure

_PLAIN: Final = frozenset("add sub mul and or xor shl lshr ashr icmp fcmp select freeze trunc zext sext".split())
_DIVISIONS: Final = frozenset("udiv urem sdiv srem".split())
_OF_FLOATS: Final = frozenset("fadd fsub fmul fdiv fptrunc fpext fptosi fptoui sitofp uitofp fneg".split())
_BITS: Final = (1, 8, 16, 32, 64)


class Carrier(Enum):
    """How an instruction is carried out."""

    NATIVE = "native"
    DOUBTFUL = "natively, unless it needs Python when it is executed"
    PYTHON = "in Python"


class CodeSegment(NamedTuple):
    """A part of a block: the instructions from ``first`` on, up to the next segment; ``is_head``: the head of a loop,
    which counts a pass, before them."""

    block: str
    first: int
    is_head: bool = False


class CodeSegments:
    """The segments of a function, in order; a label is the index of one. ``moved`` are the results that need not be
    initialised, ``loops`` those of the function; ``calls_natively`` says of a call whether native code may carry it
    out."""

    def __init__(
        self,
        function: IrFunction,
        promoted: Mapping[str, Type],
        moved: Collection[str],
        loops: LoopStructure,
        calls_natively: Callable[[Instruction], bool],
    ) -> None:
        self.function = function
        self.promoted = promoted
        self.moved = moved
        self.loops = loops
        self._calls_natively = calls_natively
        self._blocks = {block.name: block for block in function.blocks}
        self.types: dict[str, Type] = dict(function.parameters)
        for block in function.blocks:
            self.types.update((each.result, each.type) for each in block.instructions if each.result)
        self._assigned = assigned_at_starts(function, promoted)
        self.ways: dict[int, Carrier] = {}  # by the identity of an instruction
        self.parts: list[CodeSegment] = []
        self.first: dict[str, int] = {}  # the first label of a block
        for block in function.blocks:
            self._divide(block)
        self._live_after = self._live_at_ends()
        #: By label: the variables that are written down there, and their types; None: Python alone can know them.
        self.live: list[tuple[str, ...] | None] = [self._live_at(part) for part in self.parts]

    def is_target(self, label: int) -> bool:
        """Whether Python may go on at a label where native code has left."""
        instructions = self.instructions(label)
        return not instructions or self.ways[id(instructions[0])] is not Carrier.NATIVE

    def entries(self) -> dict[int, int]:
        """The labels at which native code is entered in loops, by the numbers of the loops."""
        found = {}
        for name, loop in self.loops.heads.items():
            label = self.first[name] + 1
            begins = self.instructions(label)[0].opcode
            if self.live[label] is not None and begins != "landingpad":  # an exception is on its way there
                found[loop.number] = label
        return found

    def type_of(self, name: str) -> Type:
        """The type of a variable."""
        return self.promoted.get(name) or self.types[name]

    def instructions(self, label: int) -> list[Instruction]:
        """The instructions of a segment."""
        part = self.parts[label]
        if part.is_head:
            return []
        same = label + 1 < len(self.parts) and self.parts[label + 1].block == part.block
        end = self.parts[label + 1].first if same else None
        return self._blocks[part.block].instructions[part.first : end]

    # -- which way ----------------------------------------------------------------------------------------------------

    def _divide(self, block: Block) -> None:
        start = next(at for at, each in enumerate(block.instructions) if each.opcode != "phi")
        self.first[block.name] = len(self.parts)
        if block.name in self.loops.heads:
            self.parts.append(CodeSegment(block.name, start, is_head=True))
        self.parts.append(CodeSegment(block.name, start))
        assigned = set(self._assigned[block.name])
        for at, each in enumerate(block.instructions):
            way = self.ways[id(each)] = self._way(block, each, assigned)
            assigned.update(stored_by(each, self.promoted))
            if way is not Carrier.NATIVE and at > start and each.opcode != "phi":
                self.parts.append(CodeSegment(block.name, at))

    def _way(self, block: Block, each: Instruction, assigned: set[str]) -> Carrier:
        opcode = each.opcode
        if opcode in ("br", "switch", "ret"):
            return self._way_of_end(block, each)
        if opcode == "call" and isinstance(called := each.operands[0].value, Symbol):
            if called.name.startswith(IGNORED_CALLS):
                return Carrier.NATIVE
            return Carrier.DOUBTFUL if self._calls_natively(each) else Carrier.PYTHON
        if opcode == "alloca" and each.result in self.promoted:
            return Carrier.NATIVE
        if not (is_scalar(each.type) or isinstance(each.type, Void)):
            return Carrier.PYTHON
        if not all(is_scalar(operand.type) for operand in each.operands):
            return Carrier.PYTHON
        if opcode in ("load", "store") and not each.how:
            place = each.operands[-1].value
            if isinstance(place, Local) and place.name in self.promoted:
                return Carrier.DOUBTFUL if opcode == "load" and place.name not in assigned else Carrier.NATIVE
            kind = each.type if opcode == "load" else each.operands[0].type
            return Carrier.PYTHON if isinstance(kind, Int) and kind.bits == 1 else Carrier.DOUBTFUL
        if opcode in _PLAIN or opcode in ("phi", "getelementptr"):
            return Carrier.NATIVE
        if opcode in ("ptrtoint", "inttoptr", "bitcast", "addrspacecast"):
            is_same = isinstance(each.type, Float) is isinstance(each.operands[0].type, Float)
            return Carrier.NATIVE if is_same else Carrier.PYTHON
        if opcode in _DIVISIONS:
            return Carrier.NATIVE if _divides(each.operands[1]) else Carrier.DOUBTFUL
        if opcode in _OF_FLOATS:
            return Carrier.NATIVE if opcode in ("fneg", "sitofp", "uitofp") else Carrier.DOUBTFUL
        return Carrier.PYTHON

    def _way_of_end(self, block: Block, each: Instruction) -> Carrier:
        if not all(is_scalar(operand.type) for operand in each.operands):
            return Carrier.PYTHON
        for label in each.labels:
            phis = (other for other in self._blocks[label].instructions if other.opcode == "phi")
            if not all(is_scalar(phi.type) for phi in phis):
                return Carrier.PYTHON
        return Carrier.DOUBTFUL if self.leaves_noted_loop(block.name, each) else Carrier.NATIVE

    def leaves_noted_loop(self, block: str, end: Instruction) -> bool:
        """Whether an instruction leaves a loop whose passes are noted while there are several threads."""
        if end.opcode == "ret":
            numbers = self.loops.enclosing(block)
        else:
            numbers = [number for label in end.labels for number in self.loops.left_by(block, label)]
        return any(loop.has_effects and loop.number in numbers for loop in self.loops.heads.values())

    # -- live variables -----------------------------------------------------------------------------------------------

    def _live_at_ends(self) -> dict[str, set[str]]:
        """The variables that are live after a block, those of its successors' phis included."""
        before: dict[str, set[str]] = {name: set() for name in self._blocks}
        after: dict[str, set[str]] = {name: set() for name in self._blocks}
        is_stable = False
        while not is_stable:
            is_stable = True
            for block in reversed(self.function.blocks):
                live = set()
                for label in _following(block):
                    live |= before[label]
                    for each in self._blocks[label].instructions:
                        if each.opcode == "phi":
                            live |= set(self._used([each.operands[each.labels.index(block.name)]]))
                if live != after[block.name]:
                    after[block.name] = live
                    is_stable = False
                start = self._before(live, block.instructions)
                if start != before[block.name]:
                    before[block.name] = start
                    is_stable = False
        return after

    def _before(self, live: set[str], instructions: list[Instruction]) -> set[str]:
        found = set(live)
        for each in reversed(instructions):
            found.discard(each.result)
            if each.opcode != "phi":
                found.update(self._used(each.operands))
        return found

    def _used(self, operands: list[Operand] | tuple[Operand, ...]) -> Iterator[str]:
        for operand in operands:
            if isinstance(operand.value, Local) and operand.value.name not in self.promoted:
                yield operand.value.name

    def _live_at(self, part: CodeSegment) -> tuple[str, ...] | None:
        block = self._blocks[part.block]
        live = self._before(self._live_after[part.block], block.instructions[part.first :])
        if block.name in self.loops.heads and part.first and block.instructions[part.first - 1].opcode == "phi":
            live |= {each.result for each in block.instructions[: part.first]}  # they say whether a pass repeats
        others = sorted(live)
        if not all(is_scalar(self.types[name]) for name in others):
            return None
        return (*self.promoted, *others)


def is_scalar(type_: Type) -> bool:
    """Whether native code has values of a type."""
    if isinstance(type_, Int):
        return type_.bits in _BITS
    return isinstance(type_, Pointer) or (isinstance(type_, Float) and type_.name in ("float", "double"))


def _divides(operand: Operand) -> bool:
    """Whether each number can be divided by a constant."""
    value = operand.value
    if not isinstance(value, ConstantValue) or not isinstance(operand.type, Int):
        return False
    return bool(value.value) and (value.value + 1) & ((1 << operand.type.bits) - 1) != 0


def _following(block: Block) -> tuple[str, ...]:
    last = block.instructions[-1]
    return tuple(dict.fromkeys(last.labels)) if last.opcode != "phi" else ()
