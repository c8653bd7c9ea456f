"""The debug metadata of a module: locations, and the names of variables.

Source: the LLVM language reference, "Specialized Metadata Nodes". Nodes are read when they are first asked for.
"""

from __future__ import annotations

import os
import re
from typing import Final

from mazurka.trace.event import Location

_NODE: Final = re.compile(r"^!(\d+) = (?:distinct )?(![A-Za-z]\w*)?\((.*)\)\s*$")
_LIST: Final = re.compile(r"^!(\d+) = (?:distinct )?!\{(.*)\}\s*$")
_NUMBER: Final = re.compile(r"!(\d+)")
_DBG: Final = re.compile(r"!dbg !(\d+)")
_VARIABLE: Final = re.compile(r"#dbg_declare\(ptr %([-\w$.]+), !(\d+)")


class DebugMetadata:
    """The debug metadata of a module, given by the lines of its text."""

    def __init__(self, lines: list[str]) -> None:
        self._texts: dict[str, tuple[str, str]] = {}
        self._lists: dict[str, list[str]] = {}
        for line in lines:
            if line.startswith("!") and (match := _NODE.match(line)):
                self._texts[match[1]] = match[2] or "", match[3]
            elif line.startswith("!") and (match := _LIST.match(line)):
                self._lists[match[1]] = _NUMBER.findall(match[2])
        self._files: dict[str, str] = {}
        self._locations: dict[str, Location | None] = {}

    def of_instruction(self, text: str) -> Location | None:
        """The location of an instruction, given by its text."""
        match = _DBG.search(text)
        if match is None:
            return None
        if match[1] not in self._locations:
            self._locations[match[1]] = self._location(match[1])
        return self._locations[match[1]]

    def of_function(self, text: str) -> Location | None:
        """The location of a function, given by the text of its definition."""
        match = _DBG.search(text)
        if match is None:
            return None
        node = match[1]
        line = self._number(node, "line")
        return Location(self._file(node), line, 0, self._string(node, "name")) if line else None

    def of_global(self, text: str) -> Location | None:
        """The location of a global variable, given by the text of its definition."""
        match = _DBG.search(text)
        if match is None or not (node := self._reference(match[1], "var")):
            return None
        line = self._number(node, "line")
        return Location(self._file(node), line) if line else None

    def name_of_global(self, text: str) -> str:
        """The source's name of a global variable, given by the text of its definition; "" if it is not known."""
        match = _DBG.search(text)
        return self._string(self._reference(match[1], "var"), "name") if match else ""

    def variable(self, text: str) -> tuple[str, str] | None:
        """The name of an ``alloca``, and that of the variable that it stands for, given by a debug record."""
        match = _VARIABLE.search(text)
        return (match[1], self._string(match[2], "name")) if match else None

    def fields(self) -> dict[str, dict[int, str]]:
        """The fields of structures, by the names of these: the names of the fields by offset in bytes. Fields of bits
        are left out."""
        found: dict[str, dict[int, str]] = {}
        for node, (kind, text) in self._texts.items():
            name = self._string(node, "name")
            if name and kind == "!DICompositeType" and "DW_TAG_structure_type" in text:
                found.setdefault(name, {}).update(self._members(node))
            elif name and kind == "!DIDerivedType" and "DW_TAG_typedef" in text:
                base = self._reference(node, "baseType")
                if "DW_TAG_structure_type" in self._text(base) and not self._string(base, "name"):
                    found.setdefault(name, {}).update(self._members(base))
        return found

    def _members(self, structure: str) -> dict[int, str]:
        members = self._lists.get(self._reference(structure, "elements"), [])
        whole = [each for each in members if "DIFlagBitField" not in self._text(each)]
        return {
            self._number(each, "offset") // 8: name
            for each in whole
            if "DW_TAG_member" in self._text(each) and (name := self._string(each, "name"))
        }

    def _location(self, node: str) -> Location | None:
        line = self._number(node, "line")
        scope = self._reference(node, "scope")
        if not line or not scope:
            return None
        return Location(self._file(scope), line, self._number(node, "column"), self._function(scope))

    def _function(self, scope: str) -> str:
        while scope and self._texts.get(scope, ("", ""))[0] != "!DISubprogram":
            scope = self._reference(scope, "scope")
        return self._string(scope, "name") if scope else ""

    def _file(self, node: str) -> str:
        if node not in self._files:
            file = self._reference(node, "file")
            if not file:
                scope = self._reference(node, "scope")
                self._files[node] = self._file(scope) if scope else ""
            else:
                name, folder = self._string(file, "filename"), self._string(file, "directory")
                self._files[node] = os.path.normpath(os.path.join(folder, name))
        return self._files[node]

    def _text(self, node: str) -> str:
        return self._texts.get(node, ("", ""))[1]

    def _number(self, node: str, key: str) -> int:
        match = re.search(rf"\b{key}: (\d+)", self._text(node))
        return int(match[1]) if match else 0

    def _reference(self, node: str, key: str) -> str:
        match = re.search(rf"\b{key}: !(\d+)", self._text(node))
        return match[1] if match else ""

    def _string(self, node: str, key: str) -> str:
        match = re.search(rf'\b{key}: "([^"]*)"', self._text(node))
        return match[1] if match else ""


def structure_name(name: str) -> str:
    """The source's name of a structure, of its name in LLVM IR: ``account`` of ``%struct.account.12``."""
    kind, dot, rest = name.lstrip("%").strip('"').partition(".")
    rest = rest if dot and kind in ("struct", "class", "union") else name.lstrip("%")
    head, _, number = rest.rpartition(".")
    return head if head and number.isdigit() else rest
