"""The command line: one file per verb, each imported only when its verb is called.

Exit status: 0 nothing found, 1 found (or reproduced), 2 a wrong request or an internal error, 3 inconclusive where
``--require-complete`` or ``--require`` asked for more, 5 a program that starts no threads, 130 interrupted. Results go
to standard output, everything else to standard error. `mazurka --version` and `--help` import neither the engines nor
the renderers.
"""

from __future__ import annotations

import gc
import sys
from typing import Final, NoReturn

from mazurka import __version__

#: The verbs that run programs.
_RUNNING: Final = frozenset({"check", "record", "replay", "view"})


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; ends the process."""
    _open_streams()
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:
        from mazurka.cli.closed_pipes import reader_may_go

        with reader_may_go():
            print(f"mazurka {__version__}", flush=True)
        sys.exit(0)
    if given and given[0] in _RUNNING:
        _pin_hashing()
    status = run(given)
    gc.freeze()  # otherwise the interpreter's end examines all objects several times: a fifth of a short command
    sys.exit(status)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    from mazurka.cli.closed_pipes import reader_may_go
    from mazurka.cli.exit_status import status_of
    from mazurka.cli.group import commands

    status = status_of(lambda: commands.main(arguments, prog_name="mazurka", standalone_mode=False))
    with reader_may_go():  # otherwise the interpreter's end would fail
        sys.stdout.flush()
    return status


def _open_streams() -> None:
    """Let output go nowhere where the process was started without the stream: Python then has None in its place."""
    import os

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # for as long as the process lives


def _pin_hashing() -> None:
    """Restart this process if hashes of strings are random: sets must have the same order in every run.

    Flags of the interpreter (`-X`, `-W`, `-m`) are kept.
    """
    import os

    from mazurka.program.python.isolation.hashing import pinned_environment

    environment = pinned_environment()
    if environment is not None and sys.executable and getattr(sys, "orig_argv", None):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)
