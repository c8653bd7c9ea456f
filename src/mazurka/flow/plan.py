"""What is recorded of a program: which branches, and where numbers are written. Recorder and decoder both make the plan
from the same text, so that nothing but that text has to be kept.

A call *ends paths* if the function that it calls may write, wait, call back or not return; all other calls are part
of a path. A function whose address is taken writes its number at its entry, since callers that aren't known may call
it; so does `main`.
"""

from __future__ import annotations

from dataclasses import field
from typing import Final

from mazurka.errors import UsageError
from mazurka.flow.externals import INPUTS, REFUSALS, UNKEPT, External, kind_of, plain_name
from mazurka.flow.graph import Graph
from mazurka.flow.needed import Needed
from mazurka.flow.paths import Paths
from mazurka.flow.taint import Taint, address_taken, called_by
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.functions import instructions_of, successors
from mazurka.program.llvm.ir.module import ConstantExpression, ConstantValue, Instruction, IrFunction, Module
from mazurka.program.llvm.ir.types import Int, Pointer

#: The greatest number of functions whose numbers take one byte.
_ONE_BYTE: Final = 253
#: In place of a function's number: the call that calls back is over, or the thread.
OVER: Final = 0
#: The bytes that say that a call doesn't return.
LEAVES_WIDTH: Final = 1


@dataclass(slots=True)
class FunctionPlan:
    """A function. ``index`` is its place among the functions that are defined, ``entry`` the number that it writes when
    it's entered, None if it writes none; ``needed`` are the names of the values that are computed again."""

    index: int
    function: IrFunction
    graph: Graph
    paths: Paths
    entry: int | None
    needed: frozenset[str] = field(default_factory=frozenset)


class Plan:
    """The plan for a module. With ``elides`` branches that re-execution decides aren't recorded: then a decoder has
    to start at the beginning."""

    def __init__(self, module: Module, elides: bool = True) -> None:
        self.module = module
        self.elides = elides
        self._defined = {name: each for name, each in module.functions.items() if each.blocks}
        if "main" not in self._defined:
            raise UsageError("not-recordable", "it has no main()", hint="name the program's other files after --")
        roots = address_taken(module) | {"main"}
        self.taint = Taint(module, roots)
        self._leaving = {
            id(each)
            for function in self._defined.values()
            for block in function.blocks
            for each, following in zip(block.instructions, block.instructions[1:], strict=False)
            if each.opcode == "call" and following.opcode == "unreachable"
        }
        #: Functions that aren't known, and those that bring in more than is kept.
        self.unknown: set[str] = set()
        self.unkept: set[str] = set()
        self._require_recordable()
        self._writers = self._find_writers(roots)
        numbers = {name: number + 1 for number, name in enumerate(each for each in self._defined if each in roots)}
        #: The bytes that the number of a function takes.
        self.entry_width = 1 if len(numbers) <= _ONE_BYTE else 2
        self.functions: dict[str, FunctionPlan] = {}
        for index, (name, function) in enumerate(self._defined.items()):
            graph = Graph(function, self.ends_path)
            paths = Paths(graph, self._decided_nodes(function, graph))
            self.functions[name] = FunctionPlan(index, function, graph, paths, numbers.get(name))
        self.by_entry = {plan.entry: plan for plan in self.functions.values() if plan.entry is not None}
        if elides:
            self._find_needed()

    # -- calls --------------------------------------------------------------------------------------------------------

    def called(self, each: Instruction) -> str | None:
        """The name of the function that a call names."""
        return called_by(self.module, each)

    def leaves(self, each: Instruction) -> bool:
        """Whether a call of a function of a library doesn't return."""
        return id(each) in self._leaving and self.called(each) not in self._defined

    def kind(self, each: Instruction) -> External:
        """The kind of a call that calls no function of the program by name."""
        name = self.called(each)
        if name is None:
            return External.CALLS_BACK
        if name == "signal" and _is_no_function(each):
            return External.QUIET
        return kind_of(plain_name(name))

    def writes(self, own: FunctionPlan) -> bool:
        """Whether anything may be written in a call of a function."""
        return own.function.name in self._writers

    def is_defined(self, each: Instruction) -> bool:
        """Whether a call names a function of the program."""
        return self.called(each) in self._defined

    def brings_in(self, each: Instruction) -> bool:
        """Whether the result of a call of a library function is recorded: numbers are, and addresses only of texts."""
        if self.kind(each) not in (External.INPUT, External.UNKNOWN):
            return False
        keeps = bool(INPUTS.get(self.called(each) or "", 0)) and bool(each.result)
        return isinstance(each.type, Int) or (isinstance(each.type, Pointer) and keeps)

    def calls_back(self, each: Instruction) -> bool:
        """Whether a call of a library function, or of an address, may call functions of the program."""
        return self.kind(each) in (External.CALLS_BACK, External.UNKNOWN)

    def ends_path(self, each: Instruction) -> bool:
        """Whether paths end at an instruction."""
        if each.opcode != "call":
            return False
        name = self.called(each)
        if name in self._defined:
            return name in self._writers
        return self.leaves(each) or self.kind(each) is not External.QUIET

    def _require_recordable(self) -> None:
        for function in self._defined.values():
            for each in instructions_of(function):
                if each.opcode in ("invoke", "resume", "landingpad"):
                    raise UsageError("not-recordable", f"{function.shown_name}() handles exceptions of C++")
                if each.opcode != "call" or self.is_defined(each) or (name := self.called(each)) is None:
                    continue
                if self.kind(each) is External.REFUSED:
                    where = str(each.location) if each.location is not None else function.shown_name
                    raise UsageError("not-recordable", f"it calls {name}(): {REFUSALS[name]}", where=where)
                if self.kind(each) is External.UNKNOWN and not self.leaves(each):
                    self.unknown.add(name)
                if plain_name(name) in UNKEPT:
                    self.unkept.add(plain_name(name))

    def _find_writers(self, roots: set[str]) -> set[str]:
        """The functions in whose calls something may be written."""
        found, callers = set[str](), dict[str, set[str]]()
        for name, function in self._defined.items():
            for each in instructions_of(function):
                if each.opcode == "call" and (called := self.called(each)) in self._defined and called is not None:
                    callers.setdefault(called, set()).add(name)
                elif each.opcode == "call" and (self.leaves(each) or self.kind(each) is not External.QUIET):
                    found.add(name)
            if name in roots or not all(self._is_decided(function, at) for at in range(len(function.blocks))):
                found.add(name)
        waiting = list(found)
        while waiting:
            fresh = callers.get(waiting.pop(), set()) - found
            found |= fresh
            waiting += fresh
        return found

    def _decided_nodes(self, function: IrFunction, graph: Graph) -> set[int]:
        """The nodes whose branches need no record."""
        blocks = [self._is_decided(function, at) for at in range(len(function.blocks))]
        return {node.number for node in graph.nodes if blocks[node.block]}

    def _is_decided(self, function: IrFunction, block: int) -> bool:
        """Whether the branch at a block's end needs no record."""
        last = function.blocks[block].instructions[-1]
        if len(successors(function.blocks[block])) < 2:
            return True
        return self.elides and self.taint.is_known(function.name, last.operands[0])

    def _find_needed(self) -> None:
        """Find the values that decided branches depend on, through calls."""
        needed = Needed(self._defined, lambda each: self.called(each) if self.is_defined(each) else None)
        for name, function in self._defined.items():
            for at, block in enumerate(function.blocks):
                if len(successors(block)) > 1 and self._is_decided(function, at):
                    needed.need(name, block.instructions[-1].operands[:1])
        for name, own in self.functions.items():
            own.needed = frozenset(needed.names[name])


def _is_no_function(each: Instruction) -> bool:
    """Whether a call of ``signal`` sets a constant: SIG_IGN or SIG_DFL."""
    return isinstance(each.operands[2].value, ConstantValue | ConstantExpression)
