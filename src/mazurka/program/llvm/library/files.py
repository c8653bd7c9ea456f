"""Files: descriptors, streams, directories and mappings, in memory.

Source: POSIX.1-2017; C17, 7.21. Each execution begins with the files of the machine, as they were when the check first
looked at them, and changes only its own copies; no file of the machine is ever written. Two conventions keep executions
comparable: a descriptor has a number of its thread, not the least free one, and a new file's times are those of the
virtual clock.

A file's contents are one location, a name in a directory is one, and so is the state of an open file. Each operation is
one step.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.threads import EPOCH, set_errno
from mazurka.program.protocol import Access
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ENOENT, _EBADF, _EEXIST, _ENOTDIR, _EISDIR, _EINVAL, _ENOTEMPTY = 2, 9, 17, 20, 21, 22, 39
_WRITING, _CREATE, _EXCLUSIVE, _TRUNCATE, _APPEND = 3, 0o100, 0o200, 0o1000, 0o2000
_LARGEST: Final = 1 << 26
_PAGE: Final = 4096

#: Descriptors of a thread begin at 3 and its number times this.
_DESCRIPTORS: Final = 1000


class FileNode:
    """A file or directory. ``data`` is None for a directory; ``times`` are those of the last access and change, in
    seconds since 1970."""

    __slots__ = ("data", "mode", "number", "times")

    def __init__(self, data: bytearray | None, number: int) -> None:
        self.data = data
        self.number = number
        self.mode = (stat.S_IFREG | 0o644) if data is not None else (stat.S_IFDIR | 0o755)
        self.times = (int(EPOCH), int(EPOCH))


class OpenFile:
    """An open file: its path, offset and flags; as a stream, whether its end or an error has been met."""

    __slots__ = ("at", "ended", "flags", "name", "node", "path", "pushed")

    def __init__(self, path: str, node: FileNode, flags: int, name: str) -> None:
        self.path, self.node, self.flags, self.name = path, node, flags, name
        self.at = 0
        self.ended = False
        self.pushed = b""  # pushed back by ungetc, the next byte first


class FileSystem:
    """The files of one execution."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.nodes: dict[str, FileNode | None] = {}  # None: there is none
        self.open: dict[int, OpenFile] = {}  # by descriptor, and by the address of a stream

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
            self.nodes[path] = (
                FileNode(bytearray(content) if isinstance(content, bytes) else None, _number(path))
                if is_there
                else None
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

    def descriptor(self) -> int:
        """A number for a descriptor of the running thread."""
        task = self.machine.run.current
        key = ("descriptors", task.index)
        count = self.machine.state[key] = self.machine.state.get(key, 0) + 1
        births = [int(birth) for birth in task.name.split(".")[1:]]
        own = sum(birth * int(31**place) for place, birth in enumerate(births))
        return 2 + int(count) + _DESCRIPTORS * own


_UNKNOWN: Final = object()


def _content(path: str) -> bytes | list[str] | None:
    """A file of the machine: its bytes; a list for a directory; None: there is none that can be read."""
    try:
        if os.path.isdir(path):
            return []
        if os.path.isfile(path) and os.path.getsize(path) <= _LARGEST:
            with open(path, "rb") as stream:
                return stream.read()
    except OSError:
        pass
    return None


def _number(path: str) -> int:
    return sum(ord(each) * (place + 1) for place, each in enumerate(path)) + 2


def files_of(m: Machine) -> FileSystem:
    """The files of the execution."""
    found = m.state.get("files")
    if found is None:
        found = m.state["files"] = FileSystem(m)
    assert isinstance(found, FileSystem)
    return found


def _entry(path: str) -> Target:
    return (OBJECT, f"the name {path}")


def _contents(path: str) -> Target:
    return (OBJECT, f"the contents of {path}")


def _offset(opened: OpenFile) -> Access:
    return Access(Op.RMW, (OBJECT, f"open file {opened.name}"))


def _failed(m: Machine, error: int) -> int:
    set_errno(m, error)
    return -1


# -- opening and closing ----------------------------------------------------------------------------------------------


def _opened(m: Machine, site: int, path: str, flags: int) -> OpenFile | int:
    """The open file, or an error's number."""
    files = files_of(m)
    changes = flags & (_CREATE | _TRUNCATE)
    more = (Access(Op.RMW if flags & _TRUNCATE else Op.READ, _contents(path)),)
    files.step(site, Op.RMW if changes else Op.READ, _entry(path), *more)
    node = files.find(path)
    if node is not None and flags & _CREATE and flags & _EXCLUSIVE:
        return _EEXIST
    if node is None:
        if not flags & _CREATE:
            return _ENOENT
        folder = files.find(os.path.dirname(path))
        if folder is None or folder.data is not None:
            return _ENOENT
        node = files.nodes[path] = FileNode(bytearray(), _number(path))
    if node.data is None and flags & _WRITING:
        return _EISDIR
    if flags & _TRUNCATE and node.data is not None:
        node.data.clear()
    task = m.run.current
    count = m.state["opened", task.index] = m.state.get(("opened", task.index), 0) + 1
    return OpenFile(path, node, flags, f"{task.name}#{count}")


def _open(m: Machine, site: int, name: int, flags: int, *_mode: int) -> int:
    files = files_of(m)
    opened = _opened(m, site, files.path(name, site), flags)
    if isinstance(opened, int):
        return _failed(m, opened)
    number = files.descriptor()
    files.open[number] = opened
    return number


def _close(m: Machine, site: int, number: int) -> int:
    files = files_of(m)
    opened = files.open.get(number)
    if opened is None:
        return _failed(m, _EBADF) if number > 2 else 0
    files.step(site, *_offset(opened)[:2])
    if files.open.pop(number, None) is None:
        return _failed(m, _EBADF)
    return 0


def _fopen(m: Machine, site: int, name: int, mode: int) -> int:
    files = files_of(m)
    how = m.memory.text(mode, site)
    flags = {b"r": 0, b"w": 1 | _CREATE | _TRUNCATE, b"a": 1 | _CREATE | _APPEND}.get(how[:1], 0)
    if b"+" in how:
        flags = flags & ~_WRITING | 2
    if b"x" in how:
        flags |= _EXCLUSIVE
    opened = _opened(m, site, files.path(name, site), flags)
    if isinstance(opened, int):
        set_errno(m, opened)
        return 0
    address = m.memory.allocate(8, "heap", "stream", bytes(8)).address
    files.open[address] = opened
    return address


# -- reading and writing ----------------------------------------------------------------------------------------------


def _given(m: Machine, number: int) -> OpenFile | None:
    return files_of(m).open.get(number & (1 << 64) - 1)


def _taken(m: Machine, site: int, opened: OpenFile, size: int, at: int | None = None) -> bytes:
    """Bytes read from an open file, from its offset on, which moves, or from a given one."""
    moves = () if at is not None else (_offset(opened),)
    files_of(m).step(site, Op.READ, _contents(opened.path), *moves)
    start = opened.at if at is None else at
    pushed = opened.pushed[:size] if at is None else b""
    found = bytes((opened.node.data or b"")[start : start + size - len(pushed)])
    if at is None:
        opened.at += len(found)
        opened.pushed = opened.pushed[size:]
    return pushed + found


def _ungetc(m: Machine, site: int, value: int, stream: int) -> int:
    opened = _given(m, stream)
    if opened is None or value >> 31:
        return -1
    files_of(m).step(site, *_offset(opened)[:2])
    opened.pushed = bytes([value & 255]) + opened.pushed
    opened.ended = False
    return value & 255


def put(m: Machine, site: int, opened: OpenFile, content: bytes, at: int | None = None) -> int:
    """Write bytes to an open file; returns their number."""
    moves = () if at is not None else (_offset(opened),)
    files_of(m).step(site, Op.RMW, _contents(opened.path), *moves)
    data = opened.node.data
    if data is None:
        return _failed(m, _EBADF)
    start = len(data) if opened.flags & _APPEND else opened.at if at is None else at
    if len(data) < start:
        data.extend(bytes(start - len(data)))
    data[start : start + len(content)] = content
    if at is None:
        opened.at = start + len(content)
    return len(content)


def _read(m: Machine, site: int, number: int, to: int, size: int, *at: int) -> int:
    opened = _given(m, number)
    if opened is None:
        return _failed(m, _EBADF) if number else 0
    if opened.node.data is None:
        return _failed(m, _EISDIR)
    found = _taken(m, site, opened, size, *at)
    m.memory.write(to, found, site)
    return len(found)


def _write(m: Machine, site: int, number: int, source: int, size: int, *at: int) -> int:
    content = m.memory.read(source, size, site)
    if number in (1, 2):
        m.run.current.silent += 1
        m.output.append(content)
        return size
    opened = _given(m, number)
    if opened is None or not opened.flags & _WRITING:
        return _failed(m, _EBADF)
    return put(m, site, opened, content, *at)


def _seek(m: Machine, site: int, number: int, offset: int, whence: int) -> int:
    opened = _given(m, number)
    if opened is None:
        return _failed(m, _EBADF)
    offset = offset - (1 << 64) if offset >> 63 else offset
    files_of(m).step(site, *_offset(opened)[:2], Access(Op.READ, _contents(opened.path)))
    base = {0: 0, 1: opened.at, 2: len(opened.node.data or b"")}.get(whence)
    if base is None or base + offset < 0:
        return _failed(m, _EINVAL)
    if whence == 1:
        offset -= len(opened.pushed)
    opened.at, opened.ended, opened.pushed = base + offset, False, b""
    return opened.at


def _fseek(m: Machine, site: int, stream: int, offset: int, whence: int) -> int:
    return -1 if _seek(m, site, stream, offset, whence) < 0 else 0


def _fread(m: Machine, site: int, to: int, size: int, count: int, stream: int) -> int:
    opened = _given(m, stream)
    if opened is None or not size:
        return 0
    found = _taken(m, site, opened, size * count)
    m.memory.write(to, found, site)
    opened.ended = len(found) < size * count
    return len(found) // size


def _line(m: Machine, site: int, opened: OpenFile, most: int) -> bytes:
    """A line, with its end, or at most so many bytes of it."""
    before, pushed = opened.at, opened.pushed
    found = _taken(m, site, opened, most)
    line, end, _ = found.partition(b"\n")
    used = len(line) + len(end)
    opened.at, opened.pushed = before + max(0, used - len(pushed)), pushed[used:]
    opened.ended = not end and len(found) < most
    return line + end


def _fgets(m: Machine, site: int, to: int, size: int, stream: int) -> int:
    opened = _given(m, stream)
    line = _line(m, site, opened, size - 1) if opened is not None else b""
    if not line:
        return 0
    m.memory.write(to, line + b"\0", site)
    return to


def _fgetc(m: Machine, site: int, stream: int) -> int:
    opened = _given(m, stream)
    found = _taken(m, site, opened, 1) if opened is not None else b""
    if opened is not None:
        opened.ended = not found
    return found[0] if found else -1


def _feof(m: Machine, site: int, stream: int) -> int:
    opened = _given(m, stream)
    return int(opened is None or opened.ended)


# -- names and attributes ---------------------------------------------------------------------------------------------


def _stat(m: Machine, site: int, name: int, to: int) -> int:
    files = files_of(m)
    return _attributes(m, site, files.path(name, site), to)


def _fstat(m: Machine, site: int, number: int, to: int) -> int:
    opened = _given(m, number)
    return _failed(m, _EBADF) if opened is None else _attributes(m, site, opened.path, to, opened.node)


def _attributes(m: Machine, site: int, path: str, to: int, node: FileNode | None = None) -> int:
    """Fill in a ``struct stat``, as x86-64 has it."""
    files = files_of(m)
    files.step(site, Op.READ, _contents(path), Access(Op.READ, _entry(path)))
    node = node or files.find(path)
    if node is None:
        return _failed(m, _ENOENT)
    content = bytearray(144)
    size = len(node.data) if node.data is not None else 4096
    accessed, changed = node.times
    for at, width, value in (
        (0, 8, 1), (8, 8, node.number), (16, 8, 1), (24, 4, node.mode), (48, 8, size), (56, 8, 4096),
        (64, 8, (size + 511) // 512), (72, 8, accessed), (88, 8, changed), (104, 8, int(EPOCH)),
    ):  # fmt: skip
        content[at : at + width] = value.to_bytes(width, "little")
    m.memory.write(to, bytes(content), site)
    return 0


def _node_to_change(m: Machine, site: int, name: int) -> FileNode | None:
    """The file of a name, whose attributes are changed by a step."""
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, _contents(path), Access(Op.READ, _entry(path)))
    return files.find(path)


def _chmod(m: Machine, site: int, name: int, mode: int) -> int:
    node = _node_to_change(m, site, name)
    if node is None:
        return _failed(m, _ENOENT)
    node.mode = stat.S_IFMT(node.mode) | mode & 0o7777
    return 0


def _chown(m: Machine, site: int, name: int, _owner: int, _group: int) -> int:
    return 0 if _node_to_change(m, site, name) is not None else _failed(m, _ENOENT)


def _utime(m: Machine, site: int, name: int, times: int) -> int:
    now = int(EPOCH + m.run.now())
    wanted = m.memory.read(times, 16, site) if times else b""
    node = _node_to_change(m, site, name)
    if node is None:
        return _failed(m, _ENOENT)
    node.times = (int.from_bytes(wanted[:8], "little"), int.from_bytes(wanted[8:], "little")) if wanted else (now, now)
    return 0


def _access(m: Machine, site: int, name: int, _mode: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.READ, _entry(path))
    return 0 if files.find(path) is not None else _failed(m, _ENOENT)


def _unlink(m: Machine, site: int, name: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, _entry(path))
    node = files.find(path)
    if node is None or node.data is None:
        return _failed(m, _ENOENT if node is None else _EISDIR)
    files.nodes[path] = None
    return 0


def _rmdir(m: Machine, site: int, name: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, _entry(path))
    node = files.find(path)
    if node is None or node.data is not None:
        return _failed(m, _ENOENT if node is None else _ENOTDIR)
    inside = files.names(path)
    files.step(site, Op.READ, _entry(path), *[Access(Op.READ, _entry(os.path.join(path, each))) for each in inside])
    if inside:
        return _failed(m, _ENOTEMPTY)
    files.nodes[path] = None
    return 0


def _mkdir(m: Machine, site: int, name: int, _mode: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, _entry(path))
    if files.find(path) is not None:
        return _failed(m, _EEXIST)
    files.nodes[path] = FileNode(None, _number(path))
    return 0


def _rename(m: Machine, site: int, old: int, new: int) -> int:
    files = files_of(m)
    source, to = files.path(old, site), files.path(new, site)
    files.step(site, Op.RMW, _entry(source), Access(Op.RMW, _entry(to)))
    node = files.find(source)
    if node is None:
        return _failed(m, _ENOENT)
    if node.data is None:
        m.run.stop(f"the run was cut: it renames a directory ({m.location(site)})")
    files.nodes[source], files.nodes[to] = None, node
    return 0


def _ftw(m: Machine, site: int, name: int, function: int, _depth: int) -> int:
    """Walk a tree of directories; a file is 0 to the function, a directory 1."""
    files = files_of(m)
    task = m.run.current
    waiting = [(files.path(name, site), m.memory.text(name, site))]
    while waiting:
        path, text = waiting.pop()
        node = files.find(path)
        if node is None:
            return _failed(m, _ENOENT)
        place = m.memory.allocate(len(text) + 1, "heap", "path", text + b"\0").address
        attributes = m.memory.allocate(144, "heap", "attributes").address
        _attributes(m, site, path, attributes, node)
        if result := m.call(function, site, place, attributes, int(node.data is None)):
            return int(result)
        if node.data is None:
            inside = files.names(path)
            waiting += [(os.path.join(path, each), text + b"/" + os.fsencode(each)) for each in reversed(inside)]
        task.silent += 1
    return 0


# -- mappings ---------------------------------------------------------------------------------------------------------


def _mmap(m: Machine, site: int, _wanted: int, size: int, protection: int, flags: int, number: int, at: int) -> int:
    """``mmap`` of anonymous memory, or of a file that is only read or is private. Whole pages are mapped: zeros follow
    the end of a file."""
    failed = (1 << 64) - 1
    if not size:
        set_errno(m, _EINVAL)
        return failed
    whole = -(-size // _PAGE) * _PAGE
    if flags & 0x20:
        return m.memory.allocate(whole, "heap", "mapping", bytes(whole)).address
    opened = _given(m, number)
    if opened is None or opened.node.data is None:
        set_errno(m, _EBADF)
        return failed
    if flags & 1 and protection & 2:
        m.run.stop(f"the run was cut: it maps a file to be written ({m.location(site)})")
    content = _taken(m, site, opened, size, at)
    return m.memory.allocate(whole, "heap", "mapping", content.ljust(whole, b"\0")).address


def _munmap(m: Machine, site: int, address: int, _size: int) -> int:
    thing, at = m.memory.find(address, 0, site, "unmaps")
    if at:
        m.run.stop(f"the run was cut: it unmaps a part of a mapping ({m.location(site)})")
    m.memory.end(thing, site)
    return 0


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **dict.fromkeys(("open", "open64"), _open),
    "creat": lambda m, site, name, mode: _open(m, site, name, 1 | _CREATE | _TRUNCATE, mode),
    "close": _close,
    "read": _read,
    "write": _write,
    **dict.fromkeys(("pread", "pread64"), _read),
    **dict.fromkeys(("pwrite", "pwrite64"), _write),
    **dict.fromkeys(("lseek", "lseek64"), _seek),
    **dict.fromkeys(("fopen", "fopen64"), _fopen),
    "fclose": _close,
    "fread": _fread,
    "fgets": _fgets,
    **dict.fromkeys(("fgetc", "getc"), _fgetc),
    "feof": _feof,
    "ungetc": _ungetc,
    "ferror": lambda m, site, stream: 0,
    "fileno": lambda m, site, stream: stream,
    **dict.fromkeys(("fseek", "fseeko"), _fseek),
    **dict.fromkeys(("ftell", "ftello"), lambda m, site, stream: _seek(m, site, stream, 0, 1)),
    "rewind": lambda m, site, stream: _fseek(m, site, stream, 0, 0),
    **dict.fromkeys(("stat", "stat64", "lstat", "lstat64"), _stat),
    **dict.fromkeys(("fstat", "fstat64"), _fstat),
    "access": _access,
    "chmod": _chmod,
    **dict.fromkeys(("chown", "lchown"), _chown),
    "utime": _utime,
    **dict.fromkeys(("unlink", "remove"), _unlink),
    "rmdir": _rmdir,
    "mkdir": _mkdir,
    "rename": _rename,
    **dict.fromkeys(("ftw", "ftw64"), _ftw),
    **dict.fromkeys(("mmap", "mmap64"), _mmap),
    "munmap": _munmap,
}
