"""Errors of a request, as opposed to bugs of the program under test.

Every exception that Mazurka raises on purpose is a :class:`MazurkaError`. It carries a *slug*, a short stable
name that a heading of ``docs/reference/errors.md`` explains (a test compares the two; the page comes with the package,
and `mazurka explain` shows it), and its message states the problem, its place and the remedy. Bugs found in a checked
program are results, never exceptions.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib import import_module
from typing import Any, ClassVar, Final, TypeAlias

#: The short stable name of a kind of error.
Slug: TypeAlias = str

#: Packages that are not installed with Mazurka itself, and the extra that installs each.
EXTRAS: Final = {"numba": "numba", "pyarrow": "arrow", "z3": "z3", "mcp": "mcp", "ziglang": "c", "llvmlite": "c"}


class MazurkaError(Exception):
    """A request that Mazurka could not fulfil; the command line prints the error and exits with :attr:`exit_status`.

    ``slug`` names the kind of error (``schedule-corrupt``), ``what`` is the problem, ``where`` the file, function or
    option ("" if none), ``hint`` the remedy ("" if there is none), and ``excerpt`` the line of a text that is wrong,
    with a caret below it ("" if there is none).
    """

    exit_status: ClassVar[int] = 2

    def __init__(self, slug: str, what: str, *, where: str = "", hint: str = "", excerpt: str = "") -> None:
        super().__init__(slug, what, where, hint, excerpt)
        self.slug = slug
        self.what = what
        self.where = where
        self.hint = hint
        self.excerpt = excerpt

    def __str__(self) -> str:
        line = "".join((f"{self.where}: " if self.where else "", self.what, f"; {self.hint}" if self.hint else ""))
        return f"{line}\n{self.excerpt}" if self.excerpt else line

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle as `cls(*args)`, which can't pass keywords; errors do cross process boundaries.
        return (_rebuild, (type(self), self.slug, self.what, self.where, self.hint, self.excerpt))

    @property
    def reference(self) -> str:
        """The command that explains this error."""
        return f"mazurka explain {self.slug}"


class UsageError(MazurkaError):
    """The request itself is wrong: an option, a path, a name, a configuration key."""


def missing_extra(package: str, user: str) -> UsageError:
    """The error that a package is needed which only an extra installs; ``user`` is the subject of "needs"."""
    hint = f"pip install 'mazurka[{EXTRAS[package]}]'"
    return UsageError("missing-extra", f"{user} needs {package}, which is not installed", hint=hint)


def import_extra(module: str, user: str) -> Any:
    """A module of a package that only an extra installs; ``user`` is the subject of "needs" in the error that the
    package is not installed."""
    package = module.partition(".")[0]
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package or package not in EXTRAS:
            raise
        raise missing_extra(package, user) from None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the name nearest to a misspelt one; "" if none is near."""
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean {by_lower[close[0]]}?" if close else ""


def _rebuild(kind: type[MazurkaError], slug: str, what: str, where: str, hint: str, excerpt: str = "") -> MazurkaError:
    return kind(slug, what, where=where, hint=hint, excerpt=excerpt)
