"""The tokens of LLVM IR's text, and a cursor over those of one statement."""

from __future__ import annotations

import re
from typing import Final

from mazurka.errors import UsageError
from mazurka.trace.event import Location

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (c"[^"]*"|[@%!$]?"[^"]*")            # text, or a name in quotation marks
      | ([@%$][-\w$.]+)                      # the name of a global, local or comdat
      | (![-\w$.\\]*|\#[-\w.]+)              # metadata, attributes
      | (0x[KLMHR]?[0-9A-Fa-f]+|[-+]?\d+\.\d*(?:[eE][-+]?\d+)?|-?\d+)
      | ([A-Za-z_][\w.$-]*)
      | (\.\.\.|[][(){}<>,=*:|])
    )""",
    re.VERBOSE,
)


class Unsupported(Exception):
    """A part of LLVM IR that is not supported, in words."""


def tokens_of(text: str) -> list[str]:
    """The tokens of a text, without the comment at its end."""
    found = []
    at, end = 0, len(text)
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            rest = text[at:].strip()
            if not rest or rest.startswith(";"):
                break
            raise Unsupported(f"the text {rest[:40]!r}")
        found.append(match[match.lastindex or 0])
        at = match.end()
    return found


class Cursor:
    """The tokens of one statement, read from left to right. :class:`Unsupported` is raised where another one was
    expected."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """The next token; "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def next(self) -> str:
        """Take the next token; "" at the end."""
        token = self.peek()
        self._at += 1
        return token

    def take(self, token: str) -> bool:
        """Take the next token if it is this one; returns whether it was."""
        if self.peek() == token:
            self._at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Take a token that has to come next."""
        if not self.take(token):
            raise Unsupported(f"{self.peek()!r} in place of {token!r}")

    def take_words(self, words: frozenset[str]) -> tuple[str, ...]:
        """Take the next tokens as long as they are among these."""
        found = []
        while self.peek() in words:
            found.append(self.next())
        return tuple(found)

    def skip_parentheses(self) -> list[str]:
        """Skip a text in parentheses, if it comes next; returns its tokens, with the last parenthesis."""
        skipped: list[str] = []
        if not self.take("("):
            return skipped
        depth = 1
        while depth and self.peek():
            token = self.next()
            skipped.append(token)
            depth += (token == "(") - (token == ")")
        return skipped


def name_of(token: str) -> str:
    """The name in a token, without its sign and quotation marks."""
    return token[1:].strip('"')


def text_error(path: str, line: int, problem: str, location: Location | None) -> UsageError:
    """The error for a module that can't be read, at a line of its text, and a location in its source, if known."""
    if location is None or not location.line:
        where, place = path, f"line {line} of its LLVM IR"
    else:
        where, place = location.file, f"line {location.line}"
    return UsageError("unsupported-llvm-ir", f"{place} has {problem}, which is not supported", where=where)
