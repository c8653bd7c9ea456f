"""Commands run as ``python -m mazurka ARGUMENTS`` runs them, without the quarter of a second that it takes to start.

A *server* (``preloaded_server.py``) is an interpreter that has imported the modules that a verb of the command line
imports first, and forks for each command. There is one for each verb, so that no program under test finds a module
imported that it would not find after a fresh start; those of verbs that run programs have fixed hashing, for which the
verbs would otherwise start Python anew.

A command whose environment has other settings of the interpreter, or of numba, has a fresh one. Tests of signals, of
process groups and of imports start their own.

Cost: a server takes half a second, a command a few hundredths. A server runs one command at a time.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import marshal
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).resolve().parent
_SERVER: Final = _HERE / "preloaded_server.py"
_SRC: Final = str(_HERE.parent / "src")

_PROGRAMS: Final = ("runpy", "mazurka.program.python.opening", "mazurka.program.python.program")

_TRACES: Final = ("mazurka.trace.formats.parquet", "mazurka.trace.locations")

#: Verb -> the modules that are imported when it begins its work. A program under test finds nothing else imported.
_IMPORTED: Final[dict[str, tuple[str, ...]]] = {
    "check": ("mazurka.cli.check", *_PROGRAMS, "mazurka.explore.mcr", "mazurka.explore.portfolio"),
    "replay": ("mazurka.cli.replay", *_PROGRAMS),
    "record": ("mazurka.cli.record", "mazurka.program.python.recording.record", "runpy"),
    "predict": ("mazurka.cli.predict", "mazurka.workflows.predicting", "mazurka.predict.engines", "numba", *_TRACES),
    "trace": ("mazurka.cli.trace", *_TRACES),
    "convert": ("mazurka.cli.convert", *_TRACES),
}

#: The same for ``pytest --mazurka``.
_OF_PYTEST: Final = (
    "pytest",
    "mazurka.cli.interrupt",
    "mazurka.program.python.opening",
    "mazurka.program.python.program",
    "mazurka.workflows.checking",
)

#: The verbs for which hashing is fixed.
_RUNNING: Final = frozenset({"check", "replay", "record"})

_PYTEST: Final = "pytest"

#: How the names of variables begin that are looked at when Python starts, or when something is imported.
_READ_AT_START: Final = ("PYTHON", "LC_", "LANG", "TZ", "NUMBA", "ARROW", "OMP_", "LD_")

#: A process that forks must have no threads; NumPy's library for linear algebra and PyArrow's allocator start some when
#: imported.
_WITHOUT_THREADS: Final = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}

_LENGTH: Final = struct.Struct("!I")
_STATUS: Final = struct.Struct("!i")


def environment(**more: str) -> dict[str, str]:
    """The environment of commands: that of this process without the settings of Mazurka and pytest, and ``more``."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAZURKA_", "PYTEST"))}
    return {**inherited, "PYTHONPATH": _SRC, **more}


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings that an interpreter reads at its start, except for the folders of modules, which a command can set
    later."""
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_AT_START) and name not in ("PYTHONHASHSEED", "PYTHONPATH")
    }


#: The settings that servers have when they start.
_USUAL: Final = _read_at_start(os.environ)


def run(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """The command ``python -m mazurka ARGUMENTS``, which reads nothing, in a folder; at most ``timeout`` seconds."""
    command = [sys.executable, "-m", "mazurka", *arguments]
    verb = arguments[0] if arguments else ""
    if verb in _IMPORTED and _is_usual(environment):
        return _server(verb).run(command, folder, environment, timeout)
    return run_fresh(arguments, folder, environment, timeout)


def run_pytest(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """The same for ``python -m pytest ARGUMENTS``."""
    if "--mazurka" in arguments and _is_usual(environment):  # otherwise there is little to import
        # pytest rewrites assertions of a package with a plugin when it is imported, and warns where that is too late.
        quiet = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
        command = [sys.executable, "-m", "pytest", *quiet, *arguments]
        return _server(_PYTEST).run(command, folder, environment, timeout)
    return run_fresh(arguments, folder, environment, timeout, module="pytest")


def _is_usual(environment: Mapping[str, str]) -> bool:
    """Whether an interpreter with this environment starts like the servers."""
    return _read_at_start(environment) == _USUAL and hasattr(os, "fork")


def run_fresh(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float, module: str = "mazurka"
) -> subprocess.CompletedProcess[str]:
    """The command ``python -m MODULE ARGUMENTS`` in an interpreter of its own."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


@dataclass(frozen=True, slots=True)
class _Server:
    """A server, and the connection to it."""

    process: subprocess.Popen[bytes]
    connection: socket.socket
    hashing: dict[str, str]  # the settings of hashing for each command

    def run(
        self, command: list[str], folder: Path, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        request = marshal.dumps((command, str(folder), {**environment, **self.hashing}))
        with contextlib.ExitStack() as pipes:
            output, said = _pipe(pipes)
            errors, complained = _pipe(pipes)
            socket.send_fds(self.connection, [_LENGTH.pack(len(request))], [said.fileno(), complained.fileno()])
            said.close()
            complained.close()
            self.connection.sendall(request)
            pid = self._number()
            told = _read_all((output, errors), time.monotonic() + timeout)
            if told is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            status = self._number()
        if told is None:
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, status, _text(told[0]), _text(told[1]))

    def _number(self) -> int:
        data = self.connection.recv(_STATUS.size, socket.MSG_WAITALL)
        assert data, f"a server has died: {self.process.args!r}"
        number: int = _STATUS.unpack(data)[0]
        return number

    def end(self) -> None:
        self.connection.close()
        self.process.wait()


#: Verb -> its server.
_servers: Final[dict[str, _Server]] = {}


def _server(verb: str) -> _Server:
    if verb not in _servers:
        imported = _OF_PYTEST if verb == _PYTEST else _IMPORTED[verb]
        _servers[verb] = start(imported, fixed_hashing=verb in _RUNNING)
    return _servers[verb]


def start(imported: Sequence[str], *, fixed_hashing: bool = False, flags: Sequence[str] = ()) -> _Server:
    """A server of its own, which has these modules imported; to be ended by whoever asked for it.

    ``flags`` are those of the interpreter.
    """
    ours, theirs = socket.socketpair()
    hashing = {"PYTHONHASHSEED": "0"} if fixed_hashing else {}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, *flags, str(_SERVER), str(theirs.fileno()), *imported],
            env={**environment(), **hashing, **_WITHOUT_THREADS},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
    return _Server(process, ours, hashing)


@atexit.register
def _end_all() -> None:
    while _servers:
        _servers.popitem()[1].end()


def _pipe(opened: contextlib.ExitStack) -> tuple[io.FileIO, io.FileIO]:
    """A pipe's end to read from and its end to write to; both are closed at the end of ``opened``."""
    output, said = os.pipe()
    return opened.enter_context(io.FileIO(output)), opened.enter_context(io.FileIO(said, "w"))


def _read_all(ends: tuple[io.FileIO, io.FileIO], deadline: float) -> tuple[bytes, bytes] | None:
    """All that comes out of two pipes until whoever writes to them has gone; None if that takes too long."""
    told = {end.fileno(): bytearray() for end in ends}
    with selectors.DefaultSelector() as selector:
        for end in ends:
            selector.register(end, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                told[key.fd] += data
                if not data:
                    selector.unregister(key.fd)
    output, errors = ends
    return bytes(told[output.fileno()]), bytes(told[errors.fileno()])


def _text(data: bytes) -> str:
    """The text that a file in text mode reads."""
    return data.decode().replace("\r\n", "\n").replace("\r", "\n")
