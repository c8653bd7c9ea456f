"""The times at which hooks are inactive: outside runs, and in a run until its first thread is started.

Instrumented code tests the builtin ``__mz_on__``. Where it is false, expressions that call nothing are evaluated as
they were written, without hooks (`rewriter.Rewriter.doubled`), so that code with one thread is hardly slower than
without Mazurka. It may be true where no run is in progress; hooks test that themselves.

A property or an operator may start the first thread in the middle of such an expression, the rest of which would then
be evaluated without hooks. When the first thread is started, :func:`amid_expression` tests that; the runtime then
learns :data:`~.task.START_POINTS`, and the search begins again, with hooks active from the start of each run.

Cost: a test of a global for each expression; a look at each frame of the starting thread in each run.
"""

from __future__ import annotations

import builtins
import dis
from types import CodeType, FrameType
from typing import Final

from mazurka.program.python.instrument import sites

NAME: Final = "__mz_on__"

#: Instructions at which a function stands that has called another one, or advanced an iterator, or entered a manager:
#: an expression that calls nothing has none of them.
_CALLING: Final = frozenset(
    "PRECALL FOR_ITER SEND YIELD_VALUE IMPORT_NAME IMPORT_FROM BEFORE_WITH WITH_EXCEPT_START LOAD_SPECIAL".split()
)

_CACHE: Final = dis.opmap["CACHE"]

#: id of a code object -> that object, and by instruction whether it is a call.
_known: Final[dict[int, tuple[CodeType, dict[int, bool]]]] = {}

_names: Final = vars(builtins)
_names[NAME] = False


def wake() -> None:
    """Activate the hooks."""
    _names[NAME] = True


def sleep() -> None:
    """Deactivate the hooks."""
    _names[NAME] = False


def amid_expression(frame: FrameType | None) -> bool:
    """Whether instrumented code among a frame and its callers stands inside an expression, not at a call."""
    while frame is not None:
        code = frame.f_code
        if code.co_filename in sites.instrumented and NAME in code.co_names and not _is_at_call(code, frame.f_lasti):
            return True
        frame = frame.f_back
    return False


def _is_at_call(code: CodeType, offset: int) -> bool:
    known = _known.get(id(code))
    if known is None or known[0] is not code:
        known = _known[id(code)] = (code, {})
    if offset not in known[1]:
        where = offset
        while code.co_code[where] == _CACHE:  # a call of a function in Python stands at such an entry
            where -= 2
        name = dis.opname[code.co_code[where]]
        known[1][offset] = name.startswith(("CALL", "INSTRUMENTED_CALL")) or name in _CALLING
    return known[1][offset]


def forget() -> None:
    """Forget the codes of a program."""
    _known.clear()
