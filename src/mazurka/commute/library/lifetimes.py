"""Objects that must not be used after their end: memory, channels, contexts (thesis, figure 3.2).

Calls after the end are errors in these models, so they do not commute with the call that ends the object's life: these
pairs are the order violations to look for.
"""

from __future__ import annotations

from typing import Any

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Raised

_USED_AFTER_FREE = Raised("use after free")
_CLOSED = Raised("closed")


class MemoryType(SharedType):
    """Allocated memory of one value; reading, writing or freeing it after ``free`` is an error."""

    name = "memory"
    initials = ((0, True),)  # its value, and whether it is allocated
    scope = {"v": (0, 1, 2)}
    functions = {"content": lambda s: s[0], "is_allocated": lambda s: s[1]}

    def read(self, s: tuple[Any, bool]) -> Step:
        return s, s[0] if s[1] else _USED_AFTER_FREE

    def write(self, s: tuple[Any, bool], v: Any) -> Step:
        return ((v, True), None) if s[1] else (s, _USED_AFTER_FREE)

    def free(self, s: tuple[Any, bool]) -> Step:
        return ((None, False), None) if s[1] else (s, _USED_AFTER_FREE)

    fine = """
        read || read              : True
        read || write             : not is_allocated(s) or content(s) == v2
        read, write, free || free : not is_allocated(s)
        write || write            : v1 == v2 or not is_allocated(s)
    """

    coarse = """
        read || read        : True
        read || write       : raised(r1)
        read, write || free : raised(r2)
        write || write      : raised(r1) and raised(r2)
        free || free        : raised(r1) and raised(r2)
    """


class ChannelType(SharedType):
    """A channel of Go with room for any number of items; sending to a closed one, or closing it again, is an error."""

    name = "channel"
    initials = (((), True),)  # its items, and whether it is open
    scope = {"v": (0, "x", None)}
    functions = {"items": lambda s: s[0], "is_open": lambda s: s[1]}

    def bounded(self, s: tuple[tuple[Any, ...], bool]) -> bool:
        return len(s[0]) <= 3

    def send(self, s: tuple[tuple[Any, ...], bool], v: Any) -> Step:
        return (((*s[0], v), True), None) if s[1] else (s, _CLOSED)

    def receive(self, s: tuple[tuple[Any, ...], bool]) -> Step:
        if s[0]:
            return (s[0][1:], s[1]), (s[0][0], True)
        return BLOCKED if s[1] else (s, (None, False))  # a closed channel gives no item, for ever

    def close(self, s: tuple[tuple[Any, ...], bool]) -> Step:
        return ((s[0], False), None) if s[1] else (s, _CLOSED)

    fine = """
        send || send         : v1 == v2 or not is_open(s)
        send || receive      : not is_open(s) or len(items(s)) != 0
        receive || close     : not is_open(s) or len(items(s)) != 0
        send, close || close : not is_open(s)
        receive || receive   : at(items(s), 0) == at(items(s), 1)
    """

    coarse = """
        send || send           : raised(r1) and raised(r2)
        close || close         : raised(r1) and raised(r2)
        send || receive        : raised(r1)
        send, receive || close : raised(r2)
    """


class ContextType(SharedType):
    """A context of Go: ``err`` is None until ``cancel``."""

    name = "context"
    initials = (False,)

    def cancel(self, s: bool) -> Step:
        return True, None

    def err(self, s: bool) -> Step:
        return s, "canceled" if s else None

    fine = """
        cancel || cancel : True
        err || err       : True
        cancel || err    : s
    """

    coarse = """
        cancel || cancel : True
        err || err       : True
    """


class StreamType(SharedType):
    """A file whose state is only whether it is open: after ``close`` all other methods raise ValueError."""

    name = "stream"
    initials = (True,)  # whether it is open
    functions = {"is_open": lambda s: s}

    def read(self, s: bool) -> Step:
        return s, None if s else Raised("ValueError")

    def write(self, s: bool) -> Step:
        return s, None if s else Raised("ValueError")

    def seek(self, s: bool) -> Step:
        return s, None if s else Raised("ValueError")

    def flush(self, s: bool) -> Step:
        return s, None if s else Raised("ValueError")

    def close(self, s: bool) -> Step:
        return False, None

    fine = """
        read || read, write, seek, flush : True
        write || write, seek, flush      : True
        seek || seek, flush              : True
        flush || flush                   : True
        read, write, seek, flush || close : not is_open(s)
        close || close                   : True
    """

    coarse = """
        read || read, write, seek, flush : True
        write || write, seek, flush      : True
        seek || seek, flush              : True
        flush || flush                   : True
        close || close                   : True
    """


class ConnectionType(SharedType):
    """A socket whose state is only whether it is open: sending and receiving raise OSError after ``close``."""

    name = "connection"
    initials = (True,)  # whether it is open
    functions = {"is_open": lambda s: s}

    def send(self, s: bool) -> Step:
        return s, None if s else Raised("OSError")

    def recv(self, s: bool) -> Step:
        return s, None if s else Raised("OSError")

    def close(self, s: bool) -> Step:
        return False, None

    fine = """
        send || send, recv  : True
        recv || recv        : True
        send, recv || close : not is_open(s)
        close || close      : True
    """

    coarse = """
        send || send, recv : True
        recv || recv       : True
        close || close     : True
    """
