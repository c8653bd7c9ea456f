"""The functions that come from given files, wherever the process holds them, and all file objects.

CPython's collector lists the existing objects, by their generation. To go through all of them touches the memory of
each, which costs a page fault for each page in a process that has forked: half of the time of preparing a small
program. So the functions and files of the oldest generation are looked for once, and kept by weak references; later
calls go through the younger generations only. Objects come to the oldest generation by a collection, before which the
younger ones are searched (:func:`_collecting`), by the freeze at the beginning of a check (:func:`freeze`), and by
collections during a check, at whose end they are those that are old but not frozen (:func:`thaw`). A freeze by the
program is noticed: a list that was young is young no longer. Then all objects are searched again, and nothing is kept
where some are frozen: mostly the process makes one check.

The functions that are kept are those of files that belong neither to the standard library, nor to installed packages,
nor to Mazurka, which are few, and of files that have been asked for. Where the collector has other generations (Python
3.14, or without the GIL) each call goes through all objects. A function is found by the file of the code that it had
when it was first seen.

Cost: a walk over all objects, 0.2 microseconds each; later walks go over the objects made since the last collection but
one.
"""

from __future__ import annotations

import functools
import gc
import io
import itertools
import os
import sys
import sysconfig
import types
import weakref
from collections.abc import Collection, Iterable
from typing import Any, Final

from mazurka.program.python.semantics import objects

_get_objects: Final = gc.get_objects
_collect: Final = gc.collect
_freeze: Final = gc.freeze
_unfreeze: Final = gc.unfreeze

#: Whether an object that outlives two collections stays in the third of three generations.
_HAS_GENERATIONS: Final = sys.version_info < (3, 14) and not sysconfig.get_config_var("Py_GIL_DISABLED")

_LIBRARY: Final = os.path.join(sysconfig.get_path("stdlib"), "")
_OWN: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))), "")


class _Reference(weakref.ref[types.FunctionType]):
    """A weak reference that the program can't get: CPython shares plain references to an object among all callers."""

    __slots__ = ()


class _FileReference(weakref.ref[io.FileIO]):
    """The same to a file."""

    __slots__ = ()


_FileIO: Final = io.FileIO


#: File -> its functions in the oldest generation; None before all objects have been gone through.
_kept: dict[str, list[_Reference]] | None = None

#: The file objects in the oldest generation, as long as its functions are kept.
_kept_files: Final[list[_FileReference]] = []

#: Files of the library, and of installed packages, that have been asked for.
_wanted: Final[set[str]] = set()

#: A list made when the oldest generation was last known.
_young: list[None] = []


def of(files: Collection[str]) -> dict[str, list[types.FunctionType]]:
    """File -> the functions whose code comes from it; all the files are in the result."""
    global _kept
    found: dict[str, list[types.FunctionType]] = {file: [] for file in files}
    if not found:
        return found
    if fresh := [file for file in found if _is_left_out(file)]:
        _wanted.update(fresh)
        _kept = None
    with _HeldCollector():
        if not _is_kept():
            _add(objects.existing((types.FunctionType,)), found)
            return found
        for file, of_file in found.items():
            of_file += [function for each in (_kept or {}).get(file, ()) if (function := each()) is not None]
        _add(_functions(_young_objects()), found)
    return found


def open_files() -> list[io.FileIO]:
    """The file objects that exist and are not closed: those of `io.FileIO` and of its subclasses."""
    with _HeldCollector():
        kinds = _kinds_of_files()
        if _is_kept():
            found = [file for reference in _kept_files if (file := reference()) is not None]
            found += [each for each in _young_objects() if type(each) in kinds]
        else:
            found = objects.existing(tuple(kinds))
    return [each for each in found if not each.closed]


def _kinds_of_files() -> set[type]:
    found: set[type] = set()
    fresh: list[type] = [_FileIO]
    while fresh:
        kind = fresh.pop()
        found.add(kind)
        below: list[type] = type.__subclasses__(kind)
        fresh += [each for each in below if each not in found]
    return found


class _HeldCollector:
    """No collection comes meanwhile, which would move objects."""

    def __enter__(self) -> None:
        self._collecting = gc.isenabled()
        gc.disable()

    def __exit__(self, *_: object) -> None:
        if self._collecting:
            gc.enable()


def _is_kept() -> bool:
    """Whether functions and files of the oldest generation are kept, after a walk over it if need be; otherwise all
    objects have to be gone through."""
    if _kept is not None and _is_young():
        return True
    if not _HAS_GENERATIONS or gc.get_freeze_count():
        return False
    _look_at_all()
    return True


def _add(functions: Iterable[types.FunctionType], found: dict[str, list[types.FunctionType]]) -> None:
    for function in functions:
        of_file = found.get(function.__code__.co_filename)
        if of_file is not None:
            of_file.append(function)


def look_ahead() -> None:
    """Look for the functions and files of the oldest generation now: a process that is about to fork does so without
    page faults, and its children need not."""
    with _HeldCollector():
        _is_kept()


def freeze() -> None:
    """``gc.freeze``, after a collection of the younger generations; :func:`thaw` undoes it."""
    global _young
    _watch(False)
    known = _note_young()
    _collect(1)  # older objects stay: a full collection costs more than many a search
    _freeze()
    if known:
        _young = [None]


def thaw() -> None:
    """``gc.unfreeze``: frozen objects are in the oldest generation again."""
    global _kept, _young
    if _kept is not None and not _is_young():
        moved = _get_objects(generation=2)  # by collections since the freeze: what was there before is frozen
        if any(each is _young for each in moved):
            _keep(moved)
            _young = [None]
        else:
            _kept = None
    _unfreeze()
    if _kept is not None:
        _watch(True)


def _look_at_all() -> None:
    """Go through the oldest generation; nothing is frozen."""
    global _kept, _young
    _kept = {}
    _kept_files.clear()
    _keep(_get_objects(generation=2))
    _watch(True)
    _young = [None]


def _note_young() -> bool:
    """Keep the young functions and files, which are about to be old; returns whether all that are already old are
    kept."""
    global _kept
    if _kept is not None and not _is_young():
        _kept = None
    if _kept is not None:
        _keep(_young_objects())
    return _kept is not None


def _keep(among: Iterable[Any]) -> None:
    """Keep the functions and files among these objects."""
    kinds = _kinds_of_files()
    wanted = {types.FunctionType, *kinds}
    present = list(among)
    found = list(itertools.compress(present, map(wanted.__contains__, map(type, present))))
    _kept_files[:] = [reference for reference in _kept_files if reference() is not None]
    _kept_files.extend(_FileReference(each) for each in found if type(each) in kinds)
    _keep_functions(_functions(found))


def _keep_functions(functions: Iterable[types.FunctionType]) -> None:
    assert _kept is not None
    known = [(function, function.__code__.co_filename) for function in functions]
    if not (files := {file for _, file in known if not _is_left_out(file)}):
        return
    for function, file in known:
        if file not in files:
            continue
        of_file = _kept.setdefault(file, [])
        if len(of_file) & 255 == 255:  # in a long session most functions of a file are dead
            of_file[:] = [each for each in of_file if each() is not None]
        of_file.append(_Reference(function))


def _functions(among: Iterable[Any]) -> list[types.FunctionType]:
    return [each for each in among if type(each) is types.FunctionType]


def _young_objects() -> list[Any]:
    return _get_objects(generation=0) + _get_objects(generation=1)


def _is_young() -> bool:
    return any(each is _young for each in _young_objects())


def _is_left_out(file: str) -> bool:
    """Whether no functions of the file are kept."""
    return _is_of_others(file) and file not in _wanted


@functools.cache
def _is_of_others(file: str) -> bool:
    """Whether a file came with the interpreter, with a package or with us."""
    return (
        file == "<string>"
        or file.startswith((_LIBRARY, _OWN))
        or f"{os.sep}site-packages{os.sep}" in file
        or f"{os.sep}dist-packages{os.sep}" in file
    )


def _watch(on: bool) -> None:
    """Have collections announced, or not: a program under test never sees the callback."""
    while _collecting in gc.callbacks:
        gc.callbacks.remove(_collecting)
    if on:
        gc.callbacks.append(_collecting)


def _collecting(phase: str, info: dict[str, int]) -> None:
    """A collection begins or ends (for ``gc.callbacks``)."""
    global _young
    if info["generation"] == 0:
        return
    if phase == "start":
        _note_young()
    elif _kept is not None:
        _young = [None]
