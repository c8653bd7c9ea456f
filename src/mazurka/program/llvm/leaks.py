"""Memory that is not freed when the process ends.

Definition (SV-COMP, property `valid-memcleanup`): all memory that the program has allocated is deallocated before it
ends, whether or not pointers lead to it. Which memory that is depends on the steps of the threads only, never on the
last values in memory, so that it is the same in all executions with the same reads-from relation.

Cost: one look at each object that ``malloc`` and its like have returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mazurka.program.protocol import Failure, FailureKind
from mazurka.program.runtime.task import Task

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: Why nothing is proved: no order of the end and of steps of threads that are not joined is explored.
_UNKNOWN: Final = "leaks of a program that does not join all of its threads"


def leaks_at_exit(machine: Machine, task: Task) -> list[Failure]:
    """The leaks of a process that ``task`` ends by ``exit()``, or by the end of ``main()`` or of the last thread."""
    run = machine.run
    if machine.threads.left and any(
        each is not task and each.index not in machine.threads.joined for each in run.tasks
    ):
        run.untracked[_UNKNOWN] = run.untracked.get(_UNKNOWN, 0) + 1
    return leaks(machine, len(run.log), task.name)


def leaks(machine: Machine, step: int, thread: str = "0") -> list[Failure]:
    """The leaks after so many steps: one for each place that has allocated such memory."""
    by_site: dict[int, list[str]] = {}
    for thing, site in machine.allocated:
        if thing.live:
            by_site.setdefault(site, []).append(f"{thing.name} ({thing.size} byte(s))")
    return [
        Failure(
            FailureKind.EXCEPTION,
            f"memory leak: {names[0]}{_more(names)}, allocated here, is not freed when the program ends",
            thread,
            machine.location(site),
            "memory leak",
            step=step,
        )
        for site, names in by_site.items()
    ]


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
