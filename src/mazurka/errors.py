"""What can go wrong with a request, as opposed to with the program under test.

Every exception that Mazurka raises on purpose is a :class:`MazurkaError`. It carries a *slug*, a short stable
name that a heading of ``docs/reference/errors.md`` explains (a test holds the two together), and its message
says what happened, where, and what to do about it. Bugs found in a checked program are results, never exceptions.
"""

from __future__ import annotations

from typing import ClassVar

_REFERENCE = "docs/reference/errors.md"


class MazurkaError(Exception):
    """Something Mazurka could not do; the command line prints it and exits with :attr:`exit_status`.

    ``slug`` names the kind of error (``schedule-corrupt``), ``what`` says what happened, ``where`` which file,
    function or option it is about ("" if none) and ``hint`` what to do ("" if there is nothing to be done).
    """

    exit_status: ClassVar[int] = 2

    def __init__(self, slug: str, what: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(slug, what, where, hint)
        self.slug = slug
        self.what = what
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return "".join((f"{self.where}: " if self.where else "", self.what, f"; {self.hint}" if self.hint else ""))

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions pickle as `cls(*args)`, which can't pass keywords; errors do cross process boundaries.
        return (_rebuild, (type(self), self.slug, self.what, self.where, self.hint))

    @property
    def reference(self) -> str:
        """Where the documentation explains this error."""
        return f"{_REFERENCE}#{self.slug}"


class UsageError(MazurkaError):
    """The request itself is wrong: an option, a path, a name, a configuration key."""


def _rebuild(kind: type[MazurkaError], slug: str, what: str, where: str, hint: str) -> MazurkaError:
    return kind(slug, what, where=where, hint=hint)
