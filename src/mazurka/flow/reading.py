"""A recording as a program's execution: its threads by name, and the lines that they executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final

from mazurka.errors import MazurkaError
from mazurka.flow.decoding import BlockId, Decoder
from mazurka.flow.plan import Plan
from mazurka.flow.recording import Recording, ThreadRecord
from mazurka.lazy_dataclass import dataclass
from mazurka.program.llvm.ir.functions import IGNORED_CALLS
from mazurka.program.llvm.ir.module import Instruction
from mazurka.program.llvm.ir.reading import read_module
from mazurka.trace.event import Location

#: How many ways an open path may go on are listed.
OPEN_PATHS: Final = 50


@dataclass(slots=True)
class ThreadFlow:
    """One thread's execution. ``blocks`` are certain, ``tentative`` ones follow them if the thread went on, then one of
    ``ways`` (:meth:`~mazurka.flow.decoding.Decoder.open_paths`). ``is_whole`` says that the beginning isn't lost."""

    record: ThreadRecord
    name: str
    is_whole: bool
    blocks: list[BlockId] = field(default_factory=list)
    tentative: list[BlockId] = field(default_factory=list)
    ways: list[list[BlockId]] = field(default_factory=list)
    inputs: int = 0
    stamps: int = 0


def plan_of(recording: Recording) -> Plan:
    """The plan that a recording was made by."""
    return Plan(read_module(recording.text, recording.about["target"]), elides=not recording.about["ring"])


def flow_of(recording: Recording, plan: Plan, thread: ThreadRecord) -> ThreadFlow:
    """Decode a thread; raises :class:`~mazurka.errors.MazurkaError` if what it wrote fits no path."""
    decoder = Decoder(plan, thread.following, recording.about["stamps"])
    found = ThreadFlow(thread, names_of(recording)[thread.number], thread.is_whole)
    found.blocks = list(decoder.certain())
    found.tentative = decoder.tentative()
    found.ways = decoder.open_paths(OPEN_PATHS)
    found.inputs, found.stamps = len(decoder.inputs), len(decoder.stream.stamps)
    return found


def names_of(recording: Recording) -> dict[int, str]:
    """The threads' names, by number: as in traces, the n-th thread that 0 starts is 0.n."""
    found: dict[int, str] = {0: ""}
    for thread in recording.threads:
        above = found.get(thread.parent, "")
        if thread.parent:
            found[thread.number] = f"{above}.{thread.child}"
        else:
            found[thread.number] = "0" if thread.number == 1 else f"foreign {thread.number}"
    return found


def lines_of(plan: Plan, blocks: list[BlockId]) -> Iterator[Location]:
    """The lines of blocks in their order, each once as long as no other follows."""
    last: tuple[str, int] | None = None
    for name, number in blocks:
        for each in plan.functions[name].function.blocks[number].instructions:
            location = each.location
            if location is None or not location.line or (location.file, location.line) == last or _is_ignored(each):
                continue
            last = location.file, location.line
            yield location


def _is_ignored(each: Instruction) -> bool:
    return each.opcode == "call" and str(getattr(each.operands[0].value, "name", "")).startswith(IGNORED_CALLS)


def require_unchanged(recording: Recording, where: str) -> None:
    """Raise an error if the program's files aren't as they were."""
    if changed := recording.changed_files():
        raise MazurkaError(
            "program-changed",
            f"{changed[0]} is not as it was when this was recorded",
            where=where,
            hint="put it back, or record again",
        )
