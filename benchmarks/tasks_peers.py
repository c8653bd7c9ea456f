"""A program of tasks as another explorer of asyncio runs it; run by an interpreter that has it, as `tasks.py` does.

Each execution loads the program anew and runs its ``main``, as the pages of these tools advise: detangle 0.1.0 with its
own mixture of strategies, simloom 0.5.0 with seeds. Both replace the loop by one of their own with a virtual clock.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
import time
import warnings
from typing import Any

_RUNS = 200


def _by_detangle(main: Any) -> tuple[bool | None, int]:
    import detangle

    try:
        stats = detangle.explore(main, runs=_RUNS, database=False)
    except detangle.BugFound as found:
        return True, int(getattr(getattr(found, "report", None), "runs", 0) or 0)
    return False, stats.runs


def _by_simloom(main: Any) -> tuple[bool | None, int]:
    import simloom

    made = simloom.explore(main, runs=_RUNS)
    return made.failed, made.runs


def main(tool: str, path: str) -> None:
    """Print a JSON object: whether it fails (null if the tool is not installed), in how many executions, and the CPU
    seconds of the search."""
    sys.argv[1:] = sys.argv[3:]
    warnings.simplefilter("ignore")

    async def program() -> None:
        await runpy.run_path(path)["main"]()

    before = time.process_time()
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        try:
            fails, runs = {"detangle": _by_detangle, "simloom": _by_simloom}[tool](program)
        except ModuleNotFoundError:
            fails, runs = None, 0
    print(json.dumps({"fails": fails, "executions": runs, "seconds": time.process_time() - before}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
