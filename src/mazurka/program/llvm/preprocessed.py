"""Preprocessed sources (``.i``, ``.ii``), as tasks of SV-COMP are given: the headers in them are of another machine.

The text is compiled as C, so that names which gcc knows in headers of glibc, and clang does not, can be macros.
Linemarkers say which line of which file a line is of; those files are often on another machine, so the preprocessed
text stands for them wherever a source line is shown.

A text of 32-bit headers is told by its ``size_t``. It is compiled for 64 bits, as all programs are. To many programs
that makes no difference (:mod:`mazurka.program.llvm.sizes_of_32_bits`).
"""

from __future__ import annotations

import linecache
import os
import re
from collections.abc import Iterator
from typing import Final

from mazurka.program.llvm.sizes_of_32_bits import dependent_word, is_for_32_bits

#: Suffixes of preprocessed C, and of preprocessed C++.
PREPROCESSED: Final = {".i": "c", ".ii": "c++"}

#: Names that the text may have, and types of gcc's that clang does not know.
_FLAGS: Final = ("-Ulinux", "-Uunix", "-D__malloc__(...)=")
_TYPES: Final = {
    "_Float32": "float",
    "_Float64": "double",
    "_Float32x": "double",
    "_Float64x": "long double",
    "_Float128": "__float128",
}

#: Types of 32-bit pthreads that are made as large as those of 64 bits, and the field that static initialisers set.
_ENLARGED: Final = (
    (re.compile(r"\bchar __size\[\d+\]"), "char __size[64]"),
    (re.compile(r"\bint __owner;(\s*)int __kind;"), r"int __owner;\1__attribute__((__aligned__(16))) int __kind;"),
)

_MARKER: Final = re.compile(r'#(?:line)? (\d+)(?: "((?:[^"\\]|\\.)*)"([ 0-9]*))?')


def is_preprocessed(path: str) -> bool:
    """Whether a file is preprocessed, by its name."""
    return os.path.splitext(path)[1] in PREPROCESSED


def flags_for(path: str) -> tuple[str, ...]:
    """The flags with which the compiler reads a file, if it is preprocessed."""
    if not is_preprocessed(path):
        return ()
    folder, text = os.path.dirname(os.path.abspath(path)), _text(path)
    types = [
        f"-D{name}={meaning}"
        for name, meaning in _TYPES.items()
        if re.search(rf"\btypedef [\w ]+\b{name};", text) is None
    ]
    return (*_FLAGS, *types, f"-fdebug-compilation-dir={folder}", "-x", PREPROCESSED[os.path.splitext(path)[1]])


def source_of(path: str, folder: str) -> str:
    """The file to compile: a copy in ``folder``, with the types of 64-bit pthreads, if the headers in a preprocessed
    one are of 32 bits."""
    if not is_made_for_32_bits(path):
        return os.path.abspath(path)
    text = _text(path)
    for pattern, wider in _ENLARGED:
        text = pattern.sub(wider, text)
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w", encoding="utf-8", errors="surrogateescape") as stream:
        stream.write(f'# 1 "{os.path.abspath(path)}"\n{text}')
    return copy


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read()
    except OSError:
        return ""


#: The most lines that a linemarker may leave out.
_GAP: Final = 100_000


def show_lines(path: str) -> None:
    """Let the lines of a preprocessed file stand for those of the files that it was made of, unless these are here."""
    folder = os.path.dirname(os.path.abspath(path))
    lines: dict[str, list[str]] = {}
    for file, number, text in _marked_lines(path):
        name = os.path.normpath(os.path.join(folder, file))
        known = lines.setdefault(name, [])
        if len(known) < number < len(known) + _GAP:
            known += ["\n"] * (number - len(known))
        if 0 < number <= len(known) and text.strip():
            known[number - 1] = f"{known[number - 1].rstrip()} {text.strip()}".lstrip() + "\n"
    for name, text_lines in lines.items():
        if not os.path.exists(name):
            linecache.cache[name] = (sum(map(len, text_lines)), None, text_lines, name)


def is_made_for_32_bits(path: str) -> bool:
    """Whether a file is preprocessed, with the headers of a 32-bit machine."""
    return is_preprocessed(path) and is_for_32_bits(_text(path))


def word_of_32_bits(path: str) -> str:
    """The first word whose meaning depends on 32-bit sizes, if the headers in a preprocessed file are 32-bit ones;
    otherwise ""."""
    if not is_made_for_32_bits(path):
        return ""
    return dependent_word("\n".join(text for *_, text in _marked_lines(path)))


def _marked_lines(path: str) -> Iterator[tuple[str, int, str]]:
    """Each line, after its file and its number there."""
    file, number = path, 0
    for text in _text(path).split("\n"):
        marker = _MARKER.match(text) if text.startswith("#") else None
        if marker is None:
            number += 1
            yield file, number, text
            continue
        number = int(marker[1]) - 1
        if marker[2] is not None:
            file = re.sub(r"\\(.)", r"\1", marker[2])
