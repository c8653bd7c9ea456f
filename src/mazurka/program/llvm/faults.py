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


class ThreadExit(BaseException):
    """``pthread_exit``: the running thread ends."""

    def __init__(self, value: int) -> None:
        super().__init__(value)
        self.value = value


class ProcessExit(BaseException):
    """``exit``: the process ends."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status
