"""The text of a file with properties, and the errors in it: file, line and column, and the line with a caret below."""

from __future__ import annotations

from typing import Any

from lark import Token

from mazurka.errors import MazurkaError, Slug
from mazurka.lazy_dataclass import dataclass


@dataclass(frozen=True)
class SourceText:
    """``path`` is "" for a text of no file."""

    text: str
    path: str

    def error(self, slug: Slug, message: str, token: Token, hint: str = "") -> MazurkaError:
        """An error at a token: one of the text, or any with its ``start_pos``."""
        start = token.start_pos or 0
        before = self.text[:start]
        number, column = before.count("\n") + 1, start - (before.rfind("\n") + 1)
        line = self.text.split("\n")[number - 1]
        shown = line.lstrip()
        caret = column - (len(line) - len(shown))
        length = max(1, min(len(str(token).split("\n")[0].rstrip()), len(line) - column))
        excerpt = f"    {shown.rstrip().translate({9: ' '})}\n    {' ' * caret}{'^' * length}"
        where = f"{self.path}:{number}:{column + 1}" if self.path else f"line {number}, column {column + 1}"
        return MazurkaError(slug, message, where=where, hint=hint, excerpt=excerpt)

    def span(self, tree: Any) -> Token:
        """The part of the text that a tree was made of, as a token."""
        start, end = (
            (tree.start_pos, tree.end_pos) if isinstance(tree, Token) else (tree.meta.start_pos, tree.meta.end_pos)
        )
        return Token("place", self.text[start:end], start_pos=start)
