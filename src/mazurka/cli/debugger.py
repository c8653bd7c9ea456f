"""`mazurka replay --pdb`: the standard debugger, at the failure, at the moment it happens.

It opens inside the failing execution: no later step has happened yet, and all other threads are stopped at their steps.
Meanwhile tracking is off, so that looking at objects causes no steps.
"""

from __future__ import annotations

import pdb
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

from mazurka.errors import UsageError
from mazurka.program.protocol import Failure, Program
from mazurka.program.python import activation
from mazurka.program.python.failures import is_ours
from mazurka.program.python.program import PythonProgram
from mazurka.program.runtime.runtime import Runtime
from mazurka.program.runtime.task import Task


def debuggable(program: Program) -> PythonProgram:
    """The program, if the standard debugger can be used for it."""
    if not isinstance(program, PythonProgram):
        raise UsageError("not-debuggable", "only programs in Python can be debugged", where="--pdb")
    return program


def attach(program: PythonProgram) -> None:
    """Open the debugger at the first failure of each execution of ``program``."""
    on_error, on_stuck = program.on_error, program.on_stuck

    def failed(run: Runtime, task: Task, error: BaseException) -> Failure | None:
        failure = on_error(run, task, error)
        if failure is not None and not run.failures:
            trace = _skip_ours(error.__traceback__)
            with _at_rest(run):
                print(f"thread {task.name}: {failure.message}")
                pdb.post_mortem(trace)
        return failure

    def stuck(run: Runtime, tasks: list[Task]) -> Failure | None:
        failure = on_stuck(run, tasks)
        if failure is not None:
            with _at_rest(run):
                print(failure.message)
                for frame in _frames(tasks, failure):
                    debugger = pdb.Pdb()
                    debugger.reset()
                    debugger.interaction(frame, None)
        return failure

    program.on_error, program.on_stuck = failed, stuck


@contextmanager
def _at_rest(run: Runtime) -> Iterator[None]:
    """Use the real terminal, without tracking."""
    streams = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    activation.activate(None)
    try:
        yield
    finally:
        activation.activate(run)
        sys.stdin, sys.stdout, sys.stderr = streams


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    """The traceback from the program's first frame on."""
    while trace is not None and trace.tb_next is not None and is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    return trace


def _frames(tasks: list[Task], failure: Failure) -> Iterator[FrameType]:
    """The frame in the program's own code at which the first waiting thread of a deadlock is blocked."""
    for task in tasks:
        if task.name == failure.thread and task.greenlet is not None:
            frame: FrameType | None = task.greenlet.gr_frame
            while frame is not None and is_ours(frame.f_code.co_filename):
                frame = frame.f_back
            if frame is not None:
                yield frame
