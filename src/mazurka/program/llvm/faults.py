"""Faults: errors of a C program that end it, and the other ways in which its threads end."""

from __future__ import annotations

from mazurka.program.protocol import FailureKind
from mazurka.trace.ids import SiteNumber


class ProgramFault(Exception):
    """An error of the program at a site. ``name`` is its kind in words, as reports show it."""

    def __init__(self, name: str, message: str, site: int, kind: FailureKind = FailureKind.EXCEPTION) -> None:
        super().__init__(message)
        self.name = name
        self.message = message
        self.site = SiteNumber(site)
        self.kind = kind


class Thrown(Exception):
    """An exception of a C++ program that is on its way to a handler: the address of its object, of its type's
    ``std::type_info``, and of its destructor (0: none), and where it was thrown."""

    def __init__(self, address: int, type_: int, destructor: int, site: int) -> None:
        super().__init__(address)
        self.address = address
        self.type = type_
        self.destructor = destructor
        self.site = site
        self.caught_at = address  # the address of the part that has the type of the handler
        self.handlers = 0  # that have begun and not ended
        self.is_rethrown = False


class ThreadExit(BaseException):
    """``pthread_exit``: the running thread ends. In C++ it is unwound like an exception: destructors run, and
    ``catch (...)`` handles it, for which it has an address there."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value
        self.address = self.caught_at = 0
        self.handlers = 0
        self.is_rethrown = False


class ProcessExit(BaseException):
    """``exit``: the process ends."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
