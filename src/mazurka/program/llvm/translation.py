"""From a function in LLVM IR to Python source.

Each function becomes one Python function, each result a local variable; integers are their unsigned values, pointers
addresses, floats Python's, aggregates and vectors tuples. A block with one predecessor follows it; the others are cases
of a loop ``while True: if b < ...``. Variables in memory (``alloca``) whose address is only loaded from and stored to
are Python variables. Statements have the line numbers of the C source, so that frames and tracebacks show it.

Loops are reported at their heads (:mod:`mazurka.program.runtime.loops`), those without accesses to memory only count.
Where a head answers that the loop has native code, the function goes on there (:mod:`mazurka.program.llvm.native`).

Cost: 20 to 100 ns for an instruction that does not access memory.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Protocol

from mazurka.program.llvm.expressions import (
    BITWISE,
    as_signed,
    bits_of,
    bytes_of,
    changed,
    changed_float,
    constant,
    elements_of,
    fitted,
    float_test,
    from_bits,
    integer_test,
    literal,
    parts_of,
    rounded,
    signed,
    to_bits,
    zero,
)
from mazurka.program.llvm.ir.functions import (
    IGNORED_CALLS,
    instructions_of,
    is_step,
    may_lack_value,
    moved_in,
    promoted_in,
    returned_in,
    successors,
    used_in,
)
from mazurka.program.llvm.ir.jumps import is_setjmp
from mazurka.program.llvm.ir.module import (
    VARIADIC,
    Block,
    ConstantExpression,
    ConstantValue,
    Instruction,
    IrFunction,
    Local,
    Operand,
    Symbol,
    Undefined,
)
from mazurka.program.llvm.ir.tokens import Unsupported
from mazurka.program.llvm.ir.types import Array, Float, Int, Pointer, Struct, Type, Void
from mazurka.program.llvm.loop_structure import LoopStructure

#: Blocks nested deeper than this begin anew: Python's parser has a limit.
_DEEPEST: Final = 60

_FLOAT_OPERATIONS: Final = {"fadd": "+", "fsub": "-", "fmul": "*"}
_WRAPPING: Final = {"add": "+", "sub": "-", "mul": "*"}

#: Functions for atomic stores, by their orderings.
_STORES: Final = {
    **dict.fromkeys(("unordered", "monotonic"), "relaxed_store"),
    "release": "release_store",
    "seq_cst": "atomic_store",
}

#: Larger numbers are accessed in parts, as the processor does, between which other threads may move.
_WORD: Final = 8

_LONG_DOUBLE: Final = Float("x86_fp80")
_STACK_POINTER: Final = ("llvm.stacksave", "llvm.stackrestore")

#: The site of an instruction.
SiteOf = Callable[[Instruction], int]


class Watched(Protocol):
    """The operations that properties are about."""

    def watched_call(self, name: str, types: tuple[Type, ...], result: Type) -> str:
        """The arguments of ``called`` for calls of a function, if they may be events; otherwise ""."""

    def watched_field(self, structure: Struct, index: int) -> str:
        """The name of a field of a structure, if accesses of it may be events; otherwise ""."""


class Translator:
    """Translates one function. ``address`` gives the addresses of symbols, ``site`` numbers instructions, ``callee``
    gives the expression for a function that is called by name, ``definition`` that function, if it is the program's.
    With ``counts_steps``, ``step()`` is called before each
    instruction that may be visible to other threads; and ``entered(n)`` in each block that has a ``number`` n, by the
    names of its function and its own."""

    def __init__(
        self,
        function: IrFunction,
        address: Callable[[str], int],
        site: SiteOf,
        callee: Callable[[str], str],
        definition: Callable[[str], IrFunction | None],
        watched: Watched | None = None,
        *,
        counts_steps: bool = False,
        number: Callable[[str, str], int | None] | None = None,
    ) -> None:
        self.function = function
        self._number_of = number
        self._watched = watched
        self._counts_steps = counts_steps
        self._address = address
        self.site = site
        self._callee = callee
        self._definition = definition
        self._blocks = {block.name: block for block in function.blocks}
        self.names: dict[str, str] = {}
        self.promoted = promoted_in(function)
        self.moved = moved_in(function)
        self._returned = returned_in(function, self.promoted)
        self._used = used_in(function)
        self._lines: list[tuple[int, str, int]] = []  # depth, text, line of the source
        self._line = function.location.line if function.location else 1
        self._line_of = _lines_of(function)
        self.loops = LoopStructure(function, site, self.promoted)
        self._labels: dict[str, int] = {}
        self._jumps = {block.name: number for number, block in enumerate(filter(_sets_jump, function.blocks))}
        self._frees = False
        self._owns = ""  # a further condition for objects in memory to end with the function

    # -- the whole ----------------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The Python source of the function."""
        self._translate()
        return "\n".join("\t" * depth + text for depth, text, _ in self._lines) + "\n"

    def compiled(self, namespace: dict[str, Any], name: str) -> types.CodeType:
        """Define the function in a namespace, with the line numbers of its source; returns its code."""
        tree = ast.parse(self.source())
        lines = [line for _, _, line in self._lines]
        for node in ast.walk(tree):
            if isinstance(node, ast.stmt | ast.expr | ast.arg | ast.ExceptHandler):
                node.lineno = node.end_lineno = lines[node.lineno - 1]
        location = self.function.location
        code = compile(tree, location.file if location else f"<{self.function.name}>", "exec")
        exec(code, namespace)  # code that has just been made
        made: types.FunctionType = namespace[name]
        made.__code__ = made.__code__.replace(co_name=self.function.shown_name)
        return made.__code__

    def _translate(self) -> None:
        function = self.function
        entry = function.blocks[0].name
        parameters = ", ".join(self.name(name) for name, _ in function.parameters)
        rest = ("*" if not parameters else ", *") + "rest" if function.variadic else ""
        self._emit(0, f"def {python_name(function.name)}({parameters}{rest}):")
        self._frees = (
            function.variadic
            or bool(self._jumps)
            or any(each.opcode == "alloca" and each.result not in self.promoted for each in instructions_of(function))
        )
        if self.promoted:
            names = " = ".join(self.name(name) for name in self.promoted)
            self._emit(1, f"{names} = None")
        if self.loops.heads:
            phis = [each.result for each in instructions_of(function) if each.opcode == "phi"]
            if phis:
                self._emit(1, f"{' = '.join(map(self.name, phis))} = None")
            self._emit(1, "act = activation()")
        if self._frees:
            self._emit(1, "mine = []")
        depth = 1 + self._frees
        self._labels = self._numbered_labels(entry)
        self._begin()
        if self._jumps:
            self._emit(1, "here = jump_frame()")
        if self._frees:
            self._emit(1, "try:")
        if self._jumps:
            self._cases_with_jumps(depth)
        elif len(self._labels) == 1 and not self.loops.heads:
            self._block(entry, depth)
        else:
            self._emit(depth, "while True:")
            self._cases(list(self._labels), depth + 1)
        if self._frees:
            self._emit(1, "finally:")
            if self._jumps:
                self._emit(2, "here.has_ended = True")
            condition = f"mine{self._owns}"
            self._emit(2, f"if {condition}: let_go(mine, {self.site(function.blocks[0].instructions[0])})")

    def _begin(self) -> None:
        """The statements before the first block."""
        if len(self._labels) > 1 or self.loops.heads:
            self._emit(1, "b = 0")

    def _numbered_labels(self, entry: str) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._label_names(entry))}

    def _label_names(self, entry: str) -> list[str]:
        """The blocks that are cases of their own: those that do not just follow one other block."""
        count: dict[str, int] = {}
        for block in self.function.blocks:
            for successor in successors(block):
                count[successor] = count.get(successor, 0) + 1
        found = [entry]
        found += [each.name for each in self.function.blocks if count.get(each.name, 0) > 1 and each.name != entry]
        found += [head for head in self.loops.heads if head not in found]
        found += [
            after for name in self._jumps if (after := self._blocks[name].instructions[-1].labels[0]) not in found
        ]
        depths: dict[str, int] = dict.fromkeys(found, 0)
        changed = True
        while changed:  # chains of blocks that would be nested too deep
            changed = False
            for block in self.function.blocks:
                if block.name in depths:
                    for successor in successors(block):
                        if successor not in depths:
                            depths[successor] = depths[block.name] + 1
                            changed = True
                            if depths[successor] > _DEEPEST:
                                depths[successor] = 0
                                found.append(successor)
        return found

    def _cases(self, labels: list[str], depth: int) -> None:
        if len(labels) == 1:
            self._block(labels[0], depth)
            return
        middle = len(labels) // 2
        self._emit(depth, f"if b < {self._labels[labels[middle]]}:")
        self._cases(labels[:middle], depth + 1)
        self._emit(depth, "else:")
        self._cases(labels[middle:], depth + 1)

    def _cases_with_jumps(self, depth: int) -> None:
        """The blocks of a function that ``longjmp`` can jump into."""
        self._emit(depth, "while True:")
        self._emit(depth + 1, "try:")
        self._emit(depth + 2, "while True:")
        self._cases(list(self._labels), depth + 3)
        self._emit(depth + 1, "except Jump as jump:")
        self._emit(depth + 2, "if jump.frame is not here: raise")
        self._emit(depth + 2, "jumped = jump")
        for name, number in self._jumps.items():
            call, branch = self._blocks[name].instructions[-2:]
            self._emit(depth + 1, f"if jumped.place == {number}:")
            self._emit(depth + 2, f"{self.name(call.result)} = jumped.value")
            self._emit(depth + 2, f"b = {self._labels[branch.labels[0]]}")

    def _emit(self, depth: int, text: str) -> None:
        self._lines.append((depth, text, max(self._line, 1)))

    def name(self, name: str) -> str:
        """The Python variable of a result, parameter or variable in memory."""
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = f"v{name}" if name.isdigit() else f"n{len(self.names)}"
        return found

    # -- blocks -------------------------------------------------------------------------------------------------------

    def _block(self, name: str, depth: int) -> None:
        block = self._blocks[name]
        self._line = self._line_of[id(block.instructions[0])]
        if self._number_of is not None and (number := self._number_of(self.function.name, name)) is not None:
            self._emit(depth, f"entered({number})")
        if (head := self.loops.heads.get(name)) is not None:
            self._emit(depth, f"if {self._passing(name)}: return go_on({head.number}, locals())")
        self._statements(block, block.instructions, depth)

    def _statements(self, block: Block, instructions: Sequence[Instruction], depth: int) -> None:
        for instruction in instructions:
            self._line = self._line_of[id(instruction)]
            self._site_here = self.site(instruction)
            if self._counts_steps and is_step(instruction, self.promoted, self._is_external):
                self._emit(depth, "step()")
            try:
                self._instruction(block, instruction, depth)
            except Unsupported as error:
                raise Unsupported(
                    f"{error} at {instruction.location or f'line {instruction.line} of the IR'}"
                ) from None

    def _passing(self, head: str) -> str:
        """The call by which a pass of a loop begins."""
        loop = self.loops.heads[head]
        variables = "".join(f"{self.name(each)}, " for each in self._state_of(head))
        return f"{'head' if loop.has_effects else 'count'}({loop.number}, act, ({variables}))"

    def _state_of(self, head: str) -> list[str]:
        """The variables that distinguish two passes of a loop."""
        phis = [each.result for each in self._blocks[head].instructions if each.opcode == "phi"]
        return [*self.promoted, *phis]

    def _jump(self, source: str, to: str, depth: int) -> None:
        block = self._blocks[to]
        names, values = [], []
        for each in block.instructions:
            if each.opcode == "phi":
                names.append(self.name(each.result))
                values.append(self._value(each.operands[each.labels.index(source)]))
        if names:
            self._emit(depth, f"{', '.join(names)} = {', '.join(values)}")
        for number in self.loops.left_by(source, to):
            self._emit(depth, f"left({number}, act)")
        if to in self._labels:
            self._emit(depth, f"b = {self._labels[to]}")
            self._emit(depth, "continue")
        else:
            self._block(to, depth)

    def _is_external(self, name: str) -> bool:
        return self._callee(name).startswith("library[")

    def _instruction(self, block: Block, each: Instruction, depth: int) -> None:
        match each.opcode:
            case "br" if len(each.labels) == 1:
                self._jump(block.name, each.labels[0], depth)
            case "br":
                self._emit(depth, f"if {self._value(each.operands[0])}:")
                self._jump(block.name, each.labels[0], depth + 1)
                line = self._line
                self._emit(depth, "else:")
                self._line = line
                self._jump(block.name, each.labels[1], depth + 1)
            case "switch":
                self._switch(block, each, depth)
            case "ret":
                for number in self.loops.enclosing(block.name):
                    self._emit(depth, f"left({number}, act)")
                self._emit(depth, f"return {self._value(each.operands[0])}" if each.operands else "return")
            case "unreachable":
                self._emit(depth, f"unreachable({self._site_here})")
            case "landingpad":
                self._assign(each, self._landing_pad(each), depth)
            case "resume":
                self._emit(depth, f"raise resumed({self._value(each.operands[0])}[0])")
            case "phi":
                pass
            case "store":
                self._store(each, depth)
            case "call" | "invoke":
                self._call(block, each, depth)
            case "fence":
                self._emit(depth, f"fence({each.orderings[0]!r}, {self._site_here})")
            case "alloca":
                if each.result not in self.promoted:
                    assert each.source is not None
                    count = f" * {self._value(each.operands[0])}" if each.operands else ""
                    names = f"{self.function.variables.get(each.result, each.result)!r}, mine, {self.function.name!r}"
                    self._assign(each, f"alloca({each.source.size}{count}, {names}, {self._site_here})", depth)
            case _:
                self._assign(each, self._expression(each), depth)

    def _assign(self, each: Instruction, expression: str, depth: int) -> None:
        self._emit(depth, f"{self.name(each.result)} = {expression}")

    def _switch(self, block: Block, each: Instruction, depth: int) -> None:
        value = self._value(each.operands[0])
        word = "if"
        grouped: dict[str, list[str]] = {}
        for operand, label in zip(each.operands[1:], each.labels[1:], strict=True):
            grouped.setdefault(label, []).append(self._value(operand))
        for label, cases in grouped.items():
            test = f"{value} == {cases[0]}" if len(cases) == 1 else f"{value} in ({', '.join(cases)})"
            self._emit(depth, f"{word} {test}:")
            self._jump(block.name, label, depth + 1)
            word = "elif"
        if word == "if":
            self._jump(block.name, each.labels[0], depth)
        else:
            self._emit(depth, "else:")
            self._jump(block.name, each.labels[0], depth + 1)

    # -- memory -------------------------------------------------------------------------------------------------------

    def _store(self, each: Instruction, depth: int) -> None:
        value, place = each.operands
        if isinstance(place.value, Local) and place.value.name in self.promoted:
            self._emit(depth, f"{self.name(place.value.name)} = {self._value(value)}")
            return
        where, what = self._value(place), self._value(value)
        function = _STORES[each.orderings[0]] if each.how else "store"
        for offset, type_, part in parts_of(value.type, what):
            at = f"({where}) + {offset}" if offset else where
            size, bits = bytes_of(type_), to_bits(type_, part)
            if size > _WORD and not each.how:
                self._emit(depth, f"wide = {bits}")
                self._emit(depth, f"{function}({at}, {_WORD}, wide & {(1 << 8 * _WORD) - 1}, {self._site_here})")
                at, size, bits = f"({at}) + {_WORD}", size - _WORD, f"wide >> {8 * _WORD}"
            self._emit(depth, f"{function}({at}, {size}, {bits}, {self._site_here})")

    def _load(self, each: Instruction) -> str:
        place = each.operands[0]
        if isinstance(place.value, Local) and place.value.name in self.promoted:
            name = self.name(place.value.name)
            if each.result in self._returned:  # the caller checks it, where it uses it
                return name
            missing = f"uninitialised({self._promoted_name(place.value.name)!r}, {self._site_here})"
            return f"({name} if {name} is not None else {missing})"
        function = "atomic_load" if each.how else "move" if each.result in self.moved else "load"
        return self._loaded(each.type, self._value(place), function)

    def _promoted_name(self, name: str) -> str:
        return self.function.variables.get(name, name)

    def _loaded(self, type_: Type, where: str, function: str) -> str:
        if isinstance(type_, Array | Struct):
            parts = [self._loaded(part, f"({where}) + {offset}", function) for offset, part in elements_of(type_)]
            return f"({', '.join(parts)},)"
        size = bytes_of(type_)
        if size <= _WORD or function == "atomic_load":
            return from_bits(type_, f"{function}({where}, {size}, {self._site_here})")
        low = f"{function}({where}, {_WORD}, {self._site_here})"
        high = f"{function}(({where}) + {_WORD}, {size - _WORD}, {self._site_here})"
        return from_bits(type_, f"({low} | {high} << {8 * _WORD})")

    # -- calls --------------------------------------------------------------------------------------------------------

    def _call(self, block: Block, each: Instruction, depth: int) -> None:
        called = each.operands[0].value
        name = called.name if isinstance(called, Symbol) else ""
        if name.startswith(IGNORED_CALLS):
            return
        if name.startswith("llvm.va_start"):
            kinds = [kind for _, kind in self.function.parameters if kind != _LONG_DOUBLE]
            named = (
                sum(isinstance(kind, Int | Pointer) for kind in kinds),
                sum(isinstance(kind, Float) for kind in kinds),
            )
            self._emit(depth, f"va_start({self._value(each.operands[1])}, rest, {named}, mine, {self._site_here})")
            return
        if name.startswith(_STACK_POINTER) and self._frees:
            self._stack_pointer(each, name, depth)
            return
        if is_setjmp(each):
            place, where = self._jumps[block.name], self._value(each.operands[1])
            saves = self._value(each.operands[2]) if len(each.operands) > 2 else 0
            self._assign(each, f"set_jump({self._site_here}, {where}, here, {place}, {saves})", depth)
            return
        arguments: list[str] = []
        for operand, copied in zip(each.operands[1:], each.copied or (None,) * len(each.operands[1:]), strict=True):
            value = self._value(operand)
            if copied is not None:
                given = f"given{len(arguments)}"
                self._emit(depth, f"{given} = copied({value}, {copied.size}, mine, {self._site_here})")
                value = given
                if not self._frees:
                    raise Unsupported("a structure passed by value where the caller has no variables in memory")
                if each.how == VARIADIC:
                    value = f"by_value({value}, {copied.size}, {copied.align})"
            elif each.how == VARIADIC and operand.type == _LONG_DOUBLE:
                value = f"long_double({value})"
            arguments.append(value)
        statements = self._statements_of_call(each, arguments)
        if each.opcode == "invoke":
            self._invoke(block, each, statements, depth)
        else:
            for statement in statements:
                self._emit(depth, statement)

    def _statements_of_call(self, each: Instruction, arguments: list[str]) -> list[str]:
        """The call, and what makes its value one of the type that is expected, if it is used."""
        called = each.operands[0].value
        is_used = each.result in self._used and not isinstance(each.type, Void)
        types = tuple(operand.type for operand in each.operands[1:])
        how = ""
        if isinstance(called, Symbol) and self._watched is not None:
            how = self._watched.watched_call(called.name, types, each.type)
        definition = self._definition(called.name) if isinstance(called, Symbol) else None
        fits = definition is not None and (how or _is_called_as_defined(definition, types, each.type))
        if not isinstance(called, Symbol) or (definition is not None and not fits):
            given = [self._value(each.operands[0]), str(self._site_here), *arguments]
            if not is_used:
                return [f"call({', '.join(given)})"]
            return [f"{self.name(each.result)} = call_for({str(each.type)!r}, {', '.join(given)})"]
        expression = self._callee(called.name)
        if how:
            function = f"{expression}, {definition is None}"
            expression = f"called({', '.join([how, str(self._site_here), function, *arguments])})"
        else:
            arguments = [str(self._site_here), *arguments] if definition is None else arguments
            expression = f"{expression}({', '.join(arguments)})"
        if not is_used:
            return [expression]
        result = self.name(each.result)
        statements = [f"{result} = {expression}"]
        if definition is None or may_lack_value(definition):
            statements.append(f"if {result} is None: no_value({called.name!r}, {self._site_here})")
        if definition is None and (value := rounded(each.type, fitted(each.type, result))) != result:
            statements.append(f"{result} = {value}")
        return statements

    def _stack_pointer(self, each: Instruction, name: str, depth: int) -> None:
        """The stack's pointer is the number of variables in memory: those of a block end where it is put back."""
        if each.result:
            self._assign(each, "len(mine)", depth)
        else:
            first = self._value(each.operands[1])
            self._emit(depth, f"let_go(mine[{first}:], {self._site_here})")
            self._emit(depth, f"del mine[{first}:]")

    def _invoke(self, block: Block, each: Instruction, statements: list[str], depth: int) -> None:
        """A call that goes on elsewhere if an exception comes out of it, or the end of the thread."""
        line = self._line
        self._emit(depth, "try:")
        for statement in statements:
            self._emit(depth + 1, statement)
        self._emit(depth + 1, "thrown = None")
        self._emit(depth, "except (Thrown, ThreadExit) as error:")
        self._emit(depth + 1, "thrown = error")
        self._emit(depth, "if thrown is None:")
        self._jump(block.name, each.labels[0], depth + 1)
        self._line = line
        self._emit(depth, "else:")
        self._jump(block.name, each.labels[1], depth + 1)

    def _landing_pad(self, each: Instruction) -> str:
        clauses = [literal(constant(clause, self._address), clause.type) for clause in each.operands]
        return f"landing(thrown, ({''.join(f'{clause}, ' for clause in clauses)}), {bool(each.how)})"

    # -- expressions --------------------------------------------------------------------------------------------------

    def _value(self, operand: Operand) -> str:
        value, type_ = operand.value, operand.type
        match value:
            case Local(name):
                return self.name(name)
            case Symbol(name):
                return str(self._address(name))
            case Undefined():
                return zero(type_)
            case ConstantExpression():
                return str(constant(operand, self._address))
            case ConstantValue():
                return literal(constant(operand, self._address), type_)
        raise Unsupported(f"the value {value}")

    def _expression(self, each: Instruction) -> str:
        opcode, type_ = each.opcode, each.type
        if opcode == "load":
            return self._load(each)
        if opcode == "getelementptr":
            return self._address_of(each)
        if opcode == "extractvalue":
            indices = "".join(f"[{index}]" for index in each.indices)
            return f"{self._value(each.operands[0])}{indices}"
        if opcode == "insertvalue":
            whole, part = map(self._value, each.operands)
            return f"insert({whole}, {part}, {each.indices})"
        if opcode == "extractelement":
            whole, index = map(self._value, each.operands)
            return f"{whole}[{index}]"
        if opcode == "insertelement":
            whole, part, index = map(self._value, each.operands)
            return f"insert({whole}, {part}, ({index},))"
        if opcode == "shufflevector":
            return self._shuffled(each)
        if opcode == "atomicrmw":
            place, value = map(self._value, each.operands)
            if isinstance(type_, Float):
                change = to_bits(type_, rounded(type_, changed_float(each.how, from_bits(type_, "old"), value)))
                bits = f"replace({place}, {bytes_of(type_)}, lambda old: {change}, {self._site_here})"
                return from_bits(type_, bits)
            assert isinstance(type_, Int | Pointer)
            change = changed(each.how, value, bits_of(type_))
            function = "update" if each.how in ("add", "sub", "xor", "nand") else "replace"
            return f"{function}({place}, {bytes_of(type_)}, lambda old: {change}, {self._site_here})"
        if opcode == "cmpxchg":
            place, old, new = map(self._value, each.operands)
            assert each.source is not None
            return f"exchange({place}, {bytes_of(each.source)}, {old}, {new}, {self._site_here})"
        values = [self._value(operand) for operand in each.operands]
        if opcode == "bitcast" and Array in (type(each.operands[0].type), type(type_)):
            return _from_whole(type_, _whole(each.operands[0].type, values[0]))
        if isinstance(each.operands[-1].type, Array) or isinstance(type_, Array):
            return self._of_vectors(each, values)
        return self._scalar(opcode, each.how, [operand.type for operand in each.operands], type_, values)

    def _shuffled(self, each: Instruction) -> str:
        mask = each.operands[2]
        kind = each.operands[0].type
        assert isinstance(kind, Array)
        picked = constant(mask, self._address)
        if picked is None:
            picked = [0] * (mask.type.count if isinstance(mask.type, Array) else 0)
        one, other = self._value(each.operands[0]), self._value(each.operands[1])
        parts = [f"{one}[{at}]" if at < kind.count else f"{other}[{at - kind.count}]" for at in map(int, picked)]
        return f"({', '.join(parts)},)"

    def _of_vectors(self, each: Instruction, values: list[str]) -> str:
        """An operation on each element of vectors."""
        result = each.type
        if not isinstance(result, Array):
            raise Unsupported(f"a {each.opcode} of a vector to {result}")
        kinds = [operand.type.element if isinstance(operand.type, Array) else operand.type for operand in each.operands]
        parts = []
        for index in range(result.count):
            given = [
                f"{value}[{index}]" if isinstance(operand.type, Array) else value
                for value, operand in zip(values, each.operands, strict=True)
            ]
            parts.append(self._scalar(each.opcode, each.how, kinds, result.element, given))
        return f"({', '.join(parts)},)"

    def _scalar(self, opcode: str, how: str, kinds: list[Type], type_: Type, given: list[str]) -> str:  # noqa: C901
        first = given[0]
        if opcode == "freeze" or opcode in ("bitcast", "addrspacecast") and kinds[0] == type_:
            return first
        if opcode == "select":
            return f"({given[1]} if {first} else {given[2]})"
        if opcode == "icmp":
            return integer_test(how, kinds[0], *given)
        if opcode == "fcmp":
            return float_test(how, *given)
        if opcode == "fneg":
            return f"-{first}"
        if opcode in _FLOAT_OPERATIONS:
            return rounded(type_, f"{first} {_FLOAT_OPERATIONS[opcode]} {given[1]}")
        if opcode in ("fdiv", "frem"):
            return rounded(type_, f"{opcode}({first}, {given[1]})")
        if opcode in BITWISE:
            return f"{first} {BITWISE[opcode]} {given[1]}"
        source = kinds[0]
        if opcode in ("bitcast", "ptrtoint", "inttoptr"):
            bits = to_bits(source, first)
            if isinstance(type_, Int) and type_.bits < bits_of(source):
                bits = f"{bits} & {(1 << type_.bits) - 1}"
            return from_bits(type_, bits)
        if opcode in ("sitofp", "uitofp"):
            return rounded(type_, f"float({signed(source, first) if opcode == 'sitofp' else first})")
        if opcode in ("fptosi", "fptoui"):
            return f"to_int({first}, {(1 << bits_of(type_)) - 1})"
        if opcode in ("fptrunc", "fpext"):
            return rounded(type_, first) if opcode == "fptrunc" else first
        assert isinstance(type_, Int)
        mask = (1 << type_.bits) - 1
        if opcode == "trunc":
            return f"{first} & {mask}"
        if opcode == "zext":
            return f"{first} + 0" if bits_of(source) == 1 else first
        if opcode == "sext":
            return f"{signed(source, first)} & {mask}"
        if opcode in _WRAPPING:
            return f"{first} {_WRAPPING[opcode]} {given[1]} & {mask}"
        return self._division_or_shift(opcode, type_, first, given[1])

    def _division_or_shift(self, opcode: str, type_: Int, first: str, second: str) -> str:
        mask = (1 << type_.bits) - 1
        if opcode in ("udiv", "urem"):
            sign = "//" if opcode == "udiv" else "%"
            return f"{first} {sign} ({second} or no_divisor({self._site_here}))"
        if opcode in ("sdiv", "srem"):
            return f"{opcode}({first}, {second}, {1 << type_.bits - 1}, {mask}, {self._site_here})"
        fits = second.isdigit() and int(second) < type_.bits
        if opcode == "ashr":
            count = second if fits else f"min({second}, {type_.bits - 1})"
            return f"({signed(type_, first)} >> {count}) & {mask}"
        if opcode == "lshr":
            return f"{first} >> {second}"
        if opcode == "shl":
            return f"({first} << {second}) & {mask}" if fits else f"({first} << min({second}, 128)) & {mask}"
        raise Unsupported(f"the instruction {opcode!r}")

    def _address_of(self, each: Instruction) -> str:
        base, *indices = each.operands
        type_ = each.source
        assert type_ is not None
        fixed = 0
        terms = []
        field, back = "", 0
        for number, index in enumerate(indices):
            if number == 0:
                size = type_.size
            elif isinstance(type_, Struct):
                at = int(constant(index, self._address) or 0)
                fixed += type_.offset(at)
                back = type_.offset(at)
                field = self._watched.watched_field(type_, at) if self._watched is not None else ""
                type_ = type_.fields[at]
                continue
            elif isinstance(type_, Array):
                type_ = type_.element
                size = type_.size
                back = 0
            else:
                raise Unsupported(f"an index into the type {type_}")
            if isinstance(index.value, ConstantValue):
                fixed += as_signed(int(constant(index, self._address) or 0), bits_of(index.type)) * size
            else:
                terms.append(f"{signed(index.type, self._value(index))} * {size}")
        text = self._value(base)
        if isinstance(base.type, Array):
            raise Unsupported("a vector of addresses")
        if fixed and text.isdigit():
            text, fixed = str(int(text) + fixed), 0
        parts = [text, *terms, *([str(fixed)] if fixed else [])]
        if len(parts) > 1:
            text = f"{' + '.join(parts)} & {(1 << 64) - 1}" if terms or fixed < 0 else " + ".join(parts)
        return f"field({text}, {field!r}, {back})" if field else text


def _is_called_as_defined(function: IrFunction, types: tuple[Type, ...], result: Type) -> bool:
    """Whether a call has the types of its function: one that is not declared before it may not."""
    parameters = tuple(kind for _, kind in function.parameters)
    given = types[: len(parameters)] if function.variadic else types
    return given == parameters and function.result == result


def _sets_jump(block: Block) -> bool:
    return len(block.instructions) > 1 and is_setjmp(block.instructions[-2])


def _whole(type_: Type, value: str) -> str:
    """The expression of the bits of a scalar, or of all elements of a vector, the first one lowest."""
    if not isinstance(type_, Array):
        return to_bits(type_, value)
    width = bits_of(type_.element)
    parts = [f"{to_bits(type_.element, f'{value}[{index}]')} << {width * index}" for index in range(type_.count)]
    return f"({' | '.join(parts)})"


def _from_whole(type_: Type, bits: str) -> str:
    """The expression of the scalar or vector that has these bits."""
    if not isinstance(type_, Array):
        return from_bits(type_, bits)
    width = bits_of(type_.element)
    parts = [
        from_bits(type_.element, f"(whole >> {width * index} & {(1 << width) - 1})") for index in range(type_.count)
    ]
    return f"(lambda whole: ({', '.join(parts)},))({bits})"


@cache
def python_name(name: str) -> str:
    """The name of a function of the program in the namespace of compiled functions."""
    return "f_" + "".join(each if each.isalnum() or each == "_" else f"_{ord(each):x}_" for each in name)


def _lines_of(function: IrFunction) -> dict[int, int]:
    """The lines of instructions, by their identity: those without a location have that of the one before them in their
    block, or else of the first that has one."""
    found: dict[int, int] = {}
    start = function.location.line if function.location else 1
    for block in function.blocks:
        line = next((each.location.line for each in block.instructions if each.location is not None), start)
        for each in block.instructions:
            line = each.location.line if each.location is not None else line
            found[id(each)] = line
    return found
