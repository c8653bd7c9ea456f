"""Untracked operations of a run, counted by kind and place: with any, the program is never verified."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Final

from mazurka.program.python.instrument import sites
from mazurka.program.python.semantics.per_run import per_run


def count_untracked(run: Any, operation: str, site: int) -> None:
    """A shared object was used in a way that is not tracked: count this. Operations of threads that are being ended do
    not count."""
    if not run.is_recording and run.aborting and not run.has_ended:
        return
    text = f"{operation} at {sites.location(site)}"
    run.untracked[text] = run.untracked.get(text, 0) + 1


#: Functions that look at the effects of the running thread's last step; each gets the run.
_looks: Final[list[Callable[[Any], None]]] = per_run([])


def look_after_step(run: Any, look: Callable[[Any], None]) -> None:
    """Have ``look`` called when the running thread has made the step that it stands before: before its next one, and
    before any other thread moves."""
    _looks.append(look)
    if run.let_go is None:
        run.let_go = look_now


def look_now(run: Any) -> None:
    """The running thread is about to make its next step: call the functions that look at the last one."""
    while _looks:
        _looks.pop()(run)


#: Site, and identity of the namespace, of each assignment to a global that no known code reads -> the function that
#: counts it.
unread_constants: Final[dict[tuple[int, int], Callable[[], None]]] = per_run({})

#: Identities of namespaces in which code was executed that the program did not compile during a run.
_spaces_of_other_code: Final[set[int]] = set()


def note_executed(code: Any, space: Any) -> None:
    """Code, or a text, is about to be executed in a namespace."""
    if type(code) is not types.CodeType or code.co_filename not in sites.names_of_compiled:
        _spaces_of_other_code.add(id(space))


def count_at_end() -> None:
    """A run has ended: count assignments that unknown code may have read."""
    for (_, space), count in unread_constants.items():
        if space in _spaces_of_other_code:
            count()
