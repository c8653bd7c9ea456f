"""Qualified names in pointcuts: ``*`` is any text, ``{a, b}`` alternatives, ``c:`` marks functions and fields of C."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import Final

_GROUP: Final = re.compile(r"\{([^{}]*)\}")
_NAME: Final = re.compile(r"(?:c:)?(?:[\w*]|<\w+>)+(?:\.(?:[\w*]|<\w+>)+)*")
_MOST: Final = 1000

#: For hints.
EXAMPLES: Final = "as in dict.pop, *.close, {dict, set}.clear, c:malloc"


def expanded(text: str) -> tuple[str, ...]:
    """The names without braces that a name with braces stands for. Raises ValueError if one of them is no name."""
    pieces = _GROUP.split(text)
    groups = [[each.strip() for each in piece.split(",")] if at % 2 else [piece] for at, piece in enumerate(pieces)]
    names: list[str] = []
    for parts in product(*groups):
        name = "".join(parts)
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no qualified name")
        names.append(name)
        if len(names) > _MOST:
            raise ValueError(f"{text} stands for more than {_MOST} names")
    return tuple(dict.fromkeys(names))


@lru_cache(maxsize=4096)
def pattern(name: str) -> re.Pattern[str]:
    """The expression for a name in which ``*`` stands for any text."""
    return re.compile(".*".join(map(re.escape, name.split("*"))), re.DOTALL)
