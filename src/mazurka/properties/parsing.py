"""Reads properties from texts in their language (``.mzp``): the grammar is in ``grammar.lark``, its meaning in
docs/reference/properties.md.

Invariant: a text is parsed, never executed. Each mistake is an error ``property-syntax``, ``property-name``,
``property-pointcut`` or ``property-pattern`` with file, line and column, and the line with a caret below. Cost: the
tables of the grammar are made once, in a twentieth of a second; then a property takes a millisecond.
"""

from __future__ import annotations

import ast
import builtins
import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from lark import Lark, Token, Tree, UnexpectedInput

from mazurka.errors import MazurkaError, Slug, UsageError
from mazurka.properties import forms, names
from mazurka.properties.checks import NAME, PATTERN, POINTCUT, Part, in_normal_form, problems
from mazurka.properties.lines import BadLines, Lines
from mazurka.properties.property import (
    Anything,
    Equal,
    EventDeclaration,
    Moment,
    Named,
    OfType,
    Operand,
    Pointcut,
    PointcutKind,
    Property,
)
from mazurka.properties.source_text import SourceText
from mazurka.properties.syntax_errors import SYNTAX, explained
from mazurka.trace.patterns import Complement, Concatenation, Letter, Parallel, Pattern

_ITEMS: Final = {"get": "__getitem__", "set": "__setitem__", "delete": "__delitem__"}
_BLOCKS: Final = {"enter": "__enter__", "exit": "__exit__"}
_CONSTANTS: Final = {"None": None, "True": True, "False": False}
_ESCAPE: Final = re.compile(r"\\(?:\n|[\\'\"abfnrtv0-7]|x[0-9a-fA-F]{2})")
_ESCAPE_OF_TEXT: Final = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]+\})")


def parsed_file(path: str | Path) -> tuple[Property, ...]:
    """The properties that a file states, in its order."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError("no-such-property", f"can't be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError as error:
        raise MazurkaError(SYNTAX, f"not in UTF-8: {error.reason} at byte {error.start}", where=str(path)) from None
    return parsed(text, str(path))


def parsed(text: str, path: str = "") -> tuple[Property, ...]:
    """The properties that a text states, in its order; ``path`` names it in errors, and is that of the properties."""
    source = SourceText(text.replace("\r\n", "\n").replace("\r", "\n"), path)
    try:
        tree = _grammar().parse(source.text + "\n")
        found = [_PropertyReader(source).property(each) for each in tree.children if isinstance(each, Tree)]
    except UnexpectedInput as error:
        raise explained(error, source) from None
    except BadLines as error:
        raise source.error(SYNTAX, error.message, error.token) from None
    except RecursionError:
        raise MazurkaError(SYNTAX, "nested too deep", where=path) from None
    if not found:
        raise MazurkaError(
            SYNTAX, "no property", where=path, hint="one begins with a line `property NAME(PARAMETERS):`"
        )
    for at, (stated, token) in enumerate(found):
        if any(stated.name == other.name for other, _ in found[:at]):
            raise source.error(NAME, f"there are two properties {stated.name}", token)
    return tuple(stated for stated, _ in found)


@cache
def _grammar() -> Lark:
    return Lark.open_from_package(
        "mazurka.properties",
        "grammar.lark",
        parser="lalr",
        lexer="contextual",
        postlex=Lines(),
        propagate_positions=True,
    )


class _PropertyReader:
    """Makes a property of its tree. ``_places`` has the place of each part that may be wrong."""

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._places: dict[Part, Token] = {}
        self._letters = 0

    def property(self, tree: Tree[Token]) -> tuple[Property, Token]:
        """The property, and the token that names it."""
        name, parameters, *statements = tree.children
        assert isinstance(name, Token)
        self._places[()] = self._places["name",] = name
        parts: dict[str, list[Any]] = {"description": [], "distinct": [], "event": [], "pattern": []}
        declared = self._parameters(parameters, ())
        for statement in statements:
            assert isinstance(statement, Tree)
            kind = str(statement.data)
            if kind != "event" and parts[kind]:
                what = "two lines `distinct`" if kind == "distinct" else f"two {kind}s"
                raise self._error(f"the property {name} has {what}", _first(statement))
            parts[kind].append(getattr(self, f"_{kind}")(statement))
        if not parts["pattern"]:
            hint = "it has a line `pattern: EVENTS`, which says which of its events one after the other violate it"
            raise self._error(f"the property {name} has no pattern", name, hint)
        stated = Property(
            str(name),
            declared,
            tuple(parts["event"]),
            parts["pattern"][0],
            "".join(parts["description"]),
            self._source.path,
            parts["distinct"][0] if parts["distinct"] else (),
        )
        for problem in problems(stated):
            raise self._source.error(problem.slug, problem.message, self._place(problem.part), problem.hint)
        return in_normal_form(stated), name

    def _error(self, message: str, token: Token, hint: str = "", slug: Slug = SYNTAX) -> MazurkaError:
        return self._source.error(slug, message, token, hint)

    def _place(self, part: Part) -> Token:
        """The place of a part, or of the nearest part around it."""
        if "condition" in part:
            *inside, line, column = part
            start = self._places[tuple(inside)]
            lines = start.split("\n")
            offset = sum(len(each) + 1 for each in lines[: int(line)]) + int(column)
            return Token("place", start[offset : offset + 1] or " ", start_pos=(start.start_pos or 0) + offset)
        while part not in self._places:
            part = part[:-1]
        return self._places[part]

    def _parameters(self, tree: object, part: Part) -> tuple[str, ...]:
        return self._names(tree, part) if isinstance(tree, Tree) else ()

    def _names(self, tree: Tree[Token], part: Part) -> tuple[str, ...]:
        """Names of parameters."""
        tokens = [each for each in tree.children if isinstance(each, Token)]
        for token in tokens:
            key = (*part, "parameter", str(token))
            self._places[(*key, 2) if key in self._places else key] = token
        return tuple(map(str, tokens))

    def _description(self, tree: Tree[Token]) -> str:
        self._places["description",] = _first(tree)
        texts = [self._text(token) for token in tree.children if isinstance(token, Token)]
        if not all(isinstance(each, str) for each in texts):
            raise self._error("a description is a text, not bytes", _first(tree))
        return "".join(map(str, texts))

    def _distinct(self, tree: Tree[Token]) -> tuple[str, ...]:
        return self._names(tree, ("distinct",))

    # -- events -------------------------------------------------------------------------------------------------------

    def _event(self, tree: Tree[Token]) -> EventDeclaration:
        name, parameters, *pointcuts = tree.children
        assert isinstance(name, Token)
        here: Part = ("event", str(name))
        self._places[(*here, 2) if here in self._places else here] = name
        declared = self._parameters(parameters, here)
        made: list[Pointcut] = []
        for at, each in enumerate(pointcuts):
            assert isinstance(each, Tree)
            made.append(_PointcutReader(self._source, self._places, (*here, "pointcut", at), declared).read(each, made))
        return EventDeclaration(str(name), declared, tuple(made))

    # -- patterns -----------------------------------------------------------------------------------------------------

    def _pattern(self, tree: Tree[Token]) -> Pattern:
        self._places["pattern",] = self._source.span(tree.children[0])
        return self._expression(tree.children[0])

    def _expression(self, tree: Any) -> Pattern:
        parts = tree.children
        match str(tree.data):
            case "expression":
                return forms.alternation([self._expression(each) for each in parts])
            case "both":
                return forms.intersection([self._expression(each) for each in parts])
            case "row":
                return forms.concatenation([self._expression(each) for each in parts])
            case "complement":
                return Complement(self._expression(parts[0]))
            case "repetition":
                return forms.repetition(self._expression(parts[0]), int(parts[1] == "+"), parts[1] != "?")
            case "empty":
                return Concatenation(())
            case "parallel":
                return Parallel(self._letter(parts[0]), self._letter(parts[1]))
            case _:
                return self._letter(tree)

    def _letter(self, tree: Tree[Token]) -> Letter:
        name, *attributes = tree.children
        assert isinstance(name, Token)
        self._places["pattern", self._letters] = name
        self._letters += 1
        event = name.removesuffix("(")
        found: dict[str, list[str]] = {"thread": [], "begins": [], "ends": []}
        for each in attributes:
            assert isinstance(each, Tree)
            kind, token = str(each.data), _first(each)
            if kind == "thread" and found[kind]:
                message = f"{event} has two threads, {found[kind][0]} and {token}"
                raise self._error(message, token, "an event is one thread's", PATTERN)
            if token in found[kind]:
                raise self._error(f"{event} {kind} the region {token} twice", token, "", PATTERN)
            found[kind].append(str(token))
        return Letter(event, "".join(found["thread"]), tuple(found["begins"]), tuple(found["ends"]))

    def _text(self, token: Token) -> object:
        return text_of(token, self._source)


class _PointcutReader:
    """Makes a pointcut of its tree, at ``here`` in its property; ``parameters`` are those of its event."""

    def __init__(self, source: SourceText, places: dict[Part, Token], here: Part, parameters: tuple[str, ...]) -> None:
        self._source = source
        self._places = places
        self._here = here
        self._parameters = parameters

    def read(self, tree: Tree[Token], before: list[Pointcut]) -> Pointcut:
        """The pointcut; one that states neither moment nor operation has those of the one before it."""
        moment, site, result, condition = tree.children
        assert isinstance(site, Tree)
        self._places[self._here] = self._source.span(tree)
        kind, qualified, operands, keywords = getattr(self, f"_{site.data}")(site)
        when = Moment(str(moment)) if moment else Moment.BEFORE
        if not moment and kind is None and before:
            when, kind = before[-1].moment, before[-1].kind
        return Pointcut(
            kind or PointcutKind.CALL,
            qualified,
            when,
            operands,
            keywords,
            self._result(result, when),
            self._condition(condition),
        )

    def _error(self, message: str, token: Token, hint: str = "", slug: Slug = SYNTAX) -> MazurkaError:
        return self._source.error(slug, message, token, hint)

    # -- the operation: its kind (None if it is not stated), names, operands and keywords --------------------------

    def _named(self, tree: Tree[Token]) -> tuple[Any, ...]:
        kind, name, operands, value = tree.children
        stated = PointcutKind(str(kind)) if kind else None
        found, keywords = self._operands(operands)
        if value is not None:
            assert isinstance(value, Tree)
            if stated is not PointcutKind.SET:
                raise self._error("only `set` has a value", self._source.span(value), "a result is written `-> RESULT`")
            thing, *attribute = found or (Anything(),)
            found = (thing, self._operand(value.children[0]), *attribute)
        return stated, self._names(name), found, keywords

    def _item(self, tree: Tree[Token]) -> tuple[Any, ...]:
        kind, name, container, key, value = tree.children
        operands = [self._operand(container) if container else Anything(), self._operand(key)]
        if kind == "set":
            operands.append(self._operand(value.children[0]) if isinstance(value, Tree) else Anything())
        elif isinstance(value, Tree):
            raise self._error("only `set` has a value", self._source.span(value), "a result is written `-> RESULT`")
        return PointcutKind.CALL, self._names(name, _ITEMS[str(kind)]), tuple(operands), {}

    def _block(self, tree: Tree[Token]) -> tuple[Any, ...]:
        kind, name, operands = tree.children
        found, keywords = self._operands(operands)
        if found is not None and kind == "exit" and Anything(more=True) not in found:
            found = (*found, Anything(more=True))  # the exception, if there is one
        return PointcutKind.CALL, self._names(name, _BLOCKS[str(kind)]), found, keywords

    def _names(self, token: Any, method: str = "") -> tuple[str, ...]:
        try:
            found = names.expanded(str(token))
        except ValueError as error:
            raise self._error(str(error), token, names.EXAMPLES, POINTCUT) from None
        self._places[(*self._here, "name")] = token
        return tuple(f"{name}.{method}" for name in found) if method else found

    # -- operands -----------------------------------------------------------------------------------------------------

    def _operands(self, tree: Any) -> tuple[tuple[Operand, ...] | None, dict[str, Operand]]:
        if tree is None:
            return None, {}
        positional: list[Operand] = []
        keywords: dict[str, Operand] = {}
        for each in filter(None, tree.children):
            if each.data == "keyword":
                name, operand = each.children
                if name in keywords:
                    raise self._error(f"there are two operands {name}=", name)
                keywords[str(name)] = self._operand(operand)
                continue
            positional.append(self._operand(each))
            if keywords and positional[-1] != Anything(more=True):
                raise self._error("an operand after keyword=operand", self._source.span(each), "put it before")
        return tuple(positional), keywords

    def _operand(self, tree: Any) -> Operand:
        token = self._source.span(tree)
        match str(tree.data):
            case "rest":
                self._places[(*self._here, "rest")] = token
                return Anything(more=True)
            case "anything":
                return Anything()
            case "of_type":
                return self._of_type(tree.children[0])
            case "constant":
                return Equal(_CONSTANTS[str(token)])
            case "number":
                return Equal(self._number(token))
            case "text":
                return Equal(text_of(token, self._source))
        if "." in token:
            raise self._error(f"{token} is no parameter", token, f"write `is {token}` for objects of a class", POINTCUT)
        self._places.setdefault((*self._here, "operand", str(token)), token)
        return Named(str(token))

    def _of_type(self, token: Any) -> OfType:
        (name, *more) = self._names(token)
        if more:
            raise self._error("a class has no alternatives", token, "write one pointcut for each", POINTCUT)
        return OfType(name)

    def _number(self, token: Token) -> object:
        try:
            return ast.literal_eval(str(token))
        except (SyntaxError, ValueError):
            raise self._error(f"{token} is no number", token) from None

    def _result(self, tree: Any, moment: Moment) -> Operand:
        if tree is None:
            return Anything()
        self._places[(*self._here, "result")] = self._source.span(tree)
        token = self._source.span(tree.children[0])
        if moment is Moment.RAISING and tree.children[0].data == "name" and token not in self._parameters:
            if "." in token or isinstance(getattr(builtins, token, None), type):
                return OfType(str(token))
        return self._operand(tree.children[0])

    def _condition(self, tree: Any) -> str:
        if tree is None:
            return ""
        for token in tree.scan_values(lambda each: isinstance(each, Token) and each.type == "STRING"):
            text_of(token, self._source)
        start = tree.children[0].end_pos
        text = self._source.text[start : tree.meta.end_pos]
        self._places[(*self._here, "condition")] = Token("IF", text, start_pos=start)
        return text


def text_of(token: Token, source: SourceText) -> object:
    """The text, or the bytes, of a literal."""
    prefix = token[: min(token.find(quote) % (len(token) + 1) for quote in "\"'")].lower()
    at = len(prefix)
    while "r" not in prefix and (at := token.find("\\", at)) >= 0:
        known = _ESCAPE.match(token, at) or ("b" not in prefix and _ESCAPE_OF_TEXT.match(token, at))
        if not known:
            place = Token("place", token[at : at + 2], start_pos=(token.start_pos or 0) + at)
            raise source.error(SYNTAX, f"unknown escape {place}", place, "write \\\\ for a backslash")
        at = known.end()
    try:
        return ast.literal_eval(str(token))
    except (SyntaxError, ValueError) as error:
        raise source.error(SYNTAX, f"no text: {getattr(error, 'msg', error)}", token) from None


def _first(tree: Tree[Token]) -> Token:
    return next(iter(tree.scan_values(lambda each: isinstance(each, Token))))
