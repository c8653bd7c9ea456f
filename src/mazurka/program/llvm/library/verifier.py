"""The functions of SV-COMP's programs.

An assumption that does not hold ends its thread without a failure: no execution goes on from there. Inputs
(``__VERIFIER_nondet_int`` and the like) are zero, and not tracked: nothing is verified of a program that has any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.faults import AssumptionFailed, ProgramFault
from mazurka.program.protocol import FailureKind

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_TYPES: Final = (
    "bool char uchar short ushort int uint long ulong longlong ulonglong unsigned size_t pointer u8 u16 u32".split()
)


def _assume(m: Machine, site: int, holds: int) -> None:
    if not holds:
        raise AssumptionFailed


def _error(_m: Machine, site: int, *_arguments: Any) -> None:
    raise ProgramFault("error", "calls reach_error()", site, FailureKind.ASSERTION)


def _assert(_m: Machine, site: int, holds: int) -> None:
    if not holds:
        raise ProgramFault("assertion", "__VERIFIER_assert fails", site, FailureKind.ASSERTION)


def _input(name: str) -> Callable[..., Any]:
    def function(m: Machine, site: int) -> Any:
        text = f"the input {name}(), taken for zero, at {m.location(site)}"
        m.run.untracked[text] = m.run.untracked.get(text, 0) + 1
        return 0.0 if name.endswith(("float", "double")) else 0

    return function


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "reach_error": _error,
    "__VERIFIER_error": _error,
    "__VERIFIER_assert": _assert,
    "__VERIFIER_assume": _assume,
    "assume_abort_if_not": _assume,
    **{f"__VERIFIER_nondet_{each}": _input(f"__VERIFIER_nondet_{each}") for each in (*_TYPES, "float", "double")},
}
