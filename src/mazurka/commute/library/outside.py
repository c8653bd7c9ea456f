"""Files and sockets, as two threads of a process share them."""

from __future__ import annotations

from typing import Any

from mazurka.commute.shared_type import BLOCKED, SharedType, Step
from mazurka.trace.literals import Raised

_CLOSED = Raised("ValueError")
_BROKEN = Raised("OSError")


class FileType(SharedType):
    """A file object of texts: its content, the position that all threads share, and whether it is open."""

    name = "file"
    initials = (("", 0, True),)
    scope = {"d": ("a", "b"), "i": (0, 1)}
    functions = {"content": lambda s: s[0], "position": lambda s: s[1], "is_open": lambda s: s[2]}

    def bounded(self, s: tuple[str, int, bool]) -> bool:
        return len(s[0]) <= 2

    def write(self, s: tuple[str, int, bool], d: str) -> Step:
        content, at, is_open = s
        after = content.ljust(at, "\0")[:at] + d + content[at + len(d) :]
        return ((after, at + len(d), True), len(d)) if is_open else (s, _CLOSED)

    def read(self, s: tuple[str, int, bool]) -> Step:
        content, at, is_open = s
        return ((content, max(at, len(content)), True), content[at:]) if is_open else (s, _CLOSED)

    def seek(self, s: tuple[str, int, bool], i: int) -> Step:
        return ((s[0], i, True), i) if s[2] else (s, _CLOSED)

    def tell(self, s: tuple[str, int, bool]) -> Step:
        return s, s[1] if s[2] else _CLOSED

    def close(self, s: tuple[str, int, bool]) -> Step:
        return (s[0], s[1], False), None

    fine = """
        write || write             : d1 == d2 or not is_open(s)
        write || read              : not is_open(s) or position(s) >= len(content(s))
        read || read, tell         : not is_open(s) or position(s) >= len(content(s))
        write || seek, tell, close : not is_open(s)
        read, seek, tell || close  : not is_open(s)
        read || seek :
            not is_open(s) or position(s) >= len(content(s)) and i2 >= len(content(s))
        seek || seek               : i1 == i2 or not is_open(s)
        seek || tell               : not is_open(s) or position(s) == i1
        tell || tell               : True
        close || close             : True
    """

    coarse = """
        write || write            : raised(r1) and raised(r2)
        read || read, tell        : raised(r1) and raised(r2)
        seek || seek              : raised(r1) and raised(r2)
        write || read, seek, tell : raised(r1)
        read || seek              : raised(r1)
        seek || tell              : raised(r1)
        tell || tell              : True
        close || close            : True
    """


class AppendedFileType(SharedType):
    """A file that is opened for appending, as logs are: writes do not depend on a position."""

    name = "appended_file"
    initials = (("", True),)
    scope = {"d": ("a", "b")}
    functions = {"content": lambda s: s[0], "is_open": lambda s: s[1]}

    def bounded(self, s: tuple[str, bool]) -> bool:
        return len(s[0]) <= 2

    def write(self, s: tuple[str, bool], d: str) -> Step:
        return ((s[0] + d, True), len(d)) if s[1] else (s, _CLOSED)

    def size(self, s: tuple[str, bool]) -> Step:
        return s, len(s[0])

    def close(self, s: tuple[str, bool]) -> Step:
        return (s[0], False), None

    fine = """
        write || write       : d1 == d2 or not is_open(s)
        write || size, close : not is_open(s)
        size || size, close  : True
        close || close       : True
    """

    coarse = """
        write || write      : raised(r1) and raised(r2)
        write || size       : raised(r1)
        size || size, close : True
        close || close      : True
    """


class SocketType(SharedType):
    """A connected socket that carries messages: those sent, those that have arrived, and whether it is open. ``arrive``
    is a message sent by the other end; ``recv`` waits for it."""

    name = "socket"
    initials = (((), (), True),)
    scope = {"d": ("a", "b")}
    functions = {"incoming": lambda s: s[1], "is_open": lambda s: s[2]}

    def bounded(self, s: tuple[tuple[Any, ...], tuple[Any, ...], bool]) -> bool:
        return len(s[0]) <= 1 and len(s[1]) <= 2

    def send(self, s: tuple[tuple[Any, ...], tuple[Any, ...], bool], d: Any) -> Step:
        return (((*s[0], d), s[1], True), None) if s[2] else (s, _BROKEN)

    def recv(self, s: tuple[tuple[Any, ...], tuple[Any, ...], bool]) -> Step:
        if not s[2]:
            return s, _BROKEN
        return ((s[0], s[1][1:], True), s[1][0]) if s[1] else BLOCKED

    def arrive(self, s: tuple[tuple[Any, ...], tuple[Any, ...], bool], d: Any) -> Step:
        return ((s[0], (*s[1], d), True), None) if s[2] else (s, None)

    def close(self, s: tuple[tuple[Any, ...], tuple[Any, ...], bool]) -> Step:
        return (s[0], (), False), None

    fine = """
        send || send           : d1 == d2 or not is_open(s)
        arrive || arrive       : d1 == d2 or not is_open(s)
        send || recv, arrive   : True
        arrive, close || close : True
        send, recv || close    : not is_open(s)
        recv || recv           : at(incoming(s), 0) == at(incoming(s), 1)
        recv || arrive         : not is_open(s) or len(incoming(s)) != 0
    """

    coarse = """
        send || send           : raised(r1) and raised(r2)
        recv || recv           : raised(r1) and raised(r2)
        send || recv, arrive   : True
        arrive, close || close : True
        recv || arrive         : d2 != r1
    """
