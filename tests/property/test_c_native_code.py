"""Generated C programs go on in native code as they do in Python: the same steps, failures, passes and output, under
each memory model, from code at each level of optimisation. ``make test-long`` takes 1,000 programs.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest
from tests.oracle.loops_c import random_loops

from mazurka.program.llvm.program import CProgram
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import Plan, TailPolicy
from mazurka.program.runtime.task import Limits
from mazurka.program.settings import ProgramSettings

_PROGRAMS = 1_000 if os.environ.get("HYPOTHESIS_PROFILE") == "long" else 24
_SHARE = 4
_PASSES = 5_000
_FLAGS = ("-fwrapv", "-w", "-fno-vectorize", "-fno-slp-vectorize")

_PLANS = (
    Plan(tail=TailPolicy.RANDOM, seed=0, strict=False),
    Plan(tail=TailPolicy.RANDOM, seed=1, strict=False, values=True),
    Plan(tail=TailPolicy.RANDOM, seed=1, strict=False),
    Plan(tail=TailPolicy.RANDOM, seed=1, strict=False, detail=True),
)


def _executions(source: Path, level: str, model: MemoryModel, native_after: float) -> list[dict[str, Any]]:
    settings = ProgramSettings(memory=model, limits=Limits(passes=_PASSES))
    program = CProgram(str(source), (level, *_FLAGS), (), settings, native_after=native_after)
    found = []
    for plan in _PLANS:
        run = program.execute(plan)
        names = ("output", "failures", "truncated", "log", "choices", "untracked", "blocked", "stacks", "names")
        found.append({name: getattr(run, name) for name in names})
        assert program.machine is not None
        found[-1]["passes"] = program.machine.run.passes
        assert "fault of Mazurka" not in run.truncated, run.truncated
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("first", range(0, _PROGRAMS, _SHARE))
def test_loops_go_on_natively_as_in_python(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + _SHARE):
        source = tmp_path / f"drawn{seed}.c"
        source.write_text(random_loops(seed))
        level, model = f"-O{seed % 3}", list(MemoryModel)[seed // 3 % 3]
        wanted, found = (_executions(source, level, model, after) for after in (math.inf, 0))
        for number, (one, other) in enumerate(zip(wanted, found, strict=True)):
            for name, value in one.items():
                assert other[name] == value, (seed, level, model, number, name)


def test_a_label_without_live_variables(tmp_path: Path) -> None:
    """At -O1 the sum of a division by zero is nothing, and so no variable is live at the head of the next loop."""
    source = tmp_path / "nothing.c"
    source.write_text(random_loops(1228))
    wanted, found = (_executions(source, "-O1", MemoryModel.SC, after) for after in (math.inf, 0))
    assert found == wanted
