"""Lines of the language of properties: as in Python, a block is indented, and lines in parentheses are one.

The grammar sees a property as ``property ...: NL INDENT statement... DEDENT``, each statement with its NL. A line that
is indented deeper than the first one of its block continues the line before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lark import Token
from lark.lark import PostLex

_OPENING: Final = {"LPAR", "LSQB", "EVENT_WITH_ATTRIBUTES"}
_CLOSING: Final = {"RPAR", "RSQB"}
_DEEPEST: Final = 100


class BadLines(Exception):
    """Lines that are no blocks: a message, and the ``token`` where it shows."""

    def __init__(self, message: str, token: Token) -> None:
        super().__init__(message, token)
        self.message = message
        self.token = token


class Lines(PostLex):
    """See the module."""

    always_accept = ("_NL",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens with those that blocks begin and end with, and without the ends of lines that go on."""
        depth = block = 0
        started = False
        last: Token | None = None
        for token in stream:
            last = token
            if token.type in _OPENING:
                depth += 1
                if depth > _DEEPEST:
                    raise BadLines("nested too deep", token)
            elif token.type in _CLOSING:
                depth -= 1
            if token.type != "_NL":
                started = True
                yield token
                continue
            indented = _indentation(token)
            if depth > 0 or not started or block and indented > block:
                continue
            if 0 < indented < block:
                place = Token("place", "", start_pos=(token.end_pos or 0))
                raise BadLines("indented less than the lines above, but more than `property`", place)
            yield token
            if block and indented == 0:
                yield Token.new_borrow_pos("_DEDENT", "", token)
            elif not block and indented:
                yield Token.new_borrow_pos("_INDENT", "", token)
            if not block or indented == 0:
                block = indented
        if last is not None and block:
            yield Token.new_borrow_pos("_DEDENT", "", last)


def _indentation(token: Token) -> int:
    """The columns before the next line's first word; a tab goes on to the next multiple of 8."""
    return len(token.rpartition("\n")[2].expandtabs())
