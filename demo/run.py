"""`make demo`: finds the bug of `cache.py` in a released cachetools, and replays the schedule that was saved.

The bug is https://github.com/tkem/cachetools/issues/115: two threads expire the same entry of a `TTLCache`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

_DEMO = Path(__file__).resolve().parent
_ROOT = _DEMO.parent
_SITE = _ROOT / ".demo" / "site"
_FOUND = 1  # the exit status of a check or a replay that met the failure


def run(*arguments: str) -> str:
    """Run one mazurka command, show it and its output, and return the output; stop unless it met the failure."""
    print(f"\n$ mazurka {' '.join(arguments)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "mazurka", *arguments],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_SITE)},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    print(done.stdout, end="", flush=True)
    if done.returncode != _FOUND:
        sys.exit(f"Expected exit status {_FOUND}, got {done.returncode}")
    return done.stdout


def main() -> None:
    print((_DEMO / "cache.py").read_text())
    report = run("check", "demo/cache.py", "--include", "cachetools")
    command = re.search(r"mazurka replay (\S+)", report)
    if command is None:
        sys.exit("The report names no schedule to replay")
    run("replay", command[1])


if __name__ == "__main__":
    main()
