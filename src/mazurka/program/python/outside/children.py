"""Child processes that threads start by `subprocess`: each runs beside the threads from the step that starts it to the
step that sees its end.

Starting a child is one step, which reads the state that it inherits; waiting for its end, and serving its pipes until
then (``communicate``), is another. Within such a step no other thread moves. The acts of the child outside its process
are watched (:mod:`.child_watch`). Their orders with steps of threads, or of other children, are not explored. So at the
end of a run they are compared: where a child and a thread, or two children, have used the same file, one of them
writing, and neither starting nor ending threads orders the two, the verdict is inconclusive. So it is where a child
acts in a way that is not known to be confined to files.

The effects of a child are taken to follow from its arguments and the files that it finds: neither the orders of its own
threads nor the times that it may take are explored. Where the program waits for it with a limit, that is an assumption
of the verdict (:data:`TIMELY`); where it asks whether a child is still running, the answer is uncontrolled.

Its standard input is empty, and its output dropped, unless the program gives it other streams: as for the program
itself.
"""

from __future__ import annotations

import _io
import inspect
import posix
import signal
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, Final

from greenlet import GreenletExit

from mazurka.program.python import activation
from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside import child_watch, files, paths
from mazurka.program.python.outside.child_order import LATER, ChildProcess, RunPosition, conflicts
from mazurka.program.python.outside.files import JOURNAL, of_run
from mazurka.program.python.outside.process_state import UMASK, WORKING_DIRECTORY, place, variables
from mazurka.program.python.outside.replacing import METHODS, present, replace_function, replace_method, stand_in
from mazurka.program.python.primitives import uncontrolled
from mazurka.program.python.primitives.run import Models, count_uncontrolled, count_untracked
from mazurka.program.python.primitives.steps import StepAccess, pass_step, read
from mazurka.program.python.semantics import deep_access, native_objects
from mazurka.program.python.semantics.gathering import AccessCollector
from mazurka.program.python.semantics.objects import number
from mazurka.program.runtime.runtime import Runtime
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT

#: Seconds of waiting for a child after which the run is cut.
_PATIENCE: Final = 4.0

#: Seconds within which a child may well not end.
_SHORT: Final = 0.1

#: The assumption where a program waits for children with a limit.
TIMELY: Final = "no timeout of a wait for a child process fires"

#: ... and where it sends them signals.
RUNNING: Final = "no child process ends by itself before it gets a signal"

_DROPPED: Final = subprocess.DEVNULL
_STREAMS: Final = ("stdin", "stdout", "stderr")


#: The children of the run, and the child of each `Popen` object.
_children: list[ChildProcess] = []
_child_of: weakref.WeakKeyDictionary[Any, ChildProcess] = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def _really() -> Any:
    """A context in which all models are replaced by the real functions, for a call that is one step."""
    runtime, activation.active = activation.active, None
    try:
        yield
    finally:
        activation.active = runtime


def _here(models: Models) -> RunPosition:
    return RunPosition(models.runtime.current.index, len(models.runtime.log))


# -- starting ----------------------------------------------------------------------------


def _initialising(real: Callable[..., None]) -> Callable[..., Any]:
    signature = inspect.signature(real)

    def initialise(models: Models, _real: Any, self: Any, *args: Any, **named: Any) -> None:
        try:
            given = signature.bind(self, *args, **named)
        except TypeError:
            real(self, *args, **named)  # it raises the error
            return
        given.apply_defaults()
        reason = "" if child_watch.AVAILABLE else "which can't be watched here"
        reason = reason or _refused(models, given.arguments)
        if reason:
            count_uncontrolled(models.runtime, f"subprocess.Popen.__init__ ({reason})")
            with _really():
                real(self, *args, **named)
            uncontrolled.note_started(self.pid)
            return
        _start(models, real, self, given)

    stand: Callable[..., Any] = stand_in(real, initialise)
    return stand


def _refused(models: Models, arguments: dict[str, Any]) -> str:
    """Why a child is not modelled, if so."""
    if arguments["preexec_fn"] is not None:
        return "with preexec_fn"
    if arguments.get("pass_fds") or not arguments["close_fds"]:
        return "with further descriptors"
    if signal.getsignal(signal.SIGCHLD) not in (signal.SIG_DFL, None):
        return "with a handler of SIGCHLD"
    for name in _STREAMS:
        if _descriptor(arguments[name]) is not None and _file_of(models, arguments[name]) is None:
            return f"with a {name} that is no file of the program"
    return ""


def _descriptor(stream: Any) -> int | None:
    """The descriptor that a child gets; none for a pipe, for no stream, and for streams that capture the output of the
    check."""
    if stream is None or (isinstance(stream, int) and stream < 0) or _is_captured(stream):
        return None
    with _really():
        return stream if isinstance(stream, int) else int(stream.fileno())


def _is_captured(stream: Any) -> bool:
    return any(stream is each for each in (sys.stdin, sys.stdout, sys.stderr)) or (
        isinstance(stream, int) and 0 <= stream <= 2
    )


def _file_of(models: Models, stream: Any) -> files.Opened | None:
    descriptor = _descriptor(stream)
    return None if descriptor is None else of_run(models).descriptors.get(descriptor)


def _start(models: Models, real: Callable[..., None], self: Any, given: inspect.BoundArguments) -> None:
    arguments = given.arguments
    of_run(models)  # from now on changes to files are put back
    opened = [file for name in _STREAMS if (file := _file_of(models, arguments[name])) is not None]
    pass_step(models, *_inherited(models, arguments), *[read(*file.state) for file in opened])
    child = ChildProcess(_words(arguments["args"]), _here(models))
    for name in _STREAMS:
        if arguments[name] is None or _is_captured(arguments[name]):
            arguments[name] = _DROPPED
    for file in opened:
        _give(models, child, file)
    arguments["preexec_fn"] = child.watch.confine
    child.watch.begin()
    try:
        with _really(), _without_warnings():
            real(*given.args, **given.kwargs)
    except BaseException:
        child.watch.started()
        child.saw_end(_here(models))  # if a child was started
        raise
    finally:
        _children.append(child)
    child.watch.started()
    child.pid = self.pid
    uncontrolled.note_started(child.pid)
    _child_of[self] = child
    _make_known(self)


def _make_known(popen: Any) -> None:
    """Register the pipes from which the program may read the output of a child."""
    for name in ("stdout", "stderr"):
        stream = getattr(popen, name)
        if stream is not None:
            native_objects.outputs_of_children.add(stream.fileno())
            if type(stream) is _io.BufferedReader:
                setattr(popen, name, ChildOutput(stream.detach()))


class ChildOutput(_io.BufferedReader):
    """The output of a child. How much of it has been written at some time is not known."""

    def _mz_count(self) -> None:
        models = present()
        if models is not None:
            count_uncontrolled(models.runtime, "a look at how much a child process has written so far")

    def peek(self, size: int = 0, /) -> bytes:
        """As the method of the base class; the amount of data is uncontrolled."""
        self._mz_count()
        return super().peek(size)

    def read1(self, size: int = -1, /) -> bytes:
        """As the method of the base class; the amount of data is uncontrolled."""
        self._mz_count()
        return super().read1(size)

    def readinto1(self, buffer: Any, /) -> int:
        """As the method of the base class; the amount of data is uncontrolled."""
        self._mz_count()
        return super().readinto1(buffer)


ChildOutput.__module__, ChildOutput.__name__, ChildOutput.__qualname__ = "_io", "BufferedReader", "BufferedReader"


@contextlib.contextmanager
def _without_warnings() -> Any:
    """Suppress Python's warning about forks beside threads: the only other thread is ours, and it waits."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _give(models: Models, child: ChildProcess, file: files.Opened) -> None:
    """The child gets an open file, which it may write to, and whose position it moves."""
    child.watch.acts.accesses[file.state[0]] = True
    for name in (file.path, *file.names):
        child.watch.acts.accesses[paths.content(name)[0]] = True
    with contextlib.suppress(OSError):
        files.keep(models, file.path, lambda: JOURNAL.writing(file.path, posix.stat(file.path)))
    child.watch.acts.written.add(file.path)


def _inherited(models: Models, arguments: dict[str, Any]) -> list[StepAccess]:
    """The reads of a child's start."""
    found = [read(*WORKING_DIRECTORY), read(*UMASK)]
    if arguments["env"] is None:
        found += variables()
    if arguments["cwd"] is not None:
        with contextlib.suppress(OSError, TypeError, ValueError):
            resolved = files.find(models, arguments["cwd"])
            found += [read(*paths.entry(resolved.path)), *paths.on_the_way(models, resolved)]
    for signal_number in (signal.SIGINT, signal.SIGPIPE):
        found.append(read(*place(f"handler of signal {int(signal_number)}")))
    return found + _content(models, [arguments["args"], arguments["env"], arguments["executable"], arguments["cwd"]])


def _content(models: Models, things: Iterable[Any]) -> list[StepAccess]:
    """All parts of a call's arguments are read."""
    gathered = AccessCollector(models.runtime)
    deep_access.read(gathered, things, 0)
    return [StepAccess(each.op, each.target, "an argument of a child process") for each in gathered.accesses]


def _words(args: Any) -> str:
    text = (
        args if isinstance(args, str) else " ".join(map(str, args)) if isinstance(args, (list, tuple)) else repr(args)
    )
    return text if len(text) < 40 else f"{text[:37]}..."


# -- waiting -----------------------------------------------------------------------------


def _use(models: Models, popen: Any, *more: StepAccess) -> None:
    """Pass a step that changes the state of a child's `Popen` object."""
    accesses = [StepAccess(each.op, each.target, "a child process") for each in native_objects.accesses(popen, Op.RMW)]
    pass_step(models, *accesses, *more)


def _closed_with(popen: Any) -> list[StepAccess]:
    """The changes of a child's streams, which are closed."""
    streams = [each for each in (popen.stdout, popen.stderr, popen.stdin) if each is not None]
    layers = [*streams, *[each.buffer for each in streams if isinstance(each, _io.TextIOWrapper) and not each.closed]]
    return [StepAccess(Op.RMW, (OBJECT, number(each)), "a stream of a child process") for each in layers]


def _limit(models: Models, child: ChildProcess, seconds: Any) -> None:
    """A wait for a child has a limit."""
    if seconds is None or child.ended is not None:
        return
    models.runtime.assumed.add(TIMELY)
    if seconds <= _SHORT:
        count_uncontrolled(models.runtime, f"a wait for a child process of at most {seconds:g} s")


def _waiting(models: Models, real: Any, self: Any, timeout: Any = None) -> Any:
    child = _child_of.get(self)
    if child is None:
        count_uncontrolled(models.runtime, "subprocess.Popen.wait")
        with _really():
            return real(self, timeout)
    _use(models, self)
    _limit(models, child, timeout)
    return _until_its_end(models, child, timeout, lambda: real(self, timeout=_PATIENCE))


def _until_its_end(models: Models, child: ChildProcess, limit: float | None, perform: Callable[[], Any]) -> Any:
    """Wait for the end of a child, which is to take less time than the program's limit for it."""
    if models.runtime.aborting:
        raise GreenletExit
    most = min(_PATIENCE, limit if limit is not None else _PATIENCE)
    began = perf_counter()
    try:
        with _really():
            result = perform()
    except subprocess.TimeoutExpired:
        most = 0.0
    if child.ended is None and perf_counter() - began > most:
        words = f"more than {_PATIENCE:g} s" if limit is None else "about as long as the program waits for it"
        models.runtime.stop(f"the run was cut: a child process ({child.words}) took {words}")
    child.saw_end(_here(models))
    return result


def _communicate(models: Models, real: Any, self: Any, input: Any = None, timeout: Any = None) -> Any:  # noqa: A002  # its name
    child = _child_of.get(self)
    if child is None:
        count_uncontrolled(models.runtime, "subprocess.Popen.communicate")
        with _really():
            return real(self, input, timeout)
    _use(models, self, *_content(models, [input]), *_closed_with(self))
    me = models.runtime.current.index
    if child.served_by not in (None, me):
        count_untracked(models.runtime, "communicate() of one child process by two threads")
    child.served_by = me
    _limit(models, child, timeout)
    return _until_its_end(models, child, timeout, lambda: real(self, input, _PATIENCE))


def _poll(models: Models, real: Any, self: Any) -> Any:
    child = _child_of.get(self)
    _use(models, self)
    if child is None or (child.ended is None and self.returncode is None):
        count_uncontrolled(models.runtime, "subprocess.Popen.poll of a child process that may be running")
        with _really():
            return real(self)
    return self.returncode


def _exit(models: Models, real: Any, self: Any, *exception: Any) -> Any:
    child = _child_of.get(self)
    if child is None:
        with _really():
            return real(self, *exception)
    _use(models, self, *_closed_with(self))
    try:
        with _really():
            for stream in filter(None, (self.stdout, self.stderr, self.stdin)):
                stream.close()
    finally:
        if exception[0] is not KeyboardInterrupt:
            _until_its_end(models, child, None, lambda: self.wait(timeout=_PATIENCE))


def _send_signal(models: Models, real: Any, self: Any, number: int) -> None:
    child = _child_of.get(self)
    _use(models, self)
    if child is None or child.ended is None:
        models.runtime.assumed.add(RUNNING)
    with _really():
        real(self, number)


def _finalise(models: Models, real: Any, self: Any, *args: Any) -> None:
    with _really():
        real(self, *args)


METHODS["subprocess", "Popen.__init__"] = _initialising
replace_method("subprocess", "Popen.wait", _waiting)
replace_method("subprocess", "Popen.communicate", _communicate)
replace_method("subprocess", "Popen.poll", _poll)
replace_method("subprocess", "Popen.__exit__", _exit)
replace_method("subprocess", "Popen.send_signal", _send_signal)
replace_method("subprocess", "Popen.__del__", _finalise)


# -- by other functions ------------------------------------------------------------------


def _counting(name: str) -> Callable[..., Any]:
    def call(models: Models, real: Any, *args: Any, **named: Any) -> Any:
        if _children:
            count_uncontrolled(models.runtime, f"os.{name} beside child processes")
        return real(*args, **named)

    return call


for _name in ("waitpid", "wait", "wait3", "wait4", "waitid", "kill", "killpg", "pidfd_open"):
    replace_function(posix, _name, _counting(_name))


# -- at the end --------------------------------------------------------------------------


def count_at_end(runtime: Runtime) -> None:
    """A run has ended: end the children that it leaves, and count uses of locations that are not known to have only one
    order."""
    if not _children:
        return
    for child in _children:
        if child.ended is None:
            runtime.count_uncontrolled(f"a child process left running ({child.words})")
            child.watch.end_all()
            uncontrolled.end_process(child.pid)
            child.watch.wait(LATER)
            child.note_written()
        for trouble in child.watch.acts.troubles:
            runtime.count_uncontrolled(trouble)
    for conflict in conflicts(runtime, _children):
        runtime.count_uncontrolled(conflict)
    _children.clear()
    native_objects.outputs_of_children.clear()
    if subprocess._active:  # type: ignore[attr-defined]  # it is there
        subprocess._active.clear()  # type: ignore[attr-defined]
