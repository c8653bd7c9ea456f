"""The command line: one file per verb, each imported only when it is the one that was called.

Exit status: 0 nothing found, 1 found (or reproduced), 2 a wrong request or an internal error, 3 inconclusive where
``--require-complete`` asked for more, 5 a program that starts no threads, 130 interrupted. Results go to standard
output, everything else to standard error. `mazurka --version` and `--help` import neither the engines nor the
renderers.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NoReturn

from mazurka import __version__

if TYPE_CHECKING:
    from mazurka.errors import MazurkaError

_INTERNAL: Final = 2
_INTERRUPTED: Final = 130

#: The verbs that run programs.
_RUNNING: Final = frozenset({"check", "record", "replay"})


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line; ends the process."""
    given = sys.argv[1:] if arguments is None else arguments
    if given == ["--version"]:
        print(f"mazurka {__version__}")
        sys.exit(0)
    if given and given[0] in _RUNNING:
        _pin_hashing()
    sys.exit(run(given))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit status."""
    import click

    from mazurka.cli.group import commands
    from mazurka.errors import MazurkaError

    try:
        status = commands.main(arguments, prog_name="mazurka", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _INTERRUPTED
    except MazurkaError as error:
        _say(error)
        return error.exit_status
    except BrokenPipeError:
        return _closed_pipe()
    except Exception:
        confess()
        return _INTERNAL
    return status if isinstance(status, int) else 0


def _pin_hashing() -> None:
    """Start this process anew if strings hash differently each time: sets must have the same order in every run.

    Flags of the interpreter (`-X`, `-W`, `-m`) are kept.
    """
    import os

    from mazurka.program.python.isolation.determinism import pinned_environment

    environment = pinned_environment()
    if environment is not None and sys.executable and getattr(sys, "orig_argv", None):
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _say(error: MazurkaError) -> None:
    print(f"mazurka: error: {error}", file=sys.stderr)
    print(f"  ({error.slug}: see `{error.reference}`)", file=sys.stderr)


def confess() -> None:
    """Say that the exception that is being handled is a fault of ours."""
    import traceback

    traceback.print_exc()
    print(f"mazurka: internal error: this is a fault of Mazurka {__version__}, not of your program", file=sys.stderr)


def _closed_pipe() -> int:
    """Whoever read our output has gone (`mazurka check ... | head`): nothing to complain about."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
