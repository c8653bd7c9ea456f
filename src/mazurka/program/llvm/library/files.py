"""Files: descriptors, streams, directories and mappings, in memory.

Source: POSIX.1-2017; C17, 7.21. Each execution begins with the files of the machine, as they were when the check first
looked at them, and changes only its own copies; no file of the machine is ever written. Two conventions keep
executions comparable: beside other threads a descriptor has a number of its thread, not the least free one, and a new
file's times are those of the virtual clock.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from mazurka.program.llvm.library.channels import end, receive, send
from mazurka.program.llvm.library.memory import FUNCTIONS as ALLOCATION
from mazurka.program.llvm.library.open_files import (
    STREAM,
    FileNode,
    OpenFile,
    contents_of,
    entry_of,
    failed,
    files_of,
    number_of,
    offset_of,
)
from mazurka.program.llvm.library.thread_storage import set_errno
from mazurka.program.llvm.library.threads import EPOCH
from mazurka.program.llvm.library.variables import STREAM_SIZE
from mazurka.program.llvm.unknown_bytes import SymbolicBytes, byte_of
from mazurka.program.protocol import Access
from mazurka.trace.event import Op

if TYPE_CHECKING:
    from mazurka.program.llvm.machine import Machine

_ENOENT, _EBADF, _EEXIST, _ENOTDIR, _EISDIR, _EINVAL, _ESPIPE, _ENOTEMPTY = 2, 9, 17, 20, 21, 22, 29, 39
_WRITING, _CREATE, _EXCLUSIVE, _TRUNCATE, _APPEND = 3, 0o100, 0o200, 0o1000, 0o2000
_PAGE: Final = 4096
_LONGEST: Final = 1 << 28


# -- opening and closing ----------------------------------------------------------------------------------------------


def _opened(m: Machine, site: int, path: str, flags: int) -> OpenFile | int:
    """The open file, or an error's number."""
    files = files_of(m)
    changes = flags & (_CREATE | _TRUNCATE)
    more = (Access(Op.RMW if flags & _TRUNCATE else Op.READ, contents_of(path)),)
    files.step(site, Op.RMW if changes else Op.READ, entry_of(path), *more)
    node = files.find(path)
    if node is not None and flags & _CREATE and flags & _EXCLUSIVE:
        return _EEXIST
    if node is None:
        if not flags & _CREATE:
            return _ENOENT
        folder = files.find(os.path.dirname(path))
        if folder is None or folder.content is not None:
            return _ENOENT
        node = files.nodes[path] = FileNode(b"", number_of(path))
    if node.content is None and flags & _WRITING:
        return _EISDIR
    if flags & _TRUNCATE and node.content is not None:
        node.content.resize(0)
    task = m.run.current
    count = m.state["opened", task.index] = m.state.get(("opened", task.index), 0) + 1
    return OpenFile(path, node, flags, f"{task.name}#{count}")


def _open(m: Machine, site: int, name: int, flags: int, *_mode: int) -> int:
    files = files_of(m)
    opened = _opened(m, site, files.path(name, site), flags)
    if isinstance(opened, int):
        return failed(m, opened)
    return files.add(opened)


def _mkstemp(m: Machine, site: int, template: int, flags: int = 0) -> int:
    """The names that are made tell threads apart, so that no order changes them."""
    text = m.memory.text(template, site)
    if not text.endswith(b"XXXXXX"):
        return failed(m, _EINVAL)
    task = m.run.current
    while True:
        count = m.state["temporary", task.index] = m.state.get(("temporary", task.index), 0) + 1
        m.memory.write(template + len(text) - 6, f"{task.index % 1000:03}{count % 1000:03}".encode(), site)
        number = _open(m, site, template, flags & ~_WRITING | 2 | _CREATE | _EXCLUSIVE)
        if number >= 0:
            return number


def _close(m: Machine, site: int, number: int) -> int:
    """``close``: the open file ends with its last descriptor or stream."""
    files = files_of(m)
    opened = files.open.get(number)
    if opened is None:
        return failed(m, files.missing(number)) if number > 2 else 0
    files.step(site, *offset_of(opened)[:2])
    if files.open.pop(number, None) is None:
        return failed(m, files.missing(number))
    has_ended(m, site, opened)
    return 0


def _fclose(m: Machine, site: int, stream: int) -> int:
    files = files_of(m)
    opened = files.stream(stream, site)
    if opened is None:
        return 0
    files.step(site, *offset_of(opened)[:2])
    files.hold_open(opened, site)
    del files.open[stream]
    opened.is_closed = True
    descriptor = files.descriptors.pop(stream, None)
    if descriptor is not None:
        files.open.pop(descriptor, None)
    has_ended(m, site, opened)
    return 0


def has_ended(m: Machine, site: int, opened: OpenFile) -> None:
    """A descriptor or stream of an open file has ended."""
    if opened.connection is not None and opened not in files_of(m).open.values():
        end(m, site, opened.connection)


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
    return stream_of(m, opened)


def stream_of(m: Machine, opened: OpenFile) -> int:
    """A stream for an open file."""
    address = opened.stream = m.memory.allocate(STREAM_SIZE, STREAM, STREAM, bytes(STREAM_SIZE)).address
    files_of(m).open[address] = opened
    return address


# -- reading and writing ----------------------------------------------------------------------------------------------


def _given(m: Machine, number: int) -> OpenFile | None:
    return files_of(m).open.get(number & (1 << 64) - 1)


def _taken(m: Machine, site: int, opened: OpenFile, size: int, at: int | None = None) -> SymbolicBytes:
    """Bytes read from an open file, from its offset on, which moves, or from a given one. Of a pipe or socket, read as
    a stream, so many bytes unless it ends before."""
    if opened.connection is not None:
        return _all_received(m, site, opened, size)
    moves = () if at is not None else (offset_of(opened),)
    files_of(m).step(site, Op.READ, contents_of(opened.path), *moves)
    files_of(m).hold_open(opened, site)
    start = opened.at if at is None else at
    pushed = opened.pushed[:size] if at is None else SymbolicBytes()
    content = opened.node.content
    found = content.part(start, size - len(pushed)) if content is not None else SymbolicBytes()
    if at is None:
        opened.at += len(found)
        opened.pushed = opened.pushed[size:]
    return pushed + found


def _all_received(m: Machine, site: int, opened: OpenFile, size: int) -> SymbolicBytes:
    found, opened.pushed = opened.pushed[:size], opened.pushed[size:]
    while len(found) < size:
        part = receive(m, site, opened, size - len(found))
        if isinstance(part, int):
            set_errno(m, part)
        if not part or isinstance(part, int):
            break
        found += part
    return found


def _ungetc(m: Machine, site: int, value: Any, stream: int) -> Any:
    opened = files_of(m).stream(stream, site)
    if opened is None or value >> 31:
        return -1
    files_of(m).step(site, *offset_of(opened)[:2])
    opened.pushed = byte_of(value) + opened.pushed
    opened.ended = False
    return value & 255


def put(m: Machine, site: int, opened: OpenFile, content: SymbolicBytes, at: int | None = None) -> int:
    """Write bytes to an open file; returns their number."""
    if opened.connection is not None:
        sent = send(m, site, opened, content)
        return failed(m, -sent) if sent < 0 else sent
    if opened.is_standard:
        m.run.current.silent += 1
        m.output.append(content.data)
        return len(content)
    moves = () if at is not None else (offset_of(opened),)
    files_of(m).step(site, Op.RMW, contents_of(opened.path), *moves)
    files_of(m).hold_open(opened, site)
    stored = opened.node.content
    if stored is None:
        return failed(m, _EBADF)
    start = len(stored.data) if opened.flags & _APPEND else opened.at if at is None else at
    stored.resize(max(start, len(stored.data)))
    stored.put(start, content)
    if at is None:
        opened.at = start + len(content)
    return len(content)


def _read(m: Machine, site: int, number: int, to: int, size: int, *at: int) -> int:
    found = read(m, site, number, size, *at)
    if isinstance(found, int):
        return failed(m, found)
    m.memory.write(to, found, site)
    return len(found)


def read(m: Machine, site: int, number: int, size: int, *at: int) -> SymbolicBytes | int:
    """The bytes that are read from a descriptor; or the number of an error."""
    opened = _given(m, number)
    if opened is None:
        return files_of(m).missing(number) if number else SymbolicBytes()
    if opened.connection is not None:
        if at:
            return _ESPIPE
        opened = files_of(m).use(site, number)
        return _EBADF if opened is None else receive(m, site, opened, size)
    return _EISDIR if opened.node.content is None else _taken(m, site, opened, size, *at)


def _write(m: Machine, site: int, number: int, source: int, size: int, *at: int) -> int:
    return written(m, site, number, m.memory.take(source, size, site), *at)


def written(m: Machine, site: int, number: int, content: SymbolicBytes, *at: int) -> int:
    """Write bytes to a descriptor; returns their number, or -1 and sets ``errno``."""
    opened = _given(m, number)
    if opened is None and number in (1, 2):
        m.run.current.silent += 1
        m.output.append(content.data)
        return len(content)
    if opened is not None and opened.connection is not None:
        if at:
            return failed(m, _ESPIPE)
        opened = files_of(m).use(site, number)
        return -1 if opened is None else put(m, site, opened, content)
    if opened is None:
        return failed(m, files_of(m).missing(number))
    if not opened.flags & _WRITING:
        return failed(m, _EBADF)
    return put(m, site, opened, content, *at)


def _seek(m: Machine, site: int, number: int, offset: int, whence: int) -> int:
    opened = _given(m, number)
    if opened is None:
        return failed(m, files_of(m).missing(number))
    if opened.connection is not None or opened.is_standard:
        return failed(m, _ESPIPE)
    offset = offset - (1 << 64) if offset >> 63 else offset
    files_of(m).step(site, *offset_of(opened)[:2], Access(Op.READ, contents_of(opened.path)))
    base = {0: 0, 1: opened.at, 2: len(opened.node.content.data) if opened.node.content is not None else 0}.get(whence)
    if base is None or base + offset < 0:
        return failed(m, _EINVAL)
    if whence == 1:
        offset -= len(opened.pushed)
    opened.at, opened.ended, opened.pushed = base + offset, False, SymbolicBytes()
    return opened.at


def _ftruncate(m: Machine, site: int, number: int, size: int) -> int:
    opened = _given(m, number)
    if opened is None or opened.connection is not None or not opened.flags & _WRITING or size >> 63:
        return failed(m, _EBADF if opened is None else _EINVAL)
    files_of(m).step(site, Op.RMW, contents_of(opened.path))
    if opened.node.content is not None:
        opened.node.content.resize(size)
    return 0


def _fseek(m: Machine, site: int, stream: int, offset: int, whence: int) -> int:
    return -1 if _seek(m, site, stream, offset, whence) < 0 else 0


def _fread(m: Machine, site: int, to: int, size: int, count: int, stream: int) -> int:
    opened = files_of(m).stream(stream, site)
    if opened is None or not size:
        return 0
    found = _taken(m, site, opened, size * count)
    m.memory.write(to, found, site)
    opened.ended = len(found) < size * count
    return len(found) // size


def _line(m: Machine, site: int, opened: OpenFile, most: int, end: int = 10) -> SymbolicBytes:
    """A line, with its end, or at most so many bytes of it."""
    if opened.connection is not None:
        return _line_received(m, site, opened, most, end)
    before, pushed = opened.at, opened.pushed
    found = _taken(m, site, opened, most)
    at = found.find(end)
    used = at + 1 or len(found)
    opened.at, opened.pushed = before + max(0, used - len(pushed)), pushed[used:]
    opened.ended = at < 0 and len(found) < most
    return found[:used]


def _line_received(m: Machine, site: int, opened: OpenFile, most: int, end: int) -> SymbolicBytes:
    """A line of a pipe or socket. Bytes that have come beyond it stay with the stream, as in C's buffers."""
    found, is_whole = SymbolicBytes(), False
    while len(found) < most and not is_whole:
        if not opened.pushed:
            part = receive(m, site, opened, _PAGE)
            opened.pushed = SymbolicBytes() if isinstance(part, int) else part
        if not opened.pushed:
            break
        given = opened.pushed[: most - len(found)]
        used = given.find(end) + 1
        is_whole, used = used > 0, used or len(given)
        found, opened.pushed = found + given[:used], opened.pushed[used:]
    opened.ended = len(found) < most and not is_whole
    return found


def _fgets(m: Machine, site: int, to: int, size: int, stream: int) -> int:
    opened = files_of(m).stream(stream, site)
    line = _line(m, site, opened, size - 1) if opened is not None else None
    if not line:
        return 0
    m.memory.write(to, line + b"\0", site)
    return to


def _getdelim(m: Machine, site: int, place: int, size: int, end: int, stream: int) -> int:
    """The line is in memory that ``malloc`` has returned, which grows as it must."""
    opened = files_of(m).stream(stream, site)
    line = _line(m, site, opened, _LONGEST, end & 255) if opened is not None else None
    buffer, has = m.memory.load(place, 8, site), m.memory.load(size, 8, site)
    if not line:
        return -1
    if not buffer or has <= len(line):
        has = max(120, len(line) + 1)
        buffer = ALLOCATION["realloc"](m, site, buffer, has)
        m.memory.store(place, 8, buffer, site)
        m.memory.store(size, 8, has, site)
    m.memory.write(buffer, line + b"\0", site)
    return len(line)


def ahead(m: Machine, site: int, stream: int) -> tuple[OpenFile, bytes] | None:
    """A file that is open as a stream, and the bytes from its offset to its end; None for the standard input."""
    opened = files_of(m).stream(stream, site)
    if opened is None:
        return None
    if opened.connection is not None:
        m.run.stop(f"the run was cut: scanf from a pipe or socket is not modelled ({m.location(site)})")
    before, pushed = opened.at, opened.pushed
    found = _taken(m, site, opened, _LONGEST)
    opened.at, opened.pushed = before, pushed
    return opened, found.definite()


def skip(opened: OpenFile, count: int) -> None:
    """Go on after so many bytes that have been looked at."""
    from_pushed = min(count, len(opened.pushed))
    opened.pushed = opened.pushed[from_pushed:]
    opened.at += count - from_pushed


def _fgetc(m: Machine, site: int, stream: int) -> Any:
    opened = files_of(m).stream(stream, site)
    if opened is None:
        return -1
    found = _taken(m, site, opened, 1)
    opened.ended = not found
    return found.numbers()[0] if found else -1


def _feof(m: Machine, site: int, stream: int) -> int:
    opened = files_of(m).stream(stream, site)
    return int(opened is None or opened.ended)


def _clear_error(m: Machine, site: int, stream: int) -> None:
    opened = files_of(m).stream(stream, site)
    if opened is not None:
        files_of(m).step(site, *offset_of(opened)[:2])
        opened.ended = False


# -- names and attributes ---------------------------------------------------------------------------------------------


def _stat(m: Machine, site: int, name: int, to: int) -> int:
    files = files_of(m)
    return _attributes(m, site, files.path(name, site), to)


def _fstat(m: Machine, site: int, number: int, to: int) -> int:
    opened = _given(m, number)
    if opened is not None and opened.connection is not None:
        m.run.stop(f"the run was cut: fstat() of a pipe or socket is not modelled ({m.location(site)})")
    return failed(m, _EBADF) if opened is None else _attributes(m, site, opened.path, to, opened.node)


def _of_version(function: Callable[..., int]) -> Callable[..., int]:
    """The function that glibc had behind ``stat`` until 2.33, called with the version of the structure."""
    return lambda m, site, _version, of, to: function(m, site, of, to)


def _attributes(m: Machine, site: int, path: str, to: int, node: FileNode | None = None) -> int:
    """Fill in a ``struct stat``, as x86-64 has it."""
    files = files_of(m)
    files.step(site, Op.READ, contents_of(path), Access(Op.READ, entry_of(path)))
    node = node or files.find(path)
    if node is None:
        return failed(m, _ENOENT)
    content = bytearray(144)
    size = len(node.content.data) if node.content is not None else 4096
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
    files.step(site, Op.RMW, contents_of(path), Access(Op.READ, entry_of(path)))
    return files.find(path)


def _chmod(m: Machine, site: int, name: int, mode: int) -> int:
    node = _node_to_change(m, site, name)
    if node is None:
        return failed(m, _ENOENT)
    node.mode = stat.S_IFMT(node.mode) | mode & 0o7777
    return 0


def _chown(m: Machine, site: int, name: int, _owner: int, _group: int) -> int:
    return 0 if _node_to_change(m, site, name) is not None else failed(m, _ENOENT)


def _utime(m: Machine, site: int, name: int, times: int) -> int:
    now = int(EPOCH + m.run.now())
    wanted = m.memory.read(times, 16, site) if times else b""
    node = _node_to_change(m, site, name)
    if node is None:
        return failed(m, _ENOENT)
    node.times = (int.from_bytes(wanted[:8], "little"), int.from_bytes(wanted[8:], "little")) if wanted else (now, now)
    return 0


def _access(m: Machine, site: int, name: int, _mode: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.READ, entry_of(path))
    return 0 if files.find(path) is not None else failed(m, _ENOENT)


def _unlink(m: Machine, site: int, name: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, entry_of(path))
    node = files.find(path)
    if node is None or node.content is None:
        return failed(m, _ENOENT if node is None else _EISDIR)
    files.nodes[path] = None
    return 0


def _rmdir(m: Machine, site: int, name: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, entry_of(path))
    node = files.find(path)
    if node is None or node.content is not None:
        return failed(m, _ENOENT if node is None else _ENOTDIR)
    inside = files.names(path)
    files.step(site, Op.READ, entry_of(path), *[Access(Op.READ, entry_of(os.path.join(path, each))) for each in inside])
    if inside:
        return failed(m, _ENOTEMPTY)
    files.nodes[path] = None
    return 0


def _mkdir(m: Machine, site: int, name: int, _mode: int) -> int:
    files = files_of(m)
    path = files.path(name, site)
    files.step(site, Op.RMW, entry_of(path))
    if files.find(path) is not None:
        return failed(m, _EEXIST)
    files.nodes[path] = FileNode(None, number_of(path))
    return 0


def _rename(m: Machine, site: int, old: int, new: int) -> int:
    files = files_of(m)
    source, to = files.path(old, site), files.path(new, site)
    files.step(site, Op.RMW, entry_of(source), Access(Op.RMW, entry_of(to)))
    node = files.find(source)
    if node is None:
        return failed(m, _ENOENT)
    if node.content is None:
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
            return failed(m, _ENOENT)
        place = m.memory.allocate(len(text) + 1, "heap", "path", text + b"\0").address
        attributes = m.memory.allocate(144, "heap", "attributes").address
        _attributes(m, site, path, attributes, node)
        if result := m.call_for("i32", function, site, place, attributes, int(node.content is None)):
            return int(result)
        if node.content is None:
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
    if opened is None or opened.connection is not None or opened.node.content is None:
        set_errno(m, _EBADF)
        return failed
    if flags & 1 and protection & 2:
        m.run.stop(f"the run was cut: it maps a file to be written ({m.location(site)})")
    content = _taken(m, site, opened, size, at)
    return m.memory.allocate(whole, "heap", "mapping", content + bytes(whole - len(content))).address


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
    "fclose": _fclose,
    **dict.fromkeys(("fread", "fread_unlocked"), _fread),
    **dict.fromkeys(("fgets", "fgets_unlocked"), _fgets),
    **dict.fromkeys(("getdelim", "__getdelim"), _getdelim),
    "getline": lambda m, site, place, size, stream: _getdelim(m, site, place, size, 10, stream),
    **dict.fromkeys(("fgetc", "getc", "getc_unlocked", "fgetc_unlocked", "__uflow"), _fgetc),
    **dict.fromkeys(("feof", "feof_unlocked"), _feof),
    **dict.fromkeys(("clearerr", "clearerr_unlocked"), _clear_error),
    "ungetc": _ungetc,
    **dict.fromkeys(("ferror", "ferror_unlocked"), lambda m, site, stream: 0),
    **dict.fromkeys(("fileno", "fileno_unlocked"), lambda m, site, stream: files_of(m).number(stream)),
    **dict.fromkeys(("fseek", "fseeko"), _fseek),
    **dict.fromkeys(("ftell", "ftello"), lambda m, site, stream: _seek(m, site, stream, 0, 1)),
    "rewind": lambda m, site, stream: _fseek(m, site, stream, 0, 0),
    **dict.fromkeys(("stat", "stat64", "lstat", "lstat64"), _stat),
    **dict.fromkeys(("fstat", "fstat64"), _fstat),
    **dict.fromkeys(("__xstat", "__xstat64", "__lxstat", "__lxstat64"), _of_version(_stat)),
    **dict.fromkeys(("__fxstat", "__fxstat64"), _of_version(_fstat)),
    "access": _access,
    "chmod": _chmod,
    **dict.fromkeys(("eaccess", "euidaccess"), _access),
    **dict.fromkeys(("chown", "lchown"), _chown),
    **dict.fromkeys(("fsync", "fdatasync"), lambda m, site, number: 0),
    **dict.fromkeys(("posix_fadvise", "posix_fadvise64"), lambda m, site, number, at, size, advice: 0),
    **dict.fromkeys(("ftruncate", "ftruncate64"), _ftruncate),
    "mkstemp": _mkstemp,
    "mkostemp": _mkstemp,
    "umask": lambda m, site, mask: 0o22,
    "utime": _utime,
    **dict.fromkeys(("unlink", "remove"), _unlink),
    "rmdir": _rmdir,
    "mkdir": _mkdir,
    "rename": _rename,
    **dict.fromkeys(("ftw", "ftw64"), _ftw),
    **dict.fromkeys(("mmap", "mmap64"), _mmap),
    "munmap": _munmap,
}
