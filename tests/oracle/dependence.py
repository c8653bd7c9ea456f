"""The reads of a small program that nothing depends on, for ``mcr-s`` and ``mcr-s+``, which otherwise follow from the
source.

Locals whose names start with ``r`` are looked at when the thread is done, the others are not. A value that ends in a
test, an assertion or an index is observed; a variable is, too, unless all its reads go nowhere (``transitively``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.oracle.language import Assert, If, Read, Set, SmallProgram, Update, While, Write

OBSERVED: Final = "observed"


@dataclass(frozen=True, slots=True)
class Always:
    """Variables are always there; ``stores`` are all sites that write."""

    stores: frozenset[int]
    there: bool = True


class OracleDependence:
    """Implements :class:`mazurka.explore.mcr_s.Dependence`."""

    def __init__(self, program: SmallProgram, transitively: bool = False) -> None:
        self.program = program
        self.edges: dict[Any, set[Any]] = {}
        for t, code in enumerate(program.code):
            self.edges.update({(t, name): {OBSERVED} for name in code.names if name.startswith("r")})
        for t, body in enumerate((program.main + program.after, *program.threads)):
            for statement in _all(body):
                self._flow(t, statement)
        if not transitively:
            for name in self.variables():
                self.edges.setdefault(("var", name), set()).add(OBSERVED)
        self.found = dict(self._needless())

    def variables(self) -> set[str]:
        return {i[2] for code in self.program.code for i in code.instructions if i and i[0] in ("read", "update")}

    def _flow(self, t: int, s: Any) -> None:
        match s:
            case Read(local, variable):
                self._edge(_of(variable), (t, local))
            case Write(variable, value):
                self._uses(t, value, _of(variable))
            case Set(local, value):
                self._uses(t, value, (t, local))
            case Update(local, variable, value, _):
                self._edge(_of(variable), (t, local))
                self._edge(_of(variable), OBSERVED)
                self._uses(t, value, OBSERVED)
            case If(test) | While(test) | Assert(test):
                self._uses(t, test, OBSERVED)
        variable = getattr(s, "variable", "")
        if isinstance(variable, tuple):
            self._uses(t, variable[1], OBSERVED)

    def _edge(self, source: Any, to: Any) -> None:
        self.edges.setdefault(source, set()).add(to)

    def _uses(self, t: int, text: str, to: Any) -> None:
        for word in re.findall(r"[A-Za-z_]\w*", text):
            self._edge((t, word), to)

    def _is_observed(self, node: Any) -> bool:
        reached, waiting = {node}, [node]
        while waiting:
            new = self.edges.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        return OBSERVED in reached

    def _needless(self) -> Iterator[tuple[int, Always]]:
        codes = enumerate(self.program.code)
        sites = {t * 1000 + pc + 1: (t, i) for t, code in codes for pc, i in enumerate(code.instructions) if i}
        always = Always(frozenset(site for site, (_, i) in sites.items() if i[0] != "read"))
        for site, (t, i) in sites.items():
            if i[0] == "read" and not self._is_observed((t, self.program.code[t].names[i[1]])):
                yield site, always

    def version(self) -> str:
        return "program"

    def needless(self) -> Mapping[int, Always]:
        return self.found


def _of(variable: Any) -> tuple[str, str]:
    return "var", variable if isinstance(variable, str) else variable[0]


def _all(body: tuple[Any, ...]) -> Iterator[Any]:
    for statement in body:
        yield statement
        for part in ("before", "then", "otherwise", "body"):
            yield from _all(getattr(statement, part, ()))
