"""`mazurka record --control-flow`: run a C program natively, and record the paths of its threads."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from mazurka.errors import MazurkaError, UsageError
from mazurka.flow.building import opened
from mazurka.flow.reading import flow_of, lines_of, names_of, plan_of
from mazurka.flow.recording import Recording
from mazurka.flow.running import Limits, record
from mazurka.program.llvm.building import IR
from mazurka.program.llvm.compiling import C_SOURCES, CPP_SOURCES
from mazurka.program.llvm.opening import divided

_SUFFIX: Final = ".flow"
#: The least size of a ring: two chunks, one that is written and one that is whole.
_LEAST_RING: Final = 128 << 10
#: The status after the recorder has ended the program, as that of `timeout`.
_TIMED_OUT: Final = 124
_SIGNALLED: Final = 128


def record_flow(program: str, arguments: tuple[str, ...], output: str | None, limits: Limits) -> int:
    """Record a program; returns the exit status."""
    path = program.partition("::")[0]
    if not path.endswith((*C_SOURCES, *CPP_SOURCES, *IR)):
        raise UsageError("not-recordable", "--control-flow is for programs in C", where=program)
    if 0 < limits.ring < _LEAST_RING:
        raise UsageError("not-recordable", "a ring has 128K at least", where="--ring")
    flags, others, own = divided(arguments)
    source = opened(program, others, flags)
    made = output or f"{Path(path).stem}{_SUFFIX}"
    recording = record(source, own, made, limits)
    _tell(recording, made)
    ending = recording.ending
    if ending.timed_out:
        return _TIMED_OUT
    assert ending.status is not None
    return ending.status if ending.status >= 0 else _SIGNALLED - ending.status


def _tell(recording: Recording, made: str) -> None:
    ending = recording.ending
    threads = len(recording.threads)
    _say(f"recorded {recording.size:,} bytes of {threads} thread{'s' * (threads != 1)} to {made}; {ending.words}")
    if ending.status is not None and ending.status < 0 and ending.thread:
        _say(f"thread {names_of(recording)[ending.thread]} failed{_place(recording)}")
    for words in losses(recording):
        _say(words)


def _place(recording: Recording) -> str:
    """Where the thread that failed was, if that's certain."""
    thread = next((each for each in recording.threads if each.number == recording.ending.thread), None)
    if thread is None or thread.size > 1 << 20:  # it would take longer than the run
        return ""
    try:
        plan = plan_of(recording)
        flow = flow_of(recording, plan, thread)
    except MazurkaError:
        return ""
    lines = list(lines_of(plan, [*flow.blocks, *flow.tentative][-100:]))
    if not lines:
        return ""
    last = lines[-1]
    return f", last seen in {last.function or '?'}() at {os.path.relpath(last.file)}:{last.line}"


def losses(recording: Recording) -> list[str]:
    """What isn't in a recording, in words."""
    found = []
    lost = [thread for thread in recording.threads if not thread.is_whole]
    if lost:
        found.append(f"the ring has lost the beginning of {len(lost)} of {len(recording.threads)} threads")
    found += [f"not known: {name}(); only its result is recorded" for name in recording.about["unknown"]]
    found += [f"not recorded: what {name}() brings in beside its result" for name in recording.about["unkept"]]
    if recording.ending.forks:
        found.append(f"not recorded: {_count(recording.ending.forks, 'process', 'es')} that it forked")
    foreign = sum(1 for thread in recording.threads if not thread.parent and thread.number > 1)
    if foreign:
        verb = "was" if foreign == 1 else "were"
        found.append(
            f"not known: where {_count(foreign, 'thread', 's')} {verb} started that the program didn't start by name"
        )
    return found


def _count(number: int, noun: str, plural: str) -> str:
    return f"{number:,} {noun}{plural if number != 1 else ''}"


def _say(text: str) -> None:
    click.echo(f"mazurka: {text}", err=True)
