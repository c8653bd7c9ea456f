"""Records one real execution of a Python program (recorder.py defines a recording)."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mazurka.errors import MazurkaError
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python import activation
from mazurka.program.python.entry import Entry
from mazurka.program.python.instrument import hot_patching, loader, rest
from mazurka.program.python.recording import invocations, locks
from mazurka.program.python.recording.adopting import adopt_locks
from mazurka.program.python.recording.recorder import FIRST, Recorder
from mazurka.program.python.recording.threads import install as follow_threads
from mazurka.program.python.semantics import hooks, objects
from mazurka.trace.event import Op
from mazurka.trace.targets import THREAD

if TYPE_CHECKING:
    from mazurka.program.python.property_events.holding import HeldProperties
    from mazurka.program.python.recording.finishing import Finished
    from mazurka.properties.property import Property


@dataclass(frozen=True, slots=True)
class Recording:
    """The result: the trace, the untracked operations, and the exception that ended the program. Without a trace: this
    process is a child that the program has forked."""

    trace: Finished | None
    untracked: dict[str, int]
    error: BaseException | None
    waits: list[str]  # if it was interrupted: the threads that waited for locks then
    trouble: OSError | None


def record(
    entry: Entry,
    tracked: loader.Loader,
    directory: Path,
    known: Mapping[str, object],
    values: bool = False,
    stop_following: Callable[[], None] | None = None,
    properties: Sequence[Property] = (),
) -> Recording:
    """Run a program as it is, and record it to ``directory``, which must not exist, with the ``known`` facts. If
    another process reads the segments while they are written, they are small, and that process is stopped before they
    are deleted. The events of ``properties`` are recorded, too."""
    undo: list[Callable[[], None]] = []
    recorder = Recorder(directory, known, values, stop_following is not None)

    def close() -> Finished | None:
        activation.active = None
        rest.sleep()
        recorder.end()
        if os.getpid() != recorder.process:
            return None
        if stop_following is not None:
            stop_following()
        return finished(directory)

    try:
        hooks.install()
        undo.append(hooks.uninstall)
        held = _held(properties)
        if held is not None:
            undo.append(held.end)
        tracked.install()
        undo.append(tracked.uninstall)
        undo.append(follow_threads(recorder, close))
        undo.append(invocations.install(recorder))
        modules = _imported(tracked.include)
        functions = hot_patching.functions(modules)
        for module in modules:
            undo += [hot_patching.swap_module(module, among=functions), adopt_locks(vars(module))]
        undo.append(entry.release)
        entry.prepare()
        recorder.begin()
        rest.wake()
        activation.active = recorder  # type: ignore[assignment]  # it has the attributes that hooks read
        hooks.restart()
        if held is not None:
            held.begin()
        gc.callbacks[gc.callbacks.index(objects.before_collection)] = _before_collection
        undo.append(lambda: gc.callbacks.remove(_before_collection))
        undo.append(_end_when_terminated())
        error = _outcome(entry.call) or _outcome(_wait_for_threads)
        waits = locks.waits(recorder.bearers) if isinstance(error, (KeyboardInterrupt, Terminated)) else []
        recorder.visit(Op.END, (THREAD, FIRST), 0)
        if held is not None:
            held.finish(recorder)
    finally:
        made = close()
        while undo:
            undo.pop()()
    return Recording(made, recorder.untracked, error, waits, recorder.trouble)


def _held(properties: Sequence[Property]) -> HeldProperties | None:
    if not properties:
        return None
    from mazurka.program.python.property_events.holding import HeldProperties

    return HeldProperties(properties, controlled=False)


class Terminated(SystemExit):
    """The program was terminated by a signal for which it had no handler."""


def _end_when_terminated() -> Callable[[], None]:
    """Have the signal that ends a process at once end it like an interrupt; returns the function that undoes this."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        return lambda: None

    def end(number: int, _frame: types.FrameType | None) -> None:
        raise Terminated(128 + number)

    def undo() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)

    signal.signal(signal.SIGTERM, end)
    return undo


def finished(directory: Path) -> Finished:
    """Make a trace from the existing segments."""
    from mazurka.program.python.recording.finishing import finish

    try:
        return finish(directory)
    except OSError as error:
        hint = f"make room, then: mazurka record --finish {directory}"
        raise MazurkaError("trace-unwritable", str(error.strerror), where=str(directory), hint=hint) from error


def _outcome(call: Callable[[], object]) -> BaseException | None:
    """The exception that ended the call, if any, including an interrupt, so that the recording is finished."""
    try:
        call()
    except BaseException as raised:
        return raised
    return None


def _before_collection(phase: str, info: dict[str, int]) -> None:
    """Release objects that only we hold, but only before the rare full collections: the search takes time."""
    if info["generation"] == 2:
        objects.before_collection(phase, info)


def _imported(include: Collection[str]) -> list[types.ModuleType]:
    """The already imported modules of the packages to include."""
    return [
        module
        for name, module in list(sys.modules.items())
        if hasattr(module, "__dict__") and any(name == each or name.startswith(f"{each}.") for each in include)
    ]


def _wait_for_threads() -> None:
    """Wait for all threads but daemons, like the interpreter at its end."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
