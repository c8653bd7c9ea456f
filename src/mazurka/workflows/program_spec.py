"""The program of a check: from the name on a command line, or the description in a schedule, to a loaded program.

A schedule keeps, beside the steps, the settings that decide how the program is loaded (:func:`loading_of`), so that a
replay needs nothing but the schedule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mazurka.commute.effects import LibraryModels
from mazurka.config import KEYS, Options, convert
from mazurka.lazy_dataclass import dataclass
from mazurka.program.front_ends import FrontEnd, front_end_of
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind, Program
from mazurka.program.runtime.task import Limits
from mazurka.program.settings import Isolation, ProgramSettings
from mazurka.replay.schedule import Schedule

if TYPE_CHECKING:
    from mazurka.properties.property import Property

#: The settings that determine how a program is loaded and run, and so belong to its schedules.
_LOADING: Final = ("include", "invariant", "properties", "leaks", "isolation", "max-steps")

#: In a schedule's options: the front end, if it was given.
FRONT_END: Final = "program"

#: In a schedule's options: the recording of control flow whose inputs the program gets.
RECORDING: Final = "recording"

#: In a schedule's options: the loader of the program, if it is not the command line.
RUNNER: Final = "runner"
PYTEST: Final = "pytest"
PYTHON: Final = "python"  # the loader is a caller of :mod:`mazurka.api`


@dataclass(frozen=True, slots=True)
class ProgramSpec:
    """A program as a user names it, with the settings that its schedules have to keep."""

    target: str
    arguments: tuple[str, ...] = ()
    loading: Mapping[str, object] = field(default_factory=dict)

    def replay_command(self, schedule: str) -> str:
        """The command that replays a schedule of the program ("": the command line can't load it)."""
        return "" if self.loading.get(RUNNER) == PYTHON else f"mazurka replay {schedule}"


def loading_of(options: Options) -> dict[str, object]:
    """The settings that a schedule keeps: those that differ from their defaults."""
    kept: dict[str, object] = {}
    for name in _LOADING:
        field_name = KEYS[name].field
        value = getattr(options, field_name)
        if value != getattr(Options(), field_name):
            kept[name] = list(value) if isinstance(value, tuple) else value
    return kept


def options_of(schedule: Schedule, options: Options) -> Options:
    """``options`` with those of the schedule: it names threads and points of its own memory model only."""
    remembered: dict[str, Any] = {
        KEYS[name].field: convert(KEYS[name], schedule.options[name], f"schedule of {schedule.target}")
        for name in _LOADING
        if name in schedule.options
    }
    races = schedule.failure.kind == FailureKind.RACE.value
    # What the schedule names may take as long as it did then.
    return replace(options, memory_model=schedule.memory_model, races=races, timing=math.inf, **remembered)


def subject_of(target: str, arguments: tuple[str, ...], options: Options, front_end: str = "") -> ProgramSpec:
    """The program that a command line names, and its front end, if that is given."""
    return ProgramSpec(target, arguments, {**loading_of(options), **({FRONT_END: front_end} if front_end else {})})


def settings_of(options: Options, cache: Path | None = None) -> ProgramSettings:
    """The settings of a run, in the form for front ends."""
    return ProgramSettings(
        include=options.include,
        isolation=Isolation(options.isolation),
        memory=MemoryModel(options.memory_model),
        limits=Limits(steps=options.max_steps, seconds=min(60.0, options.time_limit or 60.0), pause=options.timing),
        invariant=options.invariant or "",
        cache=str(cache) if cache is not None else None,
        races=options.races,
        leaks=options.leaks,
        properties=properties_of(options),
        models=LibraryModels(),
    )


def properties_of(options: Options) -> tuple[Property, ...]:
    """The properties that the settings name; UsageError if there is none of a name, or a file has a mistake."""
    if not options.properties:
        return ()
    from mazurka.properties.registry import find

    found = {each.name: each for name in options.properties for each in find(name)}
    return tuple(found.values())


def import_front_end(subject: ProgramSpec) -> None:
    """Import the front end of the program."""
    _front_end_of(subject).load()


def _front_end_of(subject: ProgramSpec) -> FrontEnd:
    return front_end_of(subject.target, str(subject.loading.get(FRONT_END, "")))


def open_program(subject: ProgramSpec, options: Options, cache: Path | None = None) -> Program:
    """The program, not yet loaded; ``cache`` is the folder for compiled code."""
    program = _front_end_of(subject).open(subject.target, subject.arguments, settings_of(options, cache))
    if (recording := subject.loading.get(RECORDING)) is not None:
        _give_inputs(program, str(recording))
    return program


def _give_inputs(program: Program, path: str) -> None:
    """Have a program in C, not yet loaded, get the inputs of a recording."""
    from mazurka.flow.following import open_recording
    from mazurka.program.llvm.program import CProgram

    assert isinstance(program, CProgram)
    _, program.paths = open_recording(path)
    program.paths.steers = False
