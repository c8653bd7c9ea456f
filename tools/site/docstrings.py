"""Docstrings as Markdown: roles of Sphinx become code, its tables stand in a block of text."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension

_ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")
_LITERAL = re.compile(r"``([^`]+)``")
_TABLE = re.compile(r"^=+(?: +=+)+\n(?:.+\n)*?=+(?: +=+)+\n(?:.+\n)*?=+(?: +=+)+$", re.MULTILINE)


def markdown(docstring: str) -> str:
    """The docstring with its roles and tables rewritten."""
    text = _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", docstring))
    return _TABLE.sub(lambda table: f"```text\n{table.group()}\n```", text)


class Docstrings(Extension):  # type: ignore[misc]  # griffe is in the environment of the site only
    """Rewrites the docstrings of a package when all of it has been read."""

    def on_package(self, *, pkg: Any, **_: Any) -> None:
        """The package comes with its modules as members, these with theirs."""
        waiting = [pkg]
        while waiting:
            each = waiting.pop()
            if each.docstring:
                each.docstring.value = markdown(each.docstring.value)
            waiting += [member for member in each.members.values() if not member.is_alias]
