"""Python functions that go on where native code has left, and enter it at heads of loops.

They are as those of :mod:`mazurka.program.llvm.translation`, but begin at any block, and at any segment of it: ``b`` is
the label, and ``given`` has the variables that are live there, or is None. A function that is called while frames of
native code wait (``pending``) goes on as the last of them says.

Cost: 30 ns more for each segment than a function that is not resumed.
"""

from __future__ import annotations

from typing import Any

from mazurka.program.llvm.ir.module import Block
from mazurka.program.llvm.native.segments import CodeSegments
from mazurka.program.llvm.translation import Translator


class ResumableTranslator(Translator):
    """Translates one function, of this number, so that it can be resumed."""

    def __init__(self, number: int, segments: CodeSegments, *given: Any) -> None:
        super().__init__(*given)
        self._number = number
        self._segments = segments
        self._entries = segments.entries()
        self._owns = " and owned"

    def _numbered_labels(self, entry: str) -> dict[str, int]:
        return dict(self._segments.first)

    def _begin(self) -> None:
        self._emit(1, "b, given, owned = 0, None, True")
        self._emit(1, "if pending:")
        self._emit(2, "b, given, frame = pending.pop()")
        if self.loops.heads or self._frees:
            self._emit(2, "if frame is not None:")
            self._emit(3, "owned = False")
            if self.loops.heads:
                self._emit(3, "act = frame['act']")
            if self._frees:
                self._emit(3, "mine = frame['mine']")

    def _block(self, name: str, depth: int) -> None:
        block = next(each for each in self.function.blocks if each.name == name)
        self._line = self._line_of[id(block.instructions[0])]
        labels = [label for label, part in enumerate(self._segments.parts) if part.block == name]
        for label in labels:
            inner = depth
            if len(labels) > 1:
                self._emit(depth, f"if b <= {label}:")
                inner += 1
            if self._segments.parts[label].is_head or label in self._entries.values() or self._is_target(label):
                self._take(label, inner)
            if self._segments.parts[label].is_head:
                self._head(block, label, inner)
            else:
                written = len(self._lines)
                self._statements(block, self._segments.instructions(label), inner)
                if len(self._lines) == written and inner > depth:
                    self._emit(inner, "pass")

    def _is_target(self, label: int) -> bool:
        return not label or self._segments.is_target(label)

    def _take(self, label: int, depth: int) -> None:
        """Take over the variables that were live."""
        live = self._segments.live[label]
        if live is not None:
            self._emit(depth, "if given is not None:")
            if live:
                self._emit(depth + 1, f"{', '.join(map(self.name, live))}, = given")
            self._emit(depth + 1, "given = None")

    def _head(self, block: Block, label: int, depth: int) -> None:
        head = self.loops.heads[block.name]
        self._emit(depth, f"if {self._passing(block.name)}:")
        live = self._segments.live[label + 1]
        if live is None:
            self._emit(depth + 1, "pass")
            return
        variables = "".join(f"{self.name(each)}, " for each in live)
        self._emit(depth + 1, f"b, given = enter({self._number}, {label + 1}, {head.number}, ({variables}))")
        self._emit(depth + 1, "if b < 0: return given")
        self._emit(depth + 1, "continue")
