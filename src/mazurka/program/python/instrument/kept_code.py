"""Instrumented code that is kept between processes, one file per module, and loaded only if this user kept it.

There is no form of code that is safe to load, so a file is loaded only if it bears a digest (BLAKE2b, keyed: RFC 7693,
2.9) made with a key of the user: 32 random bytes in the user's state folder, in a file that no other user may read. A
`.mazurka` folder that came with a repository, or a file that other users could write, is never loaded: its modules are
compiled again, like those of a damaged file, and the file is replaced. The digest also covers the file's name, which
identifies source and place, and the maker of the code: the interpreter, and the text of the rewriter.

The code that checks of a project need is kept with the project, that of the standard library, which is the same for all
projects, and of recordings, which have no place in a project, in a folder of the user, with one folder for each version
of the maker. Folders in which nothing was kept for a month are deleted when a new one is made.

Without a writable state folder no code is kept: that only costs time.

Cost: a look-up reads one small file; the key, and the text of the rewriter (3 ms), are read once.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import marshal
import os
import stat
import sys
import types
from _operator import _compare_digest  # `hmac` has the same function, but a program may track that module
from time import time  # by name: the module's attributes are the program's virtual clock during a run
from typing import Final

from mazurka.program.python.instrument import sites, woven_names
from mazurka.program.python.instrument.own import contextlib
from mazurka.program.state_folder import cache_folder, state_folder

#: The file with the key, in the state folder.
KEY: Final = "key"

_LENGTH: Final = 32

_MONTH: Final = 30 * 24 * 3600.0

#: The folders of this package whose modules decide, directly or by their tables, how code is rewritten.
_REWRITING: Final = ("instrument", os.path.join("instrument", "rewrite"), "analysis", "semantics")

#: A module's code and its sites.
Compiled = tuple[types.CodeType, list[sites.Entry]]


class KeptCode:
    """The code kept in a folder; none is kept if ``folder`` is None."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        self._key = None if folder is None or not maker() else private_key()

    def find(self, source: bytes, file: str) -> Compiled | None:
        """The code that this user has compiled from a file's text."""
        if self._folder is None or self._key is None:
            return None
        name = _name(source, file)
        try:
            with open(os.path.join(self._folder, name), "rb") as stream:
                data = stream.read()
        except OSError:
            return None
        if not _compare_digest(data[:_LENGTH], self._digest(self._key, name, data[_LENGTH:])):
            return None
        try:
            code, entries = marshal.loads(data[_LENGTH:])
        except (ValueError, EOFError, TypeError):
            return None
        return (code, entries) if code.co_filename == file else None

    def keep(self, source: bytes, file: str, made: Compiled) -> None:
        """Keep compiled code, if the folder can be written."""
        if self._folder is None or self._key is None:
            return
        name, data = _name(source, file), marshal.dumps(made)
        with contextlib.suppress(OSError):  # a read-only or full disk only costs time
            os.makedirs(self._folder, exist_ok=True)
            _write(os.path.join(self._folder, name), self._digest(self._key, name, data) + data)

    def _digest(self, key: bytes, name: str, data: bytes) -> bytes:
        digest = hashlib.blake2b(name.encode(), key=key, digest_size=_LENGTH)
        digest.update(data)
        return digest.digest()


def user_folder() -> str:
    """The folder of the user for code that this version makes."""
    folder = os.path.join(cache_folder(), "code", maker()[:_LENGTH])
    if not os.path.isdir(folder):
        _drop_old(os.path.dirname(folder))
    return folder


def of_library() -> KeptCode:
    """The code of the standard library's modules."""
    return KeptCode(user_folder())


@functools.cache
def maker() -> str:
    """Identifies the interpreter and the text of the rewriter; "" if that can't be read: then nothing is kept."""
    digest = hashlib.sha256(f"{sys.implementation.cache_tag} {sys.version} {sys.flags.optimize}".encode())
    digest.update(importlib.util.MAGIC_NUMBER)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        for folder in _REWRITING:
            for name in sorted(os.listdir(os.path.join(package, folder))):
                if name.endswith(".py"):
                    with open(os.path.join(package, folder, name), "rb") as stream:
                        text = stream.read()
                    digest.update(f"{folder} {name} {len(text)}\n".encode() + text)
    except OSError:
        return ""
    return digest.hexdigest()


def _name(source: bytes, file: str) -> str:
    """The name of a kept file: all are equally long, so that a digest of name and data can't be that of another
    pair."""
    parts = (file.encode("utf-8", "surrogatepass"), source, maker().encode(), woven_names.active.text().encode())
    digest = hashlib.sha256(b"\0".join(parts)).hexdigest()
    return f"{digest[:32]}.{sys.implementation.cache_tag}.mz"


def private_key() -> bytes | None:
    """The key of the user, made if there is none; None if it can be neither kept nor trusted."""
    folder = state_folder()
    path = os.path.join(folder, KEY)
    with contextlib.suppress(OSError):
        found = _trusted(path)
        if found is not None:
            return found
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _write(path, os.urandom(_LENGTH))
        return _trusted(path)  # the key of another process, if that was the last to write
    return None


def _trusted(path: str) -> bytes | None:
    """The content of a file that only this user can have written and can read; None if there is no such file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o077:
            return None
        key = stream.read(_LENGTH + 1)
    return key if len(key) == _LENGTH else None


def _write(path: str, data: bytes) -> None:
    """Write a file as a whole or not at all, readable by this user only."""
    temporary = f"{path}.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def _drop_old(folder: str) -> None:
    """Delete the code of other versions that have kept none for a month."""
    with contextlib.suppress(OSError):
        for version in os.listdir(folder):
            below = os.path.join(folder, version)
            if os.stat(below).st_mtime < time() - _MONTH:
                for name in os.listdir(below):
                    os.unlink(os.path.join(below, name))
                os.rmdir(below)
