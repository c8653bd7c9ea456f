"""The end of a command: its exit status, and the message of an error that ends it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Final

import click

from mazurka import __version__
from mazurka.errors import MazurkaError

_INTERNAL: Final = 2
_INTERRUPTED: Final = 130


def status_of(command: Callable[[], object]) -> int:
    """The exit status of a command: its result, or that of the error that ended it."""
    try:
        status = command()
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
    except Exception:
        confess()
        return _INTERNAL
    return status if isinstance(status, int) else 0


def _say(error: MazurkaError) -> None:
    print(f"mazurka: error: {error}", file=sys.stderr)
    print(f"  ({error.slug}: see `{error.reference}`)", file=sys.stderr)


def confess() -> None:
    """Report that the exception being handled is an error in Mazurka."""
    traceback.print_exc()
    print(f"mazurka: internal error: this is a fault of Mazurka {__version__}, not of your program", file=sys.stderr)
