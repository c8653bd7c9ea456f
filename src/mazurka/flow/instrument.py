"""The text of a program's LLVM IR, with what records its paths.

A path's number is a variable on the stack, `mzk.number`, and so are the passes of counted loops, and the word that is
being written with its place (:mod:`mazurka.flow.writing`); LLVM makes registers of them. Word and place are read at
the entry of a function and after calls that end paths: in between nothing else writes.

Invariant: nodes, edges and their order are those of :mod:`mazurka.flow.plan`; blocks are only added, on edges.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from mazurka.flow.externals import INPUTS, External
from mazurka.flow.graph import Node
from mazurka.flow.paths import Step
from mazurka.flow.plan import LEAVES_WIDTH, OVER, FunctionPlan, Plan
from mazurka.flow.sites import Lost, Site, Sites, Where
from mazurka.flow.writing import declarations
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.module import Instruction
from mazurka.program.llvm.ir.types import Int, Pointer

#: From a function's name and a block's number to lines of LLVM IR.
Begins: TypeAlias = Callable[[str, int], list[str]]

#: What the compiler has found of functions that didn't write, yet.
_NO_EFFECTS: Final = re.compile(
    r" (memory\((?:[^()]|\([^()]*\))*\)"
    r"|(readnone|readonly|writeonly|speculatable|nosync|nofree|norecurse|willreturn)(?= ))"
)

#: Another path begins, after something else may have written.
_BEGIN: Final = ("  call void @mzk.load(ptr %mzk.at)", "  store i32 0, ptr %mzk.number")

#: Something else may write.
_SAVE: Final = "  call void @mzk.save(ptr %mzk.at)"

_INCOMING: Final = re.compile(r'\[ (.*?), %("[^"]*"|[-\w$.]+) \]')


@dataclass(frozen=True, slots=True)
class Options:
    """How to record: ``stamps`` (0: none) numbers come before each time stamp; in a ``ring`` calls are kept on a
    stack of their own."""

    stamps: int = 0
    ring: bool = False


def instrumented(text: str, plan: Plan, options: Options, begins: Begins | None = None) -> str:
    """The text with what records the plan's paths; ``begins`` has further lines to put at the beginning of each
    block, by the name of its function and its number."""
    lines = _Lines(text.splitlines())
    if begins is not None:
        for own in plan.functions.values():
            for number, block in enumerate(own.function.blocks):
                first = next(each for each in block.instructions if each.opcode != "phi")
                lines.put(lines.first_of(first), begins(own.function.name, number))
    sites = Sites(plan.functions)
    for each in plan.functions.values():
        if plan.writes(each):
            _Function(lines, plan, each, sites, options).instrument()
    free = 1 + max((int(number) for number in re.findall(r"^!(\d+) = ", text, re.MULTILINE)), default=-1)
    for number, line in enumerate(lines.lines):
        if line.startswith("attributes #"):
            lines.lines[number] = _NO_EFFECTS.sub("", line)
    return "\n".join([*lines.merged(), *declarations(text, plan.entry_width, options.stamps, free)])


class _Lines:
    """The lines of a text, by number from 1 on, and what is put before some of them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self._before: dict[int, list[str]] = {}

    def put(self, number: int, texts: Iterable[str]) -> None:
        """Put lines before a line, after those that were put there."""
        self._before.setdefault(number, []).extend(texts)

    def first_of(self, each: Instruction) -> int:
        """The first line of an instruction."""
        number = each.line
        if each.opcode == "switch":
            while not self.lines[number - 1].lstrip().startswith("switch "):
                number -= 1
        return number

    def merged(self) -> Iterator[str]:
        """All lines."""
        for number, line in enumerate(self.lines, 1):
            yield from self._before.get(number, ())
            yield line


class _Function:
    """The changes of one function."""

    def __init__(self, lines: _Lines, plan: Plan, own: FunctionPlan, sites: Sites, options: Options) -> None:
        self._lines = lines
        self._plan = plan
        self._own = own
        self._sites = sites
        self._options = options
        self._temporaries = 0
        self._added: list[str] = []

    def instrument(self) -> None:
        """Change the function's lines."""
        own = self._own
        entry = own.function.blocks[0].instructions[0]
        self._lines.put(self._lines.first_of(entry), self._prologue())
        for number in sorted(own.graph.order):  # in the order of the text
            node = own.graph.nodes[number]
            if node.call is not None:
                self._around(node, node.call)
            else:
                self._at_end(node)
        if self._added:
            closing = own.function.blocks[-1].instructions[-1].line
            while self._lines.lines[closing - 1] != "}":
                closing += 1
            self._lines.put(closing, self._added)

    # -- pieces of text -----------------------------------------------------------------------------------------------

    def _name(self) -> str:
        self._temporaries += 1
        return f"%mzk.{self._temporaries}"

    def _site(self, where: Where, number: int = 0) -> int:
        return self._sites.numbers[Site(where, self._own.function.name, number)]

    def _write(self, width: int, value: str, site: int) -> list[str]:
        """Write a value; the place is given with the width, so that a decoder that begins there can skip it."""
        return [f"  call void @mzk.put{width}(ptr %mzk.at, i32 {value}, i32 {site << 8 | width})"]

    def _write_number(self, width: int, site: int) -> list[str]:
        if not width:
            return []
        name = self._name()
        return [f"  {name} = load i32, ptr %mzk.number", *self._write(width, name, site)]

    def _prologue(self) -> list[str]:
        own = self._own
        found = ["  %mzk.at = alloca ptr", "  %mzk.number = alloca i32"]
        found += [f"  %mzk.c{loop} = alloca i64" for loop in range(len(own.paths.counted))]
        found += _BEGIN
        if own.entry is not None:
            found += self._write(self._plan.entry_width, str(own.entry), self._site(Where.NODE))
        return found

    # -- calls --------------------------------------------------------------------------------------------------------

    def _around(self, node: Node, call: Instruction) -> None:
        """Write before and after a call that ends paths."""
        plan, own = self._plan, self._own
        line = self._lines.first_of(call)
        site = self._site(Where.CALL, node.number)
        before = self._write_number(own.paths.nodes[node.number].width, site)
        if plan.leaves(call):
            jumps = plan.kind(call) is External.JUMPS
            away = self._sites.numbers[Site(Where.JUMP if jumps else Where.OUTSIDE)]
            self._lines.put(line, [*before, *self._write(LEAVES_WIDTH, str(OVER), away), _SAVE])
            return
        before.append(_SAVE)
        found = []
        if self._options.ring:
            depth = self._name()
            before.append(f"  {depth} = call i32 @mzk.push(i32 {site})")
            found.append(f"  store i32 {depth}, ptr @__mzk_depth")
        self._lines.put(line, before)
        self._lines.put(line + 1, [*found, *self._after(node, call)])

    def _after(self, node: Node, call: Instruction) -> list[str]:
        plan, found = self._plan, list[str]()
        following = self._site(Where.NODE, node.number + 1)
        if plan.is_defined(call):
            return [*found, *_BEGIN]
        kind = plan.kind(call)
        is_input = plan.brings_in(call)
        if plan.calls_back(call):
            over = self._site(Where.INPUT, node.number) if is_input else following
            found += [*_BEGIN, *self._write(plan.entry_width, str(OVER), over), _SAVE]
        if kind is External.STARTS:
            number = call.line
            name = plan.called(call)
            self._lines.lines[number - 1] = self._lines.lines[number - 1].replace(f"@{name}(", f"@__mzk_{name}(")
        if is_input:
            found += self._input(call, following)
        if kind is External.LANDS:
            frame = self._name()
            found.append(f"  {frame} = call ptr @llvm.frameaddress.p0(i32 0)")
            found.append(f"  call void @__mzk_landed(ptr {frame}, i32 {following << 8})")
        return [*found, *_BEGIN]

    def _input(self, call: Instruction, site: int) -> list[str]:
        """Record the result of a call, and what it has stored."""
        found = []
        what = INPUTS.get(self._plan.called(call) or "", 0)
        result = f"%{_quoted(call.result)}" if call.result else "0"
        if isinstance(call.type, Pointer):
            value = self._name()
            found.append(f"  {value} = ptrtoint ptr {result} to i64")
        elif isinstance(call.type, Int) and call.type.bits < 64 and call.result:
            value = self._name()
            found.append(f"  {value} = sext {call.type} {result} to i64")
        else:
            value = result
        arguments = [self._argument(call, at) for at in range(3)]
        texts = [text for text, _ in arguments]
        for _, lines in arguments:
            found += lines
        found.append(f"  call void @__mzk_input(i64 {value}, i32 {what}, {', '.join(texts)}, i32 {site << 8})")
        return found

    def _argument(self, call: Instruction, at: int) -> tuple[str, list[str]]:
        """An argument of a call as a number of 64 bits, and the lines that make it one."""
        if at + 1 >= len(call.operands) or not INPUTS.get(self._plan.called(call) or "", 0):
            return "i64 0", []
        text = self._operand_text(call, at)
        if text is None:
            return "i64 0", []
        kind, name = text
        if kind == "i64":
            return f"i64 {name}", []
        made = self._name()
        how = "ptrtoint ptr" if kind == "ptr" else f"sext {kind}"
        return f"i64 {made}", [f"  {made} = {how} {name} to i64"]

    def _operand_text(self, call: Instruction, at: int) -> tuple[str, str] | None:
        operand = call.operands[at + 1]
        if not isinstance(operand.type, Int | Pointer):
            return None
        name = getattr(operand.value, "name", None)
        if name is not None:
            sign = "@" if type(operand.value).__name__ == "Symbol" else "%"
            return str(operand.type), f"{sign}{_quoted(name)}"
        value = getattr(operand.value, "value", None)
        if isinstance(operand.type, Int) and isinstance(value, int):
            return str(operand.type), str(value)
        return None

    # -- ends of blocks -----------------------------------------------------------------------------------------------

    def _at_end(self, node: Node) -> None:
        own = self._own
        last = own.function.blocks[node.block].instructions[-1]
        known = own.paths.nodes[node.number]
        if last.opcode == "ret":
            texts = self._write_number(known.width, self._site(Where.RETURNED))
            if own.function.name == "main":
                texts += self._write(self._plan.entry_width, str(OVER), 0)
            self._lines.put(self._lines.first_of(last), [*texts, _SAVE])
            return
        for step in known.steps:
            if texts := self._on_edge(step, known.width):
                if len(known.steps) == 1:
                    self._lines.put(self._lines.first_of(last), texts)
                else:
                    self._split(node, step, texts, last)

    def _on_edge(self, step: Step, width: int) -> list[str]:
        paths, found = self._own.paths, list[str]()
        if step.passes is not None:
            old, new = self._name(), self._name()
            place = f"ptr %mzk.c{step.passes}"
            return [f"  {old} = load i64, {place}", f"  {new} = add i64 {old}, 1", f"  store i64 {new}, {place}"]
        target = Site(Where.NODE, self._own.function.name, step.edge.target)
        if step.enters is not None:
            target = Site(Where.LOOP, self._own.function.name, step.enters)
        site = self._sites.numbers[target]
        if step.leaves is not None:
            count, many, both = self._name(), self._name(), self._name()
            found += [
                f"  {count} = load i64, ptr %mzk.c{step.leaves}",
                f"  {many} = mul i64 {count}, {len(paths.exits[step.leaves])}",
                f"  {both} = add i64 {many}, {step.value}",
                f"  call void @mzk.count(ptr %mzk.at, i64 {both}, i32 {site << 8 | Lost.PASSES})",
            ]
        elif step.value:
            old, new = self._name(), self._name()
            found += [
                f"  {old} = load i32, ptr %mzk.number",
                f"  {new} = add i32 {old}, {step.value}",
                f"  store i32 {new}, ptr %mzk.number",
            ]
        if step.ends and step.leaves is None:
            found += [*self._write_number(width, site), "  store i32 0, ptr %mzk.number"]
        if step.enters is not None:
            found.append(f"  store i64 0, ptr %mzk.c{step.enters}")
        return found

    def _split(self, node: Node, step: Step, texts: list[str], last: Instruction) -> None:
        """Put a block on an edge."""
        blocks, lines = self._own.function.blocks, self._lines.lines
        source = blocks[node.block].name
        target = blocks[self._own.graph.nodes[step.edge.target].block]
        added = f"mzk.e{node.number}.{step.edge.target}"
        for number in range(self._lines.first_of(last), last.line + 1):
            lines[number - 1] = _renamed_target(lines[number - 1], target.name, added)
        for each in target.instructions:
            if each.opcode == "phi":
                lines[each.line - 1] = _renamed_source(lines[each.line - 1], source, added)
        self._added += [f"{added}:", *texts, f"  br label %{_quoted(target.name)}"]


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[-\w$.]+", name) else f'"{name}"'


def _renamed_target(line: str, old: str, new: str) -> str:
    return re.sub(rf"label %{re.escape(_quoted(old))}(?![-\w$.])", f"label %{new}", line)


def _renamed_source(line: str, old: str, new: str) -> str:
    """A ``phi`` with another block in place of one from which it had one value, however often."""
    seen = False

    def renamed(match: re.Match[str]) -> str:
        nonlocal seen
        if match[2].strip('"') != old:
            return match[0]
        if seen:
            return ""
        seen = True
        return f"[ {match[1]}, %{new} ]"

    changed = _INCOMING.sub(renamed, line)
    return re.sub(r", (?=, )|, $|, (?=, !)", "", changed)
