"""Whether a preprocessed program that was made for 32 bits means the same when it is compiled for 64 bits.

Its typedefs are in the text (a ``size_t`` stays an ``unsigned int``). What is left are ``long``, constants of that
type, sizes, objects whose bytes are seen as those of another type, and integers that hold addresses. The program means
the same if no function and no variable that it defines uses any of them, itself or by a type or a function's result.
Sizes that only go to the functions of memory, and counts of elements, do no harm. Types of pthreads do none either:
nothing looks into them. A pointer that is cast to ``int`` is taken for an ``int`` that was cast to a pointer before,
as arguments of threads are, unless it is an address that is cast at once.

It reads words, not C: more is taken for dependent than is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SIZE: Final = re.compile(r"\btypedef\s+(?:unsigned\s+int|unsigned)\s+size_t\s*;")
_DEPENDENT: Final = re.compile(
    r"\blong\b|\bsizeof\b|\boffsetof\b|\b_*[aA]lignof(?:__)?\b|\bu?int(?:ptr|_fast16|_fast32)_t\b"
    r"|\b(?:0[xX][0-9a-fA-F]+|[0-9]+)[uU]?[lL](?![lL])[uU]?\b"
    r"|\bunion\b|\b_*typeof_*\b"
    r"|\(\s*(?:(?:un)?signed\s+|const\s+|volatile\s+)*(?:char|u?int8_t)\s*\*+\s*\)"  # bytes of other objects
    r"|\(\s*(?!void\b|const void\b)\w[\w\s]*\*+\s*\)\s*&"  # objects as those of other types
    r"|\(\s*(?:(?:un)?signed\s+)?(?:int|unsigned)\s*\)\s*&"
    r"|\bmem(?:cpy|move|cmp)\s*\([^;{}]*,\s*\w*\d\w*\s*\)"
    r"|=\s*\{[^;]*\bPTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP\b"
)

#: What is no matter, and taken out.
_HARMLESS: Final = (
    re.compile(r'"(?:[^"\\\n]|\\.)*"' + r"|'(?:[^'\\\n]|\\.)+'"),
    re.compile(r"\blong\s+(?:unsigned\s+|signed\s+)?(?:int\s+)?long\b|\blong\s+double\b"),
    re.compile(r"\bsizeof\s*\(?\s*(\w+)\s*\)?\s*/\s*sizeof\s*\(?\s*(?:\*\s*\1|\1\s*\[\s*0\s*\])\s*\)?"),
    re.compile(r"\(void\)\s*sizeof\b"),  # as the macro assert() has it
)

#: Calls that sizes may go to.
_OF_MEMORY: Final = re.compile(r"\b(?:malloc|calloc|realloc|alloca|memset|memcpy|memmove)\s*\([^;{}]*;")

_IS_OPAQUE: Final = re.compile(r"(?:__)?pthread_|__atomic_|sem_t$")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_TAG: Final = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
_TYPEDEF: Final = re.compile(r"(\w+)\s*(?:\[[^]]*\]\s*|__attribute__\s*\(\(.*\)\)\s*|\)\s*\(.*\)\s*)*;\s*$", re.DOTALL)
_FUNCTION: Final = re.compile(r"(\w+)\s*\((?!\s*\*)")
_OLD_PARAMETERS: Final = re.compile(r"\)\s*(?!__asm|asm|__attribute)\w[^()]*;$")


_NUMBER_OF_ADDRESS: Final = re.compile(r"\bptrtoint \(?ptr .*? to i64\b")


def has_numbers_of_addresses(ir: str) -> bool:
    """Whether addresses become 64-bit numbers, as in a difference of pointers."""
    return _NUMBER_OF_ADDRESS.search(ir) is not None


def is_for_32_bits(text: str) -> bool:
    """Whether the headers in a preprocessed text are those of a 32-bit machine."""
    return _SIZE.search(text) is not None


def dependent_word(text: str) -> str:
    """The first word on which the meaning of a preprocessed program depends if sizes change; "" if there is none."""
    for each in _HARMLESS:
        text = each.sub(" ", text)
    arrays = set(re.findall(r"\b(?:char|int|short)\s+(\w+)\s*\[", text))
    for cast in re.finditer(r"\(\s*\w[\w\s]*\*+\s*\)\s*\(?\s*(\w+)", text):
        if cast[1] in arrays and not re.match(r"\(\s*(?:const\s+)?void\b", cast[0]):
            return cast[0]
    text = _OF_MEMORY.sub(lambda call: re.sub(r"\bsizeof\b", " ", call[0]), text)
    used: list[str] = []
    named: dict[str, list[str]] = {}  # by the name of a type or a function: what it brings in when it is used
    for part in _declarations(text):
        names, brought, is_used = _read(part)
        if is_used:
            used.append(brought)
        for name in names:
            named.setdefault(name, []).append(brought)
    while used:
        part = used.pop()
        if (found := _DEPENDENT.search(part)) is not None:
            return found[0]
        for word in set(_WORD.findall(part)):
            used += named.pop(word, [])
    return ""


def _read(declaration: str) -> tuple[list[str], str, bool]:
    """The names by which a declaration is used, the text that it brings in then, and whether it is part of the program
    in any case: definitions of functions and variables are."""
    declaration = declaration.strip()
    names = _TAG.findall(declaration)
    first = declaration.removeprefix("__extension__").split(None, 1)[:1]
    if first == ["typedef"]:
        names += _TYPEDEF.findall(declaration)[-1:]
        return [each for each in names if not _IS_OPAQUE.match(each)], declaration, False
    head = declaration.partition("{")[0]
    has_body = declaration.endswith("}")
    function = _FUNCTION.search(re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", head)) if "=" not in head else None
    if has_body and function is not None:
        is_inline = re.search(r"\b(?:extern|static)\b.*\b_*inline\b", head, re.DOTALL) is not None
        return [function[1]], declaration, not is_inline
    if function is not None and not _OLD_PARAMETERS.search(
        declaration
    ):  # of a function that is declared, the result counts
        return [function[1]], head[: head.find(function[1])], False
    if re.fullmatch(r"(?:struct|union|enum)\s+\w+\s*(?:\{.*\})?\s*;", declaration, re.DOTALL) or first == ["extern"]:
        names += _TYPEDEF.findall(declaration)[-1:] if first == ["extern"] else []
        return [each for each in names if not _IS_OPAQUE.match(each)], declaration, False
    return names, declaration, True


def _declarations(text: str) -> Iterator[str]:
    """The text, in declarations of the file's scope."""
    depth, begin = 0, 0
    for match in re.finditer(r"[{}();]", text):
        sign, end = match[0], match.end()
        depth += (sign in "{(") - (sign in "})")
        if depth:
            continue
        is_body = sign == "}" and re.search(r"\)\s*(?:[\w\s,*;]*)$", text[begin : text.find("{", begin)]) is not None
        if sign == ";" or (is_body and "=" not in text[begin : text.find("{", begin)]):
            yield text[begin:end]
            begin = end
    yield text[begin:]
