"""The loops of a function: their heads, and the loops that a jump leaves.

A loop is natural: an edge to a block that dominates its source, and all blocks from which the source can be reached
without the head. Edges that go back in a depth-first walk but to no dominating block (``goto`` into a loop) have a head
of their own, and no body.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.module import Instruction, IrFunction, Local, Symbol


@dataclass(slots=True)
class NaturalLoop:
    """A loop. ``number`` is the site of the first instruction of its head; ``has_effects`` says that its passes may
    access memory or call functions."""

    number: int
    body: set[str]
    has_effects: bool = False


class LoopStructure:
    """The loops of a function; ``heads`` are the loops by the names of their first blocks. ``variables`` are those in
    memory that are Python variables."""

    def __init__(self, function: IrFunction, site: Callable[[Instruction], int], variables: Collection[str]) -> None:
        self._next = {
            block.name: tuple(dict.fromkeys(block.instructions[-1].labels))
            if block.instructions[-1].opcode != "phi"
            else ()
            for block in function.blocks
        }
        self._before: dict[str, list[str]] = {name: [] for name in self._next}
        for name, following in self._next.items():
            for each in following:
                self._before[each].append(name)
        blocks = {block.name: block for block in function.blocks}
        self.heads: dict[str, NaturalLoop] = {}
        for source, head in self._edges_back(function.blocks[0].name):
            body = self._body(source, head)
            if head in self.heads:
                self.heads[head].body |= body
            else:
                self.heads[head] = NaturalLoop(site(blocks[head].instructions[0]), body)
        for loop in self.heads.values():
            instructions = [each for name in loop.body for each in blocks[name].instructions]
            loop.has_effects = any(_has_effects(each, variables) for each in instructions)

    def _edges_back(self, entry: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        state: dict[str, int] = {}
        stack = [(entry, iter(self._next[entry]))]
        state[entry] = 1
        while stack:
            name, rest = stack[-1]
            for each in rest:
                if state.get(each) == 1:
                    found.append((name, each))
                elif each not in state:
                    state[each] = 1
                    stack.append((each, iter(self._next[each])))
                    break
            else:
                state[name] = 2
                stack.pop()
        return found

    def _body(self, source: str, head: str) -> set[str]:
        body, waiting = {head}, [source]
        while waiting:
            name = waiting.pop()
            if name not in body:
                body.add(name)
                waiting += self._before[name]
        return body

    def left_by(self, source: str, to: str) -> list[int]:
        """The numbers of the loops that a jump leaves."""
        return [loop.number for loop in self.heads.values() if source in loop.body and to not in loop.body]

    def enclosing(self, block: str) -> list[int]:
        """The numbers of the loops that a block is in."""
        return [loop.number for loop in self.heads.values() if block in loop.body]


def _has_effects(each: Instruction, variables: Collection[str]) -> bool:
    if each.opcode in ("call", "invoke"):
        called = each.operands[0].value
        return not (isinstance(called, Symbol) and called.name.startswith("llvm."))
    if each.opcode in ("load", "store"):
        place = each.operands[-1].value
        return not (isinstance(place, Local) and place.name in variables)
    return each.opcode in ("atomicrmw", "cmpxchg")
