"""Texts that are no properties: the words that were expected in a place, and a guess at the one that was meant."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, cast

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from mazurka.errors import MazurkaError, Slug, did_you_mean
from mazurka.properties.source_text import SourceText

SYNTAX: Final[Slug] = "property-syntax"

#: Terminals that are words of the language.
_WORDS: Final = {
    "PROPERTY": ("property",),
    "DISTINCT": ("distinct",),
    "EVENT": ("event",),
    "PATTERN": ("pattern",),
    "MOMENT": ("before", "after", "returning", "raising"),
    "KIND": ("call", "get", "set", "delete"),
    "BLOCK_KIND": ("enter", "exit"),
    "IF": ("if",),
}

#: Terminals of other kinds, in the order in which a message names them; those in one line are one to the reader.
_NAMED: Final = {
    "a moment": ("MOMENT",),
    "an operation": ("KIND", "BLOCK_KIND"),
    "an operand": ("DOTTED",),
    "a condition": ("WORD",),
    "a name": ("PROPERTY_NAME", "NAME"),
    "a qualified name": ("QUALIFIED",),
    "an event": ("EVENT_WITH_ATTRIBUTES",),
    "a text": ("STRING",),
    "an indented line": ("_INDENT",),
    "the end of the line": ("_NL",),
    "the end of the file": ("$END",),
}
_SIGNS: Final = {
    "COLON": ":", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]", "COMMA": ",", "EQUAL": "=", "VBAR": "|",
    "BAR": "|", "AMPERSAND": "&", "BANG": "!", "LESSTHAN": "<", "MORETHAN": ">", "_ARROW": "->", "_PARALLEL": "||",
}  # fmt: skip
_BRACKETS: Final = re.compile(r"#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|([()\[\]])")
_LAST_WORD: Final = re.compile(r"([^\W\d]\w*)\s*$")


def explained(error: UnexpectedInput, source: SourceText) -> MazurkaError:
    """The error of a text that the grammar does not fit."""
    expected: Collection[str]
    if isinstance(error, UnexpectedToken):
        expected = error.accepts or error.expected
        found = error.token
    elif isinstance(error, UnexpectedCharacters):
        expected = error.allowed
        at = cast(int, error.pos_in_stream)
        word = re.compile(r"\w+|.", re.DOTALL).match(source.text, at)
        found = Token("place", word[0] if word else "", start_pos=at)
    else:
        expected, found = (), Token("$END", "", start_pos=len(source.text))
    start = found.start_pos or 0
    if is_end := found.type == "$END" or start >= len(source.text.rstrip()):
        start = len(source.text.rstrip())
    ends = is_end or found.type in ("_NL", "_INDENT", "_DEDENT")
    if source.text[max(start - 1, 0) : start + 1] == "||":
        start -= 1
        found = Token("place", "||")
    place = Token("place", "" if ends else _word(str(found)), start_pos=start)
    return (
        _of_open_bracket(source, start, ends)
        or _of_text(source, place)
        or _of_word(source, place, expected)
        or source.error(SYNTAX, f"{_expected(expected)}, found {_found(place, is_end)}", place, _hint(source, start))
    )


def _word(text: str) -> str:
    return text.removesuffix("(") if len(text) > 1 else text


def _of_open_bracket(source: SourceText, end: int, ends: bool) -> MazurkaError | None:
    """A bracket that is open, if the mistake is in a later line, which looks like the next statement."""
    opened: list[re.Match[str]] = []
    for match in _BRACKETS.finditer(source.text, 0, end):
        if match[1] and match[1] in "([":
            opened.append(match)
        elif match[1] and opened:
            opened.pop()
    if not opened:
        return None
    rest = source.text[end:].lstrip()
    is_later = "\n" in source.text[opened[-1].start() : end]
    if ends or (is_later and re.match(r"(distinct|event|pattern|property)\b", rest + " ")):
        place = Token("place", opened[-1][1], start_pos=opened[-1].start())
        return source.error(SYNTAX, f"`{opened[-1][1]}` is not closed", place)
    return None


def _of_text(source: SourceText, place: Token) -> MazurkaError | None:
    if str(place)[:1] in ('"', "'"):
        return source.error(SYNTAX, "a text without an end", place) if _is_open(source, place) else None
    return None


def _is_open(source: SourceText, place: Token) -> bool:
    line = source.text[place.start_pos :].split("\n")[0]
    return not re.match(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'", line)


def _of_word(source: SourceText, place: Token, expected: Collection[str]) -> MazurkaError | None:
    """A word that is nearly one of the language, or follows one that is."""
    if not str(place).isidentifier():
        return None
    before = _LAST_WORD.search(source.text, 0, place.start_pos or 0)
    keywords = [*_WORDS["MOMENT"], *_WORDS["KIND"], *_WORDS["BLOCK_KIND"]]
    if before and before[1] not in keywords and (hint := did_you_mean(before[1], keywords)):
        word = Token("place", before[1], start_pos=before.start(1))
        return source.error(SYNTAX, f"expected a moment or an operation, found {word}", word, hint)
    words = [word for terminal in expected for word in _WORDS.get(terminal, ())]
    if hint := did_you_mean(str(place), words):
        return source.error(SYNTAX, f"{_expected(expected)}, found {place}", place, hint)
    return None


def _hint(source: SourceText, start: int) -> str:
    """A remedy for mistakes that the form of the language invites."""
    line = source.text[source.text.rfind("\n", 0, start) + 1 : start]
    if spaced := re.search(r"(\w+)\s+\(\s*[<>]?\s*\w*\s*$", line):
        if line.lstrip().startswith("pattern"):
            return f"attributes follow an event without a space: {spaced[1]}(...)"
    if source.text.startswith("||", start) or re.search(r"\|\|\s*$", line):
        return "`||` stands between two events"
    return ""


def _found(place: Token, is_end: bool) -> str:
    if not place:
        return "the end of the file" if is_end else "the end of the line"
    if place.isidentifier():
        return str(place)
    return f"`{place}`" if place.isprintable() else repr(str(place))


def _expected(terminals: Collection[str]) -> str:
    if "PROPERTY" in terminals:
        return "expected property"
    words = [group[0] for terminal, group in _WORDS.items() if terminal in terminals and len(group) == 1]
    named = [name for name, group in _NAMED.items() if any(each in terminals for each in group)]
    signs = list(dict.fromkeys(f"`{sign}`" for terminal, sign in _SIGNS.items() if terminal in terminals))
    if "QUANTIFIER" in terminals:
        signs += ["`?`", "`*`", "`+`"]
    if "an event" in named:
        named.remove("a name")
    parts = [*signs, *words, *named]
    if not parts:
        return "unexpected text"
    return f"expected {', '.join(parts[:-1])} or {parts[-1]}" if len(parts) > 1 else f"expected {parts[0]}"
