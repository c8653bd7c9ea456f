"""`mazurka record`: run a program with real threads, and record their operations."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mazurka.cli.sizes import size
from mazurka.errors import MazurkaError, UsageError

if TYPE_CHECKING:
    from mazurka.program.python.recording.finishing import Finished
    from mazurka.program.python.recording.record import Recording

_FAILED = 1
_INTERRUPTED = 130


@click.command()
@click.argument("program", type=click.Path(), metavar="PROGRAM[::FUNCTION]", required=False)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- ARGS]...")
@click.option("-m", "module", default=None, metavar="MODULE", help="Run this module, as `python -m` does")
@click.option("--include", multiple=True, metavar="PKG", help="Further packages or modules to instrument")
@click.option("-o", "--output", default=None, metavar="DIR", help="Output directory  [default: PROGRAM.recording]")
@click.option("--values", is_flag=True, help="Record values, too, if they are certain")
@click.option("--property", "properties", multiple=True, metavar="NAME|FILE", help="Record the events of a property")
@click.option("--predict", "predicts", is_flag=True, help="Report calls that may come in the other order, as it runs")
@click.option("--seed", type=int, default=0, metavar="N", help="C programs: the seed of the order of the threads")
@click.option("--control-flow", is_flag=True, help="C programs: record each thread's path, natively, at full speed")
@click.option(
    "--ring", callback=size, default="0", metavar="SIZE", help="--control-flow: keep the last SIZE of each thread"
)
@click.option(
    "--stamps", type=click.IntRange(min=0), default=0, metavar="N", help="--control-flow: a time stamp after N numbers"
)
@click.option(
    "--inputs",
    callback=size,
    default="1M",
    metavar="SIZE",
    help="--control-flow: inputs to keep of each thread  [default: 1M]",
)
@click.option(
    "--seconds", type=click.FloatRange(min=0), default=0, metavar="S", help="--control-flow: end the program after that"
)
@click.option("--finish", default=None, metavar="DIR", help="Finish an interrupted recording; run nothing")
def command(
    program: str | None,
    arguments: tuple[str, ...],
    module: str | None,
    include: tuple[str, ...],
    output: str | None,
    values: bool,
    properties: tuple[str, ...],
    predicts: bool,
    finish: str | None,
    seed: int,
    control_flow: bool,
    ring: int,
    stamps: int,
    inputs: int,
    seconds: float,
) -> int:
    """Run PROGRAM (a Python file), or one function of it, with real threads, and record their operations. `mazurka
    predict` then reports the bugs of other orders. A C program is executed once, its threads scheduled at random; with
    -o FILE.csv or the like only the trace is written. With --control-flow it's compiled natively, and only the paths of
    its threads are recorded, to PROGRAM.flow.

    Ends with the program's own exit status."""
    if finish is not None:
        return _finish(Path(finish))
    program, arguments = _program(program, module, arguments)
    limits = (seconds, ring, inputs, stamps)
    if control_flow:
        return _record_flow(program, arguments, output, limits, (*include, values, predicts, *properties))
    _require_no_limits(program, limits)
    if _is_in_c(program):
        _require_none(program, (*include, values, predicts), "--include, --values and --predict are for Python")
        return _record_run(program, arguments, output, properties, seed)
    from mazurka.program.python.entry import file_of, found_on_path
    from mazurka.program.python.included import require_modules
    from mazurka.program.python.instrument.kept_code import user_folder
    from mazurka.program.python.instrument.loader import Loader
    from mazurka.program.python.opening import entry_of
    from mazurka.program.python.program import default_roots
    from mazurka.program.python.recording.record import Terminated, record
    from mazurka.properties.registry import find
    from mazurka.workflows.recorded_properties import keep_properties

    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise UsageError(
            "free-threaded",
            "without a global lock events are not recorded in the order in which they happen",
            hint="set PYTHON_GIL=1",
        )
    packages = tuple([name for each in include for name in each.split(",")])
    require_modules(tuple([each for each in packages if found_on_path(each) is None]))  # others import their packages
    stated = [each for name in properties for each in find(name)]
    file = file_of(program)
    directory = Path(output or f"{module or Path(file).stem}.recording")
    if directory.exists():
        raise UsageError("output", "it exists already", where=str(directory), hint="remove it, or name another by -o")
    entry = entry_of(program, arguments)
    known = _description(program, arguments, packages)
    from mazurka.cli import following

    loader = Loader(default_roots(file), packages, user_folder())
    stop = following.start(directory) if predicts else None
    try:
        made = record(entry, loader, directory, known, values, stop, stated)
    except UsageError:  # the program can't be run
        if stop is not None:
            stop()
        shutil.rmtree(directory, ignore_errors=True)
        raise
    _require_right_call(program, made, directory)
    if made.trace is None:  # in a child that the program has forked, which makes no recording
        return _status(made.error)
    keep_properties(directory, stated)
    if made.trouble is not None:
        raise MazurkaError(
            "trace-unwritable",
            f"only the first {made.trace.recorded:,} events could be written: {made.trouble.strerror}",
            where=str(directory),
            hint="make room, and record again",
        )
    interrupted = isinstance(made.error, (KeyboardInterrupt, Terminated))
    _tell(made.trace, directory, "interrupted; " if interrupted else "")
    for line in made.waits:
        _say(line)
    for operation, times in made.untracked.items():
        _say(f"not tracked: {operation}" + (f" ({times} times)" if times > 1 else ""))
    if predicts and made.trace.events:
        sys.stderr.write(following.report(directory))
    status = _status(made.error)
    if interrupted and any(not each.daemon for each in threading.enumerate() if each is not threading.main_thread()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # the interpreter would wait for the other threads, which may be stuck
    return status


def _program(program: str | None, module: str | None, arguments: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The program that is named, and its arguments."""
    if module is not None:
        return f"-m {module}", (*([program] if program is not None else []), *arguments)
    if program is None:
        raise UsageError("no-such-file", "no program was named", where="record", hint="name a Python file")
    return program, arguments


def _record_flow(
    program: str,
    arguments: tuple[str, ...],
    output: str | None,
    limits: tuple[float, int, int, int],
    others: tuple[object, ...],
) -> int:
    """Record the paths of a C program's threads."""
    _require_none(program, others, "--include, --values, --predict and --property don't go with --control-flow")
    from mazurka.cli.control_flow import record_flow
    from mazurka.flow.running import Limits

    return record_flow(program, arguments, output, Limits(*limits))


def _require_right_call(program: str, made: Recording, directory: Path) -> None:
    """Raise the error that a program was called in a wrong way, if it ended for that, and remove the recording."""
    error = made.error
    if error is None or made.trace is None or made.trace.threads > 1:
        return
    from mazurka.program.python.entry import wrong_request
    from mazurka.program.python.failures import frames_of

    lines = [each.text for each in frames_of(error.__traceback__)]
    name = type(error).__name__
    ended = f"the program exits with {error}" if isinstance(error, SystemExit) else f"{name}: {error}"
    if (wrong := wrong_request(program, name, ended, lines[-1] if lines else "")) is not None:
        shutil.rmtree(directory, ignore_errors=True)
        raise wrong


def _require_no_limits(program: str, limits: tuple[float, int, int, int]) -> None:
    seconds, ring, _, stamps = limits
    if seconds or ring or stamps:
        raise UsageError("no-control-flow", "--ring, --stamps and --seconds need --control-flow", where=program)


def _is_in_c(program: str) -> bool:
    from mazurka.program.front_ends import FRONT_ENDS

    return os.path.splitext(program.partition("::")[0])[1] in FRONT_ENDS["c"].suffixes


def _require_none(program: str, options: tuple[object, ...], text: str) -> None:
    if any(options):
        raise UsageError("only-for-python", text, where=program)


def _description(program: str, arguments: tuple[str, ...], include: tuple[str, ...]) -> dict[str, object]:
    """All that is needed to run the program again."""
    return {
        "version": 1,
        "program": program,
        "arguments": arguments,
        "include": include,
        "directory": str(Path.cwd()),
        "python": sys.version,
    }


def _record_run(
    target: str, arguments: tuple[str, ...], output: str | None, properties: tuple[str, ...], seed: int
) -> int:
    """Record one execution of a program that is no Python program."""
    from mazurka.program.front_ends import front_end_of
    from mazurka.program.settings import ProgramSettings
    from mazurka.properties.registry import find
    from mazurka.trace.columns import parts_of
    from mazurka.trace.formats.format import format_for
    from mazurka.trace.writing import write_trace
    from mazurka.workflows.recording_runs import RECORDING, in_words, record_run, write_recording

    path = Path(output or f"{Path(target.partition('::')[0]).stem}{RECORDING}")
    if path.exists():
        raise UsageError("output", "it exists already", where=str(path), hint="remove it, or name another by -o")
    known = None if path.suffix in ("", RECORDING) else format_for(path.name)
    stated = tuple([each for name in properties for each in find(name)])
    program = front_end_of(target).open(target, arguments, ProgramSettings(properties=stated, records_events=True))
    recorded = record_run(program, seed)
    if known is None:
        write_recording(recorded, path, _description(target, arguments, ()), stated)
    else:
        for loss in write_trace(parts_of(recorded.trace), path, known):
            _say(f"lost: {loss}")
    _say(f"recorded {len(recorded.trace):,} events of {len(recorded.trace.threads)} threads to {path}")
    for untracked in in_words(recorded.run):
        _say(f"not tracked: {untracked}")
    for failure in recorded.run.failures:
        _say(f"the execution fails: {failure.message}")
    return _FAILED if recorded.run.failures else 0


def _finish(directory: Path) -> int:
    from mazurka.program.python.recording.raw import DESCRIPTION, SUFFIX
    from mazurka.program.python.recording.record import finished

    if not (directory / DESCRIPTION).exists():
        raise UsageError("no-such-file", "this is no recording", where=str(directory))
    if not any(directory.glob(f"*{SUFFIX}")):
        _say(f"nothing is left to be finished in {directory}")
        return 0
    _tell(finished(directory), directory)
    return 0


def _tell(made: Finished, directory: Path, how: str = "") -> None:
    _say(
        f"{how}recorded {made.recorded:,} events of {made.threads} threads"
        f"{' (each task of an executor counts as one, too)' if made.tasks else ''} to {directory}; "
        f"kept {made.events:,} events relevant to reordering"
    )
    if made.misread:
        _say(f"{made.misread:,} reads returned values that no recorded write produced; their values are left out")


def _status(error: BaseException | None) -> int:
    """The exit status that the program would have ended with."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        code: Any = error.code
        if code is None or isinstance(code, int):
            return code or 0
        click.echo(code, err=True)
        return _FAILED
    traceback.print_exception(error)
    return _INTERRUPTED if isinstance(error, KeyboardInterrupt) else _FAILED


def _say(text: str) -> None:
    click.echo(f"mazurka: {text}", err=True)
