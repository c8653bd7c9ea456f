"""The outcomes of C programs that are compiled natively, whose threads pause at random at the places that say so.

Each trial is a process of its own. The outcomes are a sample. Cost: 0.1 s for the compiler, some milliseconds a trial.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_PAUSES: Final = """\
#include <sched.h>
#include <time.h>
static _Thread_local unsigned pause_state;
static inline void pause_here(void) {
    struct timespec now;
    if (!pause_state) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        pause_state = ((unsigned)now.tv_nsec * 2654435761u ^ (unsigned)(unsigned long)&pause_state) | 1;
    }
    pause_state ^= pause_state << 13; pause_state ^= pause_state >> 17; pause_state ^= pause_state << 5;
    struct timespec some = {0, (long)(pause_state >> 8) % 5 * 200000};
    if (pause_state % 2) nanosleep(&some, 0); else sched_yield();
}
#define PAUSE() pause_here()
"""

#: So many trials of a program may come to no end before it is left.
_ENOUGH: Final = 2

_ASSERTION: Final = re.compile(r":(\d+): \w+: Assertion ")


@dataclass(slots=True)
class NativeOutcomes:
    """The outputs of trials, the lines of assertions that failed, the statuses other than 0, and whether some trial
    did not end."""

    returned: set[str] = field(default_factory=set)
    failed: set[int] = field(default_factory=set)
    statuses: set[int] = field(default_factory=set)
    hangs: bool = False


def native_outcomes(file: Path, trials: int, patience: float = 0.5) -> NativeOutcomes:
    """The outcomes of some trials of a C file."""
    pauses, program = file.parent / "pauses.h", file.with_suffix("")
    pauses.write_text(_PAUSES)
    command = ["gcc", "-O0", "-w", "-pthread", "-include", str(pauses), str(file), "-o", str(program)]
    subprocess.run(command, check=True)
    found, hung = NativeOutcomes(), 0
    for _ in range(trials):
        process = subprocess.Popen(
            [program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={}, start_new_session=True
        )
        try:
            output, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            hung += 1
            found.hangs = True
            if hung >= _ENOUGH:
                break  # it costs patience
            continue
        if match := _ASSERTION.search(errors):
            found.failed.add(int(match[1]))
            continue
        if process.returncode:
            found.statuses.add(process.returncode)
        found.returned.add(output)
    program.unlink()
    return found
