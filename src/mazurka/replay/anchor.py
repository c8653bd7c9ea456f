"""The location and target of a step in source terms, so that they mean the same in any other run.

A file inside the root (the directory the check was started in) is named relative to it, one of an installed package
from its ``site-packages`` on, one of the standard library from the library's directory on: neither the machine, nor
the virtual environment, nor the Python version shows. A target has its name in the run's detail, else one of its kind
and key.

Cost: one ``linecache`` look-up per step; only used on runs made with detail.
"""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
from collections.abc import Mapping
from typing import Final

from mazurka.program.protocol import Frame, Program, Run
from mazurka.trace.event import Location
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import ATTRIBUTE, Kind, Target, kind_of

_INSTALLED: Final = ("site-packages", "dist-packages")
_STDLIB: Final = os.path.join(sysconfig.get_path("stdlib"), "")


def is_library(file: str) -> bool:
    """Whether a file belongs to an installed package or the standard library rather than to the user's program."""
    return file.startswith(("<frozen", _STDLIB)) or any(f"{os.sep}{name}{os.sep}" in file for name in _INSTALLED)


def is_standard(file: str) -> bool:
    """Whether a file belongs to the standard library."""
    return file.startswith(("<frozen", _STDLIB)) and not any(f"{os.sep}{name}{os.sep}" in file for name in _INSTALLED)


def portable_path(file: str, root: str = "") -> str:
    """A file's name as people know it, relative to the root, its package or the standard library."""
    for name in _INSTALLED:
        _, mark, inside = file.rpartition(f"{os.sep}{name}{os.sep}")
        if mark:
            return inside.replace(os.sep, "/")
    if file.startswith(_STDLIB):
        return file[len(_STDLIB) :].replace(os.sep, "/")
    base = os.path.join(root or os.getcwd(), "")
    return (file.removeprefix(base) if os.path.isabs(file) else file).replace(os.sep, "/")


def places_of(path: str, root: str = "") -> list[str]:
    """Where a file with that portable name may be: in the root, on the import path, in the standard library.

    One from outside the root has its absolute name; if that is another machine's, the longest end that exists here
    counts.
    """
    if os.path.exists(path) and os.path.isabs(path):
        return [path]
    folders = dict.fromkeys((root or os.getcwd(), *(entry or os.getcwd() for entry in sys.path), _STDLIB))
    parts = path.strip("/").split("/")
    for first in range(len(parts) if os.path.isabs(path) else 1):
        places = [os.path.join(folder, *parts[first:]) for folder in folders]
        found = [place for place in places if os.path.exists(place)]
        if found:
            return found
    return []


def portable_location(location: Location | None, root: str = "") -> Location | None:
    """The same place with its file named portably."""
    if location is None:
        return None
    return Location(portable_path(location.file, root), location.line, location.column, location.function)


def caller_of(location: Location | None, frames: tuple[Frame, ...]) -> Frame | None:
    """The user's line that led to a step inside a library; None for a step in the user's own code."""
    if location is None or not (is_library(location.file) or os.path.isabs(portable_path(location.file))):
        return None
    folder = None if is_library(location.file) else os.path.dirname(location.file)
    outer = (frame for frame in reversed(frames) if os.path.dirname(frame.location.file) != folder)
    return next((frame for frame in outer if not is_library(frame.location.file)), None)


def source_text(location: Location | None) -> str:
    """The source line at a location, without its indentation ("" where there is no source)."""
    return linecache.getline(location.file, location.line).strip() if location is not None else ""


def target_in_words(target: Target, names: Mapping[Target, str]) -> str:
    """The name of a target: by the run's detail, else by its kind and key."""
    named = names.get(target)
    if named:
        return named
    match kind_of(target):
        case Kind.ATTRIBUTE:
            owner = _owner_in_words(target[1], names)
            return f"{owner}.{target[2]}" if owner else f"attribute {target[2]} of an object"
        case Kind.ITEM:
            return f"item {_key_in_words(target[2])} of a container"
        case Kind.STRUCTURE | Kind.VALUES:
            return "the contents of a container"
        case Kind.OBJECT:
            return "the state of an object"
        case Kind.GLOBAL:
            return f"{target[1]}.{target[2]}"
        case _:
            return " ".join(map(str, target))


def _owner_in_words(number: object, names: Mapping[Target, str]) -> str:
    """The name of an object as the names of its other attributes show it; "" if none does."""
    ends = ((text, f".{each[2]}") for each, text in names.items() if each[:2] == (ATTRIBUTE, number))
    return next((text.removesuffix(end) for text, end in ends if text.endswith(end)), "")


def _key_in_words(key: object) -> str:
    """A key of a container; numbers of objects are numbers of ours."""
    return "..." if isinstance(key, tuple) and key[:1] == ("object",) else repr(key)


def step_location(run: Run, program: Program, index: int) -> Location | None:
    """Where a logged step is: its site, else the innermost frame that was recorded for it."""
    location = program.location(run.log[index].site) if run.log[index].site else None
    if location is None:
        frames: tuple[Frame, ...] = run.stacks.get(StepIndex(index)) or ()
        location = frames[-1].location if frames else None
    return location
