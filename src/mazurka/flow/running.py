"""Run a program natively, recorded: build it, run it at full speed with real threads, and finish its recording.

The recording is in its file from the first moment on, and is complete in the sense of :mod:`mazurka.flow.raw` at
every later one: whatever kills the program, or this process, what was written stays and can be read.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mazurka.errors import MazurkaError, UsageError
from mazurka.flow import files, raw
from mazurka.flow.building import Source, build, planned
from mazurka.flow.instrument import Options
from mazurka.flow.recording import VERSION, Recording, file_hash
from mazurka.lazy_dataclass import dataclass

#: How long a program has to end after SIGTERM, in seconds.
_GRACE: Final = 5.0
_SOURCE_FILE: Final = re.compile(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')


@dataclass(frozen=True, slots=True)
class Limits:
    """``seconds`` after which the program is ended (0: never), bytes of the ``ring`` that each thread has (0: all is
    kept), and bytes of ``inputs`` that are kept of each thread; numbers before each of the time ``stamps`` (0:
    none)."""

    seconds: float = 0.0
    ring: int = 0
    inputs: int = 1 << 20
    stamps: int = 0


def record(source: Source, arguments: Sequence[str], output: str, limits: Limits) -> Recording:
    """Build and run a program; returns its recording, which is then in the file ``output``.

    Raises :class:`~mazurka.errors.UsageError` if the program can't be recorded, or the output exists, and
    :class:`~mazurka.errors.MazurkaError` if the recording couldn't be written to its end: what is there can be read.
    """
    options = Options(limits.stamps, limits.ring > 0)
    plan = planned(source, not options.ring)
    if os.path.exists(output):
        raise UsageError("output", "it exists already", where=output, hint="remove it, or name another by -o")
    with tempfile.TemporaryDirectory(prefix="mazurka-flow-") as folder:
        program = os.path.join(folder, Path(source.files[0]).stem)
        about = _about(source, arguments, limits, build(source, plan, options, program))
        about["unknown"], about["unkept"] = sorted(plan.unknown), sorted(plan.unkept)
        try:
            with open(output, "xb") as stream:
                control = raw.begin(stream, about, source.text)
        except OSError as error:
            raise MazurkaError("output", error.strerror or str(error), where=output) from None
        where = f"{control}:{limits.ring}:{limits.inputs}:{os.path.abspath(output)}"
        status, timed_out = _run([program, *arguments], {**os.environ, "MAZURKA_FLOW": where}, limits.seconds)
    recording = raw.read(output, status, timed_out)
    problem = recording.ending.lost
    try:
        files.finish(output, recording)
    except OSError as error:  # it stays as the program has written it
        problem = problem or error.errno or 0
    if problem:
        raise MazurkaError(
            "trace-unwritable",
            f"only the first {recording.size:,} bytes could be written: {os.strerror(problem)}",
            where=output,
            hint="make room, and record again, or keep the last part of each thread by --ring",
        )
    return recording


def _run(command: list[str], environment: dict[str, str], seconds: float) -> tuple[int, bool]:
    """Run a command to its end; returns its status, and whether it was ended for its time."""
    process = subprocess.Popen(command, env=environment)
    while True:
        try:
            return process.wait(seconds or None), False
        except KeyboardInterrupt:  # the program got it, too
            continue
        except subprocess.TimeoutExpired:
            process.terminate()
            try:
                return process.wait(_GRACE), True
            except subprocess.TimeoutExpired:
                process.kill()
                return process.wait(), True


def _about(source: Source, arguments: Sequence[str], limits: Limits, build_id: str) -> dict[str, Any]:
    """What a recording says of itself."""
    from mazurka import __version__

    return {
        "version": VERSION,
        "mazurka": __version__,
        "target": source.files[0],
        "parts": list(source.files[1:]),
        "flags": list(source.flags),
        "arguments": list(arguments),
        "directory": os.getcwd(),
        "files": {path: file_hash(path) for path in _source_files(source)},
        "identity": source.identity,
        "build": build_id,
        "ring": limits.ring,
        "stamps": limits.stamps,
        "inputs": limits.inputs,
    }


def _source_files(source: Source) -> list[str]:
    """The files that a program was compiled of, but for those that come with the compiler."""
    named = [os.path.join(folder, name) for name, folder in _SOURCE_FILE.findall(source.text)]
    found = {os.path.abspath(path) for path in (*source.files, *named)}
    return sorted(path for path in found if os.path.isfile(path) and not path.startswith((sys.prefix, "/usr/")))
