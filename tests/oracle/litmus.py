"""The litmus tests of the x86-TSO papers and their companions, with the verdicts that are published for them.

Sources: Owens, Sarkar, Sewell, "A better x86 memory model: x86-TSO" (extended version and its errata), which carries
over the examples of Intel's white paper (iwp) and AMD's manual (amd), n1 to n8 and rwc; Sewell et al., CACM 53 (7),
2010; the names 2+2W, S, R, MP, LB, CoRR ... are those of Alglave, Maranget, Tautschnig, TOPLAS 2014. For PSO: SPARC V8,
appendix D: whatever TSO allows, and stores to different locations reach memory in any order.

Notation: ``x = 1`` stores, ``a = x`` loads, ``x <- 1`` is a locked exchange, ``fence`` a full fence; ``|`` separates
threads. The outcome asked about is given by locals (``a``) and final values of memory (``x``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tests.oracle.language import Fence, Read, SmallProgram, Update, Write

from mazurka.program.memory import MemoryModel

_MEMORY: Final = "xyz"

SC, TSO, PSO = MemoryModel


@dataclass(frozen=True, slots=True)
class Litmus:
    """One test; ``allowed`` are the models that have the outcome."""

    name: str
    text: str
    outcome: dict[str, int]
    allowed: frozenset[MemoryModel]

    def program(self) -> SmallProgram:
        threads = tuple(tuple(map(_statement, body.split(";"))) for body in self.text.split("|"))
        return SmallProgram(threads, after=tuple(Read(f"r{v}", v) for v in _MEMORY if v in self.text))

    def is_outcome(self, final: tuple[Any, ...]) -> bool:
        """Whether a final state of the program is the one asked about."""
        shared, values, *_ = final
        found = dict(shared)
        for compiled, row in zip(self.program().code, values, strict=True):
            names = [compiled.names[i] for i in compiled.visible]
            found.update(zip(names, row, strict=True))
        return all(found.get(name, 0) == value for name, value in self.outcome.items())


def _statement(text: str) -> Any:
    if text.strip() == "fence":
        return Fence()
    left, mark, right = text.split()
    if mark == "<-":
        return Update(f"old_{left}", left, right)
    return Write(left, right) if left in _MEMORY else Read(left, right)


def _test(name: str, text: str, outcome: str, *allowed: MemoryModel) -> Litmus:
    pairs = dict(pair.split("=") for pair in outcome.split())
    return Litmus(name, text, {name: int(value) for name, value in pairs.items()}, frozenset(allowed))


LITMUS: Final = (
    # Stores and later loads
    _test("SB, iwp2.3.a, amd4", "x = 1; a = y | y = 1; b = x", "a=0 b=0", TSO, PSO),
    _test("SB+fences, amd5", "x = 1; fence; a = y | y = 1; fence; b = x", "a=0 b=0"),
    _test("SB+fence+none", "x = 1; fence; a = y | y = 1; b = x", "a=0 b=0", TSO, PSO),
    _test("SB+reads, iwp2.4, amd9", "x = 1; a = x; b = y | y = 1; c = y; d = x", "a=1 b=0 c=1 d=0", TSO, PSO),
    _test("amd10", "x = 1; fence; a = x; b = y | y = 1; fence; c = y; d = x", "a=1 b=0 c=1 d=0"),
    _test("amd3", "x = 1; x = 2; a = y | y = 1; y = 2; b = x", "a=1 b=1", TSO, PSO),
    _test("iwp2.3.b", "x = 1; a = x | y = 1; b = y", "a=0"),
    _test("iwp2.8.a", "x <- 1; a = y | y <- 1; b = x", "a=0 b=0"),
    _test("n8", "x <- 1; a = y | y = 1; b = x", "a=0 b=0", TSO, PSO),
    _test("R", "x = 1; y = 1 | y = 2; a = x", "y=2 a=0", TSO, PSO),
    _test("R+fence", "x = 1; y = 1 | y = 2; fence; a = x", "y=2 a=0", PSO),
    _test("R+fences", "x = 1; fence; y = 1 | y = 2; fence; a = x", "y=2 a=0"),
    _test("n6", "x = 1; a = x; b = y | y = 2; x = 2", "a=1 b=0 x=1", TSO, PSO),
    _test("n1", "x = 2; a = y | y = 1; x = 1 | b = x; c = x", "a=0 b=1 c=2", TSO, PSO),
    _test("n7", "x = 1; a = x; b = y | y = 1 | c = y; d = x", "a=1 b=0 c=1 d=0", TSO, PSO),
    _test("n7+fence", "x = 1; fence; a = x; b = y | y = 1 | c = y; d = x", "a=1 b=0 c=1 d=0"),
    _test("RWC, rwc-unfenced", "x = 1 | a = x; b = y | y = 1; c = x", "a=1 b=0 c=0", TSO, PSO),
    _test("rwc-fenced", "x = 1 | a = x; b = y | y = 1; fence; c = x", "a=1 b=0 c=0"),
    # Stores and later stores
    _test("MP, iwp2.1, amd1", "x = 1; y = 1 | a = y; b = x", "a=1 b=0", PSO),
    _test("MP+fence", "x = 1; fence; y = 1 | a = y; b = x", "a=1 b=0"),
    _test("iwp2.8.b", "x <- 1; y = 1 | a = y; b = x", "a=1 b=0"),
    _test("S", "x = 2; y = 1 | a = y; x = 1", "a=1 x=2", PSO),
    _test("2+2W", "x = 1; y = 2 | y = 1; x = 2", "x=1 y=1", PSO),
    _test("2+2W+fences", "x = 1; fence; y = 2 | y = 1; fence; x = 2", "x=1 y=1"),
    _test("n2", "y = 1; x = 1 | x = 2; z = 1 | a = x; b = x | c = z; d = y", "a=1 b=2 c=1 d=0", PSO),
    _test("ISA2", "x = 1; y = 1 | a = y; z = 1 | b = z; c = x", "a=1 b=1 c=0", PSO),
    # Loads and what comes after them
    _test("LB, iwp2.2, amd2", "a = x; y = 1 | b = y; x = 1", "a=1 b=1"),
    _test("WRC, iwp2.5, amd8", "x = 1 | a = x; y = 1 | b = y; c = x", "a=1 b=1 c=0"),
    _test("IRIW, amd6", "x = 1 | y = 1 | a = x; b = y | c = y; d = x", "a=1 b=0 c=1 d=0"),
    _test("iwp2.7, amd7", "x <- 1 | y <- 1 | a = x; b = y | c = y; d = x", "a=1 b=0 c=1 d=0"),
    _test("n3", "x <- 1 | y = 1 | a = y; b = x; c = x | d = x; e = y; f = y", "a=1 b=0 c=1 d=1 e=0 f=1"),
    # One location
    _test("CoRR", "x = 1 | a = x; b = x", "a=1 b=0"),
    _test("CoWW", "x = 1; x = 2", "x=1"),
    _test("iwp2.6", "x = 1 | x = 2 | a = x; b = x | c = x; d = x", "a=1 b=2 c=2 d=1"),
    _test("n4", "a = x; x = 1; b = x | c = x; x = 2; d = x", "a=2 b=1 c=1 d=2"),
    _test("n5", "x = 1; a = x | x = 2; b = x", "a=2 b=1"),
)
