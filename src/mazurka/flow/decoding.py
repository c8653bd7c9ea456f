"""From what a thread has written back to the blocks that it executed.

The program is walked again: at an undecided branch the path's number says which way, all other branches are computed.
Numbers are read where paths begin, though they're written where paths end: nothing else is written in between.

A block is *certain* if a number that was written after it is there. Behind the last number the *open path* begins, of
which the thread may have executed any part: :meth:`Decoder.open_paths` has all ways on from there, each of which it
may have gone for a while.

Invariant: what doesn't fit (a number that no path has, a function that isn't one) is an error, never a guess.

Cost: some 5 us a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from mazurka.errors import MazurkaError
from mazurka.flow.evaluation import computed, known
from mazurka.flow.externals import External
from mazurka.flow.paths import Step
from mazurka.flow.plan import LEAVES_WIDTH, OVER, FunctionPlan, Plan
from mazurka.flow.recording import Chunk
from mazurka.flow.sites import Lost, Site, Sites, Where
from mazurka.flow.stream import EndOfRecord, Input, Stream
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.module import Instruction

#: A block: the name of its function, and its number there.
BlockId: TypeAlias = tuple[str, int]

#: How many blocks without any number are followed, and how many open paths.
_FOLLOWED: Final = 100_000


@dataclass(slots=True)
class _Frame:
    """A call. ``at`` is the next instruction of ``node``, ``came`` the block before this one. ``number`` is what is
    left of the path's number, None if it wasn't written. In a counted loop, ``passes`` are those left (None: not
    known), and ``leaving`` is the step that leaves it. ``calls_back`` says that the call at the node's end is one
    that calls back."""

    own: FunctionPlan
    values: dict[str, int]
    node: int = 0
    at: int = 0
    came: int = -1
    number: int | None = 0
    is_certain: bool = False
    loop: int | None = None
    passes: int | None = 0
    leaving: Step | None = None
    calls_back: bool = False
    address: int = 0


class _Open(Exception):
    """The thread may have stopped here, or the way on isn't known."""


class _Round(_Open):
    """A loop begins anew."""


class _Function:
    """What a decoder has to do in each node of a function: instructions to compute, calls to follow."""

    def __init__(self, own: FunctionPlan, plan: Plan) -> None:
        self.phis: list[list[Instruction]] = []
        self.work: dict[int, list[tuple[int, Instruction]]] = {}
        for block in own.function.blocks:
            self.phis.append(
                [each for each in block.instructions if each.opcode == "phi" and each.result in own.needed]
            )
        for number in own.graph.order:
            node = own.graph.nodes[number]
            instructions = own.function.blocks[node.block].instructions
            work = []
            for at in range(node.start, node.stop):
                each = instructions[at]
                if each is node.call or each.opcode == "phi":
                    continue
                stores = each.opcode == "store" and getattr(each.operands[1].value, "name", "") in own.needed
                follows = each.opcode == "call" and plan.is_defined(each)
                if (each.result in own.needed and each.opcode != "alloca") or stores or follows:
                    work.append((at, each))
            self.work[number] = work


class Decoder:
    """Decodes one thread's chunks, which follow each other; the first one is the thread's first, or one from which a
    ring can be decoded."""

    def __init__(self, plan: Plan, chunks: list[Chunk], stamps: int = 0) -> None:
        self._plan = plan
        self._sites = Sites(plan.functions)
        self.stream = Stream(chunks, stamps)
        self._first = chunks[0] if chunks else None
        self._functions: dict[str, _Function] = {}
        self._stack: list[_Frame] = []
        self._tentative: list[BlockId] = []
        self._ready: list[BlockId] = []
        self._stopped = False
        #: How many calls around those that are known aren't.
        self._missing = 0
        #: What came from outside, with the number of blocks before it and the function that brought it.
        self.inputs: list[tuple[int, str, Input]] = []
        #: The open paths that may go on with further passes of a loop, by their places among all.
        self.rounds: set[int] = set()

    # -- what users ask for -------------------------------------------------------------------------------------------

    def certain(self) -> Iterator[BlockId]:
        """The blocks that are certain, in their order.

        Raises :class:`~mazurka.errors.MazurkaError` if the numbers fit no path.
        """
        try:
            yield from self._outside()
        except EndOfRecord:
            pass
        except _Open:
            pass
        yield from self._ready
        self._ready = []

    def tentative(self) -> list[BlockId]:
        """After :meth:`certain`: the blocks behind the last number, up to the first choice that isn't known."""
        return list(self._tentative)

    def open_paths(self, limit: int = 1000) -> list[list[BlockId]]:
        """After :meth:`certain`: all ways on from the last number, at most ``limit``, up to where a number would have
        been written, or a loop's head is reached again. The thread has executed a part of one of them, or has gone
        round such a loop before."""
        if not self._is_open():
            return [self.tentative()]
        found: list[list[BlockId]] = []
        waiting = [(self._copied(self._stack), self.tentative(), step) for step in self._choices()]
        while waiting and len(found) < limit:
            stack, blocks, step = waiting.pop()
            self._stack, self._tentative = stack, blocks
            self._stopped = False
            goes_round = False
            try:
                self._take_open(step)
                while len(self._tentative) < _FOLLOWED and self._stack:
                    self._advance()
            except (EndOfRecord, _Open) as error:
                goes_round = isinstance(error, _Round)
            if self._is_open():
                waiting += [(self._copied(self._stack), list(self._tentative), each) for each in self._choices()]
            else:
                if goes_round:
                    self.rounds.add(len(found))
                found.append(self._tentative)
        return found

    def _is_open(self) -> bool:
        """Whether the walk has stopped at a choice that isn't known."""
        return self._stopped

    # -- the walk -----------------------------------------------------------------------------------------------------

    def _outside(self) -> Iterator[BlockId]:
        """Outside of all functions: the number of the next one that is called comes, or that the thread is over."""
        if self._first is not None and self._first.sequence:
            if self._plan.elides:
                raise self._unfit("its beginning is lost")
            self._resume(self._first)
        while True:
            while self._stack:
                if len(self._tentative) > _FOLLOWED:
                    raise _Open
                self._advance()
                yield from self._ready
                self._ready.clear()
            if self._missing:
                return  # to a call that isn't known
            entry = self._read_number(self._plan.entry_width)
            if entry != OVER:
                self._enter(self._function_of(entry), {})

    def _advance(self) -> None:
        """Go on to the end of a node, or to a call in it."""
        frame = self._stack[-1]
        if frame.calls_back:
            self._call_back(frame)
            return
        node = frame.own.graph.nodes[frame.node]
        for at, each in self._prepared(frame.own).work[frame.node]:
            if at < frame.at:
                continue
            frame.at = at + 1
            if each.opcode == "call" and self._plan.is_defined(each):
                self._enter(self._plan.functions[self._plan.called(each) or ""], self._arguments(frame, each))
                return
            if each.opcode == "store":
                frame.values[str(getattr(each.operands[1].value, "name", ""))] = known(each.operands[0], frame.values)
            elif each.opcode == "load":
                frame.values[each.result] = frame.values[str(getattr(each.operands[0].value, "name", ""))]
            else:
                frame.values[each.result] = computed(each, frame.values)
        if node.call is not None:
            self._call(frame, node.call)
            return
        last = frame.own.function.blocks[node.block].instructions[-1]
        if last.opcode == "ret":
            self._return(frame, last)
        elif not frame.own.paths.nodes[frame.node].steps:
            raise self._unfit("the end of a block that has none") if frame.is_certain else _Open
        else:
            self._take(frame, self._chosen(frame))

    def _chosen(self, frame: _Frame) -> Step:
        """The step from a node."""
        paths = frame.own.paths
        beginning = paths.nodes[frame.node]
        if beginning.decided:
            return beginning.steps[0] if len(beginning.steps) == 1 else self._computed(frame, beginning.steps)
        if frame.loop is not None:
            if frame.passes is None:
                self._stopped = True
                raise _Open
            leaving = frame.leaving
            if not frame.passes and leaving is not None and leaving.edge.source == frame.node:
                return leaving
            return next(step for step in beginning.steps if step.leaves is None)
        if frame.number is None:
            self._stopped = True
            raise _Open
        return self._picked(frame, beginning.steps)

    def _picked(self, frame: _Frame, steps: list[Step]) -> Step:
        """The step that a path's number picks; takes its value off."""
        assert frame.number is not None
        step = max((each for each in steps if each.value <= frame.number), key=lambda each: each.value)
        frame.number -= step.value
        return step

    def _computed(self, frame: _Frame, steps: list[Step]) -> Step:
        """The step of a decided branch."""
        own = frame.own
        last = own.function.blocks[own.graph.nodes[frame.node].block].instructions[-1]
        value = known(last.operands[0], frame.values)
        if last.opcode == "br":
            label = last.labels[0 if value else 1]
        else:
            cases = {known(operand, {}): name for operand, name in zip(last.operands[1:], last.labels[1:], strict=True)}
            label = cases.get(value, last.labels[0])
        target = own.graph.first[label]
        return next(step for step in steps if step.edge.target == target)

    def _take(self, frame: _Frame, step: Step) -> None:
        """Go over an edge."""
        if step.passes is not None:
            if frame.passes is not None:
                frame.passes -= 1
                if frame.passes < 0:
                    raise self._unfit("a loop that is left")
        elif step.leaves is not None:
            if frame.passes is None:
                raise _Open  # its passes would have been written
            if frame.passes or step is not frame.leaving:
                raise self._unfit("another way out of a loop")
            frame.loop = frame.leaving = None
        elif step.ends:
            self._end_path(frame, frame.own.paths.nodes[frame.node].width)
        if step.enters is not None:
            self._begin_loop(frame, step.enters)
        elif step.ends:
            self._begin_path(frame, frame.own.paths.nodes[step.edge.target].width)
        self._go_to(frame, step.edge.target)

    def _begin_loop(self, frame: _Frame, loop: int) -> None:
        """A counted loop: its passes are read, with the way out."""
        frame.loop = loop
        exits = frame.own.paths.exits[loop]
        try:
            frame.passes, way = divmod(self.stream.count(), len(exits))
        except EndOfRecord:
            frame.passes = frame.leaving = None
            frame.is_certain = False
            return
        self._commit()
        frame.leaving, frame.is_certain = exits[way], True

    def _go_to(self, frame: _Frame, node: int) -> None:
        """Come to another block."""
        own = frame.own
        old, new = own.graph.nodes[frame.node].block, own.graph.nodes[node].block
        frame.came, frame.node, frame.at = old, node, 0
        self._see(frame, new)
        if phis := self._prepared(own).phis[new]:
            name = own.function.blocks[old].name
            found = {each.result: known(each.operands[each.labels.index(name)], frame.values) for each in phis}
            frame.values.update(found)

    def _see(self, frame: _Frame, block: int) -> None:
        self._tentative.append((frame.own.function.name, block))
        if frame.is_certain:
            self._commit()

    def _commit(self) -> None:
        self._ready += self._tentative
        self.stream.blocks += len(self._tentative)
        self._tentative.clear()

    # -- paths --------------------------------------------------------------------------------------------------------

    def _read_number(self, width: int) -> int:
        number = self.stream.number(width)
        self._commit()
        return number

    def _begin_path(self, frame: _Frame, width: int) -> None:
        frame.is_certain = False
        if not width:
            frame.number = 0
            return
        try:
            frame.number = self._read_number(width)
            frame.is_certain = True
        except EndOfRecord:
            frame.number = None

    def _end_path(self, frame: _Frame, width: int) -> None:
        """A path ends: nothing is left of its number."""
        if frame.number is None and width:
            raise _Open  # it would have been written
        if frame.number:
            raise self._unfit("the end of a path")

    def _enter(self, own: FunctionPlan, values: dict[str, int]) -> None:
        frame = _Frame(own, values)
        above = self._stack[-1] if self._stack else None
        self._stack.append(frame)
        if self._plan.writes(own):
            self._begin_path(frame, own.paths.nodes[0].width)
        else:
            frame.is_certain = above is not None and above.is_certain
        self._see(frame, 0)

    def _arguments(self, frame: _Frame, each: Instruction) -> dict[str, int]:
        callee = self._plan.functions[self._plan.called(each) or ""]
        return {
            name: known(operand, frame.values)
            for (name, _), operand in zip(callee.function.parameters, each.operands[1:], strict=False)
            if name in callee.needed
        }

    def _return(self, frame: _Frame, last: Instruction) -> None:
        self._end_path(frame, frame.own.paths.nodes[frame.node].width)
        if frame.own.function.name == "main" and self._read_number(self._plan.entry_width) != OVER:
            raise self._unfit("the return of main()")
        self._stack.pop()
        if self._stack:
            self._returned(self._stack[-1], known(last.operands[0], frame.values) if self._is_needed() else None)

    def _is_needed(self) -> bool:
        """Whether the result of the call in progress is needed."""
        each = self._in_progress(self._stack[-1])
        return each is not None and each.result in self._stack[-1].own.needed

    def _in_progress(self, above: _Frame) -> Instruction | None:
        """The call of a function by its name that is in progress."""
        if above.calls_back:
            return None
        node = above.own.graph.nodes[above.node]
        return above.own.function.blocks[node.block].instructions[above.at - 1]

    def _returned(self, above: _Frame, value: int | None) -> None:
        """A call has returned a value, None if it isn't needed."""
        each = self._in_progress(above)
        if each is None:
            return
        if value is not None:
            above.values[each.result] = value
        if each is above.own.graph.nodes[above.node].call:
            self._go_on(above)

    # -- calls that end paths -----------------------------------------------------------------------------------------

    def _call(self, frame: _Frame, call: Instruction) -> None:
        self._end_path(frame, frame.own.paths.nodes[frame.node].width)
        self._perform(frame, call)

    def _perform(self, frame: _Frame, call: Instruction) -> None:
        plan = self._plan
        frame.at = frame.own.graph.nodes[frame.node].stop
        frame.is_certain = False
        if plan.is_defined(call):
            own = plan.functions[plan.called(call) or ""]
            values = self._arguments(frame, call)
            if own.entry is not None and self._read_number(plan.entry_width) != own.entry:
                raise self._unfit(f"the call of {own.function.shown_name}()")
            self._enter(own, values)
            return
        kind = plan.kind(call)
        if plan.leaves(call) and self._read_number(LEAVES_WIDTH) != OVER:
            raise self._unfit("a call that doesn't return")
        if kind is External.JUMPS:
            self._land(*self._read_landing())
        elif plan.leaves(call):
            self._stack.clear()
        elif plan.calls_back(call):
            frame.calls_back = True
        else:
            if kind is External.LANDS:
                frame.address = self._read_landing()[0]
            self._read_input(frame, call)
            self._go_on(frame)

    def _read_input(self, frame: _Frame, call: Instruction | None) -> None:
        if call is not None and self._plan.brings_in(call):
            found = self.stream.input()
            self._commit()
            self.inputs.append((self.stream.blocks, self._plan.called(call) or "", found))

    def _call_back(self, frame: _Frame) -> None:
        """A function of a library that may call functions of the program."""
        entry = self._read_number(self._plan.entry_width)
        if entry != OVER:
            self._enter(self._function_of(entry), {})
            return
        frame.calls_back = False
        call = frame.own.graph.nodes[frame.node].call
        assert call is not None
        self._read_input(frame, call)
        self._go_on(frame)

    def _go_on(self, frame: _Frame) -> None:
        """Go on after the call at a node's end."""
        frame.node += 1
        frame.at = frame.own.graph.nodes[frame.node].start
        self._begin_path(frame, frame.own.paths.nodes[frame.node].width)

    def _function_of(self, entry: int) -> FunctionPlan:
        own = self._plan.by_entry.get(entry)
        if own is None:
            raise self._unfit("a call from outside")
        return own

    def _read_landing(self) -> tuple[int, int]:
        landing = self.stream.landing()
        self._commit()
        return landing

    def _land(self, address: int, number: int) -> None:
        """``longjmp`` has come to a call of ``setjmp`` in an open call."""
        site = self._site(number)
        own = [frame for frame in self._stack if frame.own.function.name == site.function]
        matching = [frame for frame in own if frame.address == address] or [frame for frame in own if not frame.address]
        if len(matching) != 1:
            raise _Open if self._first is not None and self._first.sequence else self._unfit("a jump")
        while self._stack[-1] is not matching[0]:
            self._stack.pop()
        frame = self._stack[-1]
        frame.calls_back, frame.loop = False, None
        frame.node = site.number - 1
        self._go_on(frame)

    def _site(self, number: int) -> Site:
        if not 0 <= number < len(self._sites.sites):
            raise self._unfit("a place")
        return self._sites.sites[number]

    # -- rings that have lost their beginning -------------------------------------------------------------------------

    def _resume(self, chunk: Chunk) -> None:
        """Go on from a chunk's first entry: it ends a path whose beginning is lost, and is only skipped."""
        self._skip(chunk.site & 255)
        site = self._site(chunk.site >> 8)
        self._missing = chunk.depth - len(chunk.calls)
        for call in chunk.calls:
            self._stack.append(self._frame_in(self._site(call)))
        match site.where:
            case Where.OUTSIDE:
                self._stack.clear()
            case Where.JUMP:
                self._land(*self._read_landing())
            case Where.RETURNED:
                if self._stack:
                    self._returned(self._stack[-1], None)
            case _:
                frame = self._frame_in(site)
                self._stack.append(frame)
                self._resume_in(frame, site)

    def _resume_in(self, frame: _Frame, site: Site) -> None:
        paths = frame.own.paths
        match site.where:
            case Where.NODE:
                frame.at = frame.own.graph.nodes[site.number].start
                frame.calls_back = False
                self._begin_path(frame, paths.nodes[site.number].width)
                if not frame.at:
                    self._see(frame, frame.own.graph.nodes[site.number].block)
            case Where.CALL:
                frame.calls_back = False
                call = frame.own.graph.nodes[site.number].call
                assert call is not None
                self._perform(frame, call)
            case Where.INPUT:
                frame.calls_back = False
                self._read_input(frame, frame.own.graph.nodes[site.number].call)
                self._go_on(frame)
            case Where.LOOP:
                frame.node, frame.at = paths.counted[site.number].head, 0
                self._begin_loop(frame, site.number)
                self._see(frame, frame.own.graph.nodes[frame.node].block)

    def _skip(self, kind: int) -> None:
        match kind:
            case Lost.INPUT:
                self.stream.input()
            case Lost.LANDING:
                self.stream.landing()
            case Lost.STAMP:
                self.stream.stamp()
            case Lost.PASSES:
                self.stream.count()
            case _:
                self.stream.number(kind)

    def _frame_in(self, site: Site) -> _Frame:
        """A call whose beginning is lost; its values aren't needed, since a ring's numbers have all branches."""
        own = self._plan.functions[site.function]
        frame = _Frame(own, {})
        if site.where in (Where.NODE, Where.CALL, Where.INPUT):
            node = own.graph.nodes[site.number]
            frame.node, frame.at = site.number, node.stop
            frame.calls_back = node.call is not None and not self._plan.is_defined(node.call)
        return frame

    # -- open paths ---------------------------------------------------------------------------------------------------

    def _choices(self) -> list[Step]:
        frame = self._stack[-1]
        return frame.own.paths.nodes[frame.node].steps

    def _take_open(self, step: Step) -> None:
        """Take a step that is one of several."""
        if step.passes is not None:
            raise _Round
        self._take(self._stack[-1], step)

    @staticmethod
    def _copied(stack: list[_Frame]) -> list[_Frame]:
        copied = []
        for frame in stack:
            fresh = _Frame(frame.own, dict(frame.values))
            for name in _Frame.__slots__:
                if name not in ("own", "values"):
                    setattr(fresh, name, getattr(frame, name))
            copied.append(fresh)
        return copied

    def _prepared(self, own: FunctionPlan) -> _Function:
        name = own.function.name
        if name not in self._functions:
            self._functions[name] = _Function(own, self._plan)
        return self._functions[name]

    def _unfit(self, what: str) -> MazurkaError:
        where = ""
        if self._stack:
            frame = self._stack[-1]
            where = f" in {frame.own.function.shown_name}(), block {frame.own.graph.nodes[frame.node].block}"
        return MazurkaError(
            "recording-corrupt",
            f"number {self.stream.numbers} of a thread fits no path: {what}{where}",
            hint="record it again",
        )
