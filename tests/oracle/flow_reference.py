"""The reference recorder of control flow: every block of a program writes a word, its number, when it begins.

It's put into the same executable as the recorder under test, so that both see the same execution. Each thread writes
to a file of its own, which is mapped, so that nothing is lost when the process dies.
"""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from mazurka.flow import raw
from mazurka.flow.building import Source, link, opened, planned
from mazurka.flow.decoding import BlockId, Decoder
from mazurka.flow.instrument import Options, instrumented
from mazurka.flow.plan import Plan
from mazurka.flow.recording import Recording

_RUNTIME: Final = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
extern __thread uint32_t __mzk_number;
static __thread uint32_t *words, used;
static char folder[4096];
static const uint32_t most = MOST;
__attribute__((constructor(102))) static void start(void) {
    const char *given = getenv("REFERENCE");
    if (given) snprintf(folder, sizeof folder, "%s", given);
    unsetenv("REFERENCE");
}
void reference_block(uint32_t number) {
    if (!words) {
        char path[5000];
        snprintf(path, sizeof path, "%s/%u", folder, __mzk_number);
        int file = open(path, O_RDWR | O_CREAT, 0666);
        if (file < 0 || ftruncate(file, 4ull * most)) abort();
        words = mmap(0, 4ull * most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        close(file);
    }
    if (used < most) words[used++] = number + 1;
}
"""


@dataclass(frozen=True, slots=True)
class Both:
    """One execution, by both recorders: the recording, and the blocks of each thread."""

    plan: Plan
    recording: Recording
    blocks: dict[int, list[BlockId]]


@dataclass(frozen=True, slots=True)
class Built:
    """A program with both recorders in it."""

    source: Source
    plan: Plan
    options: Options
    program: Path


def built(path: Path, flags: Sequence[str], options: Options | None = None, most: int = 1 << 24) -> Built:
    """Compile a program; at most ``most`` blocks of a thread are kept."""
    options = options or Options()
    source = opened(str(path), (), flags)
    plan = planned(source, not options.ring)
    program, runtime = path.with_name(f"{path.stem}{''.join(flags)}.exe"), path.with_suffix(".reference.c")
    runtime.write_text(_RUNTIME.replace("MOST", str(most)))
    numbers = {block: number for number, block in enumerate(_blocks(plan))}
    text = instrumented(
        source.text, plan, options, lambda *block: [f"  call void @reference_block(i32 {numbers[block]})"]
    )
    text += "\ndeclare void @reference_block(i32)\n"
    link(text, source.level, str(program), str(runtime))
    return Built(source, plan, options, program)


def run(made: Built, arguments: Sequence[str] = (), seconds: float = 20, ring: int = 0, inputs: int = 1 << 20) -> Both:
    """Execute a program once."""
    folder = made.program.with_suffix(".words")
    folder.mkdir(exist_ok=True)
    for each in folder.iterdir():
        each.unlink()
    output = made.program.with_suffix(".flow")
    with output.open("wb") as stream:
        control = raw.begin(stream, {"files": {}}, made.source.text)
    known = {"MAZURKA_FLOW": f"{control}:{ring}:{inputs}:{output}", "REFERENCE": str(folder)}
    process = subprocess.Popen(
        [str(made.program), *arguments],
        env={**os.environ, **known},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        status = process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.terminate()
        status = process.wait()
    names = _blocks(made.plan)
    blocks = {}
    for each in folder.iterdir():
        blocks[int(each.name)] = [names[word - 1] for word in _words(each)]
        each.unlink()
    return Both(made.plan, raw.read(str(output), status), blocks)


def _blocks(plan: Plan) -> list[BlockId]:
    """All blocks of a program."""
    return [
        (own.function.name, number) for own in plan.functions.values() for number in range(len(own.function.blocks))
    ]


def _words(path: Path) -> list[int]:
    """The words of a file before the first that is zero."""
    found: list[int] = []
    with path.open("rb") as stream:
        while part := stream.read(1 << 16):
            words = struct.unpack(f"<{len(part) // 4}I", part)
            if not words[-1]:
                return [*found, *words[: words.index(0)]]
            found += words
    return found


def disagreement(both: Both, stamps: int = 0) -> str:
    """In what a recording differs from the reference, "" if it doesn't: of a thread whose beginning is there all
    certain blocks are the reference's first ones, of another the last ones; what follows them is a part of an open
    path."""
    if {thread.number for thread in both.recording.threads} < set(both.blocks):
        return "a thread is missing"
    for thread in both.recording.threads:
        blocks = both.blocks.get(thread.number, [])
        decoder = Decoder(both.plan, thread.following, stamps)
        certain = list(decoder.certain())
        ways = decoder.open_paths()
        longest = max(map(len, ways), default=0) * (1 if thread.is_whole else 20)
        begins = [0] if thread.is_whole else range(max(len(blocks) - len(certain) - longest, 0), len(blocks) + 1)
        if not any(_fits(blocks[begin:], certain, ways) for begin in begins):
            return f"thread {thread.number}: {len(certain)} blocks, then {ways[:3]}, of {len(blocks)}: {blocks[-50:]}"
    return ""


def _fits(blocks: list[BlockId], certain: list[BlockId], ways: list[list[BlockId]]) -> bool:
    return blocks[: len(certain)] == certain and _is_open_part(blocks[len(certain) :], ways)


def _is_open_part(blocks: list[BlockId], ways: list[list[BlockId]]) -> bool:
    """Whether blocks are a part of one of the ways, each of which may come to a loop's head again."""
    while True:
        if any(way[: len(blocks)] == blocks for way in ways):
            return True
        rounds = [way for way in ways if way and way == blocks[: len(way)]]
        if not rounds:
            return False
        way = max(rounds, key=len)
        head = blocks[len(way)]
        if head not in way:
            return False
        blocks = blocks[len(way) :]
        ways = [each[each.index(head) :] for each in ways if head in each]
