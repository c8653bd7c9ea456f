"""The open files of an execution, by descriptor and stream: files, pipes and sockets, and the files of the machine.

A file's contents are one location, a name in a directory is one, and so is the state of an open file. Each operation
is one step.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from mazurka.program.llvm.faults import ProgramFault
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.library.threads import EPOCH
from mazurka.program.llvm.memory_objects import SHIFT
from mazurka.program.llvm.unknown_bytes import StoredBytes, SymbolicBytes
from mazurka.program.protocol import Access
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

#: The kind of the memory of streams.
STREAM: Final = "stream"

_EBADF: Final = 9
_LEAST: Final = 4096
_LARGEST: Final = 1 << 26

#: Descriptors of a thread begin at 3 and its number times this.
_DESCRIPTORS: Final = 1000

_NOT_OPEN: Final = "descriptors that are used beside other threads and are not open, whose numbers may be used again"

#: The flag of an open file that operations do not wait.
NONBLOCKING: Final = 0o4000


class FileNode:
    """A file or directory. ``content`` is None for a directory; ``times`` are those of the last access and change, in
    seconds since 1970."""

    __slots__ = ("content", "mode", "number", "times")

    def __init__(self, data: bytes | None, number: int) -> None:
        self.content = None if data is None else StoredBytes(bytearray(data))
        self.number = number
        self.mode = (stat.S_IFREG | 0o644) if data is not None else (stat.S_IFDIR | 0o755)
        self.times = (int(EPOCH), int(EPOCH))


class Connection:
    """The channels of an open pipe or socket: "" for a direction that it does not have. ``domain`` is that of a socket,
    0 for a pipe. ``own`` and ``peer`` are the addresses of a connection's ends."""

    __slots__ = ("address", "domain", "incoming", "listens", "outgoing", "own", "peer")

    def __init__(self, incoming: str = "", outgoing: str = "", domain: int = 0) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self.domain = domain
        self.address = b""  # as ``bind`` was given it
        self.own = b""
        self.peer = b""
        self.listens = False


class OpenFile:
    """An open file: its path, offset and flags; as a stream, whether its end or an error has been met. A pipe or socket
    has a ``connection``; the copy of a standard stream ``is_standard``."""

    __slots__ = (
        *("at", "connection", "ended", "flags", "is_closed", "is_standard", "name", "node", "path", "pushed"),
        "stream",
    )

    def __init__(self, path: str, node: FileNode, flags: int, name: str, connection: Connection | None = None) -> None:
        self.path, self.node, self.flags, self.name, self.connection = path, node, flags, name, connection
        self.at = 0
        self.stream = 0  # its address, if it has been opened as one
        self.is_closed = False
        self.is_standard = False
        self.ended = False
        self.pushed = SymbolicBytes()  # pushed back by ungetc, the next byte first


class FileSystem:
    """The files of one execution."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nodes: dict[str, FileNode | None] = {}  # None: there is none
        self.open: dict[int, OpenFile] = {}  # by descriptor, and by the address of a stream
        self.descriptors: dict[int, int] = {}  # by stream, of those made by fdopen

    def path(self, address: int, site: int) -> str:
        """The absolute path that a text names."""
        text = self.machine.memory.text(address, site).decode("utf-8", "surrogateescape")
        return os.path.normpath(os.path.join(os.getcwd(), text))

    def find(self, path: str) -> FileNode | None:
        """The file of a path, from the machine where the program has not changed it."""
        if path not in self.nodes:
            content = self.machine.disk.get(path, _UNKNOWN)
            if content is _UNKNOWN:
                content = self.machine.disk[path] = _content(path)
            is_there = content is not None
            if not is_there and os.path.lexists(path):
                text = f"{path}, which can't be read"
                self.machine.run.untracked[text] = self.machine.run.untracked.get(text, 0) + 1
            self.nodes[path] = (
                FileNode(content if isinstance(content, bytes) else None, number_of(path)) if is_there else None
            )
        return self.nodes[path]

    def names(self, folder: str) -> list[str]:
        """The names in a directory, sorted."""
        key = f"{folder}/"
        if key not in self.machine.disk:
            try:
                self.machine.disk[key] = sorted(os.listdir(folder))
            except OSError:
                self.machine.disk[key] = []
        own = [os.path.basename(each) for each in self.nodes if os.path.dirname(each) == folder and each != folder]
        return [each for each in sorted({*self.machine.disk[key], *own}) if self.find(os.path.join(folder, each))]

    def step(self, site: int, op: Op, target: Target, *more: Access) -> None:
        """Pass an operation."""
        run = self.machine.run
        if not run.solo:
            if run.detail and not run.keyed:
                for touched in (target, *[access.target for access in more]):
                    run.names.setdefault(touched, touched[1])
            self.machine.memory.step(op, target, site, None, more)

    def add(self, opened: OpenFile, least: int = 0) -> int:
        """A new descriptor for an open file, whose number is ``least`` or more."""
        number = self.descriptor()
        while number < least:
            number = self.descriptor(reuses=False)
        self.open[number] = opened
        return number

    def standard(self, number: int) -> OpenFile:
        """The open file of a copy of a standard stream."""
        node = FileNode(b"", number)
        node.mode = stat.S_IFCHR | 0o620
        opened = OpenFile(f"standard stream {number}", node, int(number > 0), f"standard stream {number}")
        opened.is_standard = True
        return opened

    def missing(self, number: int) -> int:
        """A descriptor is used that is not open: returns the error. Its number may be used again in other orders."""
        if not self.machine.run.solo and number >> 31 == 0:
            untracked = self.machine.run.untracked
            untracked[_NOT_OPEN] = untracked.get(_NOT_OPEN, 0) + 1
        return _EBADF

    def use(self, site: int, number: int) -> OpenFile | None:
        """The open file of a descriptor or stream, which another thread may close; None, and ``errno``, if there is
        none."""
        opened = self.open.get(number & (1 << 64) - 1)
        if opened is not None:
            self.step(site, Op.READ, offset_of(opened)[1])
            opened = self.open.get(number & (1 << 64) - 1)
        if opened is None:
            set_errno(self.machine, self.missing(number))
        return opened

    def stream(self, address: int, site: int) -> OpenFile | None:
        """The open file of a stream; None of a standard one. Others are a fault."""
        address &= (1 << 64) - 1
        found = self.open.get(address)
        if found is None and address not in self.machine.streams:
            thing = self.machine.memory.objects.get(address >> SHIFT)
            if thing is not None and thing.kind == STREAM:
                raise ProgramFault("use after close", f"uses {thing.name}, which has been closed", site)
            name = "null pointer" if address < _LEAST else "invalid pointer"
            raise ProgramFault(name, f"uses {address:#x} as a stream", site)
        return found

    def hold_open(self, opened: OpenFile, site: int) -> None:
        """Find a fault if a stream has been closed that is being used."""
        if opened.is_closed and opened.stream:
            self.stream(opened.stream, site)

    def number(self, stream: int) -> int:
        """The descriptor of a stream: ``fileno``."""
        if stream in self.machine.streams:
            return self.machine.streams[stream]
        opened = self.open.get(stream)
        if opened is None:
            return failed(self.machine, _EBADF)
        if stream not in self.descriptors:
            self.descriptors[stream] = self.add(opened)
        return self.descriptors[stream]

    def descriptor(self, *, reuses: bool = True) -> int:
        """A number for a descriptor of the running thread; as long as there is one thread, the least that is free."""
        task = self.machine.run.current
        key = ("descriptors", task.index)
        if reuses and self.machine.run.solo:
            numbers = range(3, 3 + self.machine.state.get(key, 0))
            if (free := next((each for each in numbers if each not in self.open), None)) is not None:
                return free
        count = self.machine.state[key] = self.machine.state.get(key, 0) + 1
        births = [int(birth) for birth in task.name.split(".")[1:]]
        own = sum(birth * int(31**place) for place, birth in enumerate(births))
        return 2 + int(count) + _DESCRIPTORS * own


_UNKNOWN: Final = object()


def _content(path: str) -> bytes | list[str] | None:
    """A file of the machine: its bytes; a list for a directory; None: there is none that can be read."""
    try:
        if path == os.devnull:
            return b""
        if os.path.isdir(path):
            return []
        if os.path.isfile(path) and os.path.getsize(path) <= _LARGEST:
            with open(path, "rb") as stream:
                return stream.read()
    except OSError:
        pass
    return None


def number_of(path: str) -> int:
    """The number of a file."""
    return sum(ord(each) * (place + 1) for place, each in enumerate(path)) + 2


def files_of(m: Machine) -> FileSystem:
    """The files of the execution."""
    found = m.state.get("files")
    if found is None:
        found = m.state["files"] = FileSystem(m)
    assert isinstance(found, FileSystem)
    return found


def entry_of(path: str) -> Target:
    """A name in a directory."""
    return (OBJECT, f"the name {path}")


def contents_of(path: str) -> Target:
    """The contents of a file."""
    return (OBJECT, f"the contents of {path}")


def offset_of(opened: OpenFile) -> Access:
    """The change of an open file's state."""
    return Access(Op.RMW, (OBJECT, f"open file {opened.name}"))


def failed(m: Machine, error: int) -> int:
    """The result of a function that fails: -1, and ``errno``."""
    set_errno(m, error)
    return -1
