"""What is checked: from what a user names, or from what a schedule remembers, to a program that can be run.

A schedule keeps, beside the steps, the settings that decide how the program is loaded (:func:`loading_of`), so that a
replay needs nothing but the schedule.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from mazurka.config import KEYS, Options, convert
from mazurka.errors import UsageError, did_you_mean
from mazurka.program.memory import MemoryModel
from mazurka.program.protocol import FailureKind
from mazurka.program.python.entry import Entry, Function, Script, import_failed
from mazurka.program.python.instrument.instrument import instrument_source
from mazurka.program.python.instrument.loader import MACHINERY
from mazurka.program.python.program import Isolation, PythonProgram, Settings, default_roots
from mazurka.program.runtime.task import Limits
from mazurka.replay.schedule import Schedule

#: The settings that decide how a program is loaded and run, and so belong to its schedules.
_LOADING: Final = ("include", "invariant", "isolation", "max-steps")

#: In a schedule's options: who loads the program, where it is not the command line.
RUNNER: Final = "runner"
PYTEST: Final = "pytest"
PYTHON: Final = "python"  # a caller of :mod:`mazurka.api`


@dataclass(frozen=True, slots=True)
class ProgramSpec:
    """A program as a user names it, with what its schedules have to remember."""

    target: str
    arguments: tuple[str, ...] = ()
    loading: Mapping[str, object] = field(default_factory=dict)

    def replay_command(self, schedule: str) -> str:
        """How to replay a schedule of it from the command line ("": the command line can't load it)."""
        return "" if self.loading.get(RUNNER) == PYTHON else f"mazurka replay {schedule}"


def loading_of(options: Options) -> dict[str, object]:
    """The settings a schedule keeps: those that are not as they are by default."""
    kept: dict[str, object] = {}
    for name in _LOADING:
        field_name = KEYS[name].field
        value = getattr(options, field_name)
        if value != getattr(Options(), field_name):
            kept[name] = list(value) if isinstance(value, tuple) else value
    return kept


def options_of(schedule: Schedule, options: Options) -> Options:
    """``options`` with what the schedule remembers: it names threads and points of its own memory model only."""
    remembered: dict[str, Any] = {
        KEYS[name].field: convert(KEYS[name], schedule.options[name], f"schedule of {schedule.target}")
        for name in _LOADING
        if name in schedule.options
    }
    races = schedule.failure.kind == FailureKind.RACE.value
    return replace(options, memory_model=schedule.memory_model, races=races, **remembered)


def subject_of(target: str, arguments: tuple[str, ...], options: Options) -> ProgramSpec:
    """The program that a command line names."""
    return ProgramSpec(target, arguments, loading_of(options))


def settings_of(options: Options, roots: tuple[str, ...], cache: Path | None = None) -> Settings:
    """How a program is run, as the front end wants it."""
    require_explorable(options.include)
    return Settings(
        roots=roots,
        include=options.include,
        isolation=Isolation(options.isolation),
        memory=MemoryModel(options.memory_model),
        limits=Limits(steps=options.max_steps, seconds=min(60.0, options.time_limit or 60.0)),
        invariant=options.invariant or "",
        cache=str(cache) if cache is not None else None,
        races=options.races,
    )


def open_program(subject: ProgramSpec, options: Options, cache: Path | None = None) -> PythonProgram:
    """The program, not yet loaded; ``cache`` is where compiled code may be kept."""
    path = subject.target.partition("::")[0]
    return PythonProgram(entry_of(subject.target, subject.arguments), settings_of(options, default_roots(path), cache))


def entry_of(target: str, arguments: tuple[str, ...]) -> Entry:
    """What a user names: a script, or a function of a file."""
    path, _, function = target.partition("::")
    return Function(path, function, arguments) if function else Script(path, arguments, instrument_source)


def require_explorable(names: tuple[str, ...], never: frozenset[str] = MACHINERY, whose: str = "Mazurka") -> None:
    """Say so if something to be tracked is what the check itself runs on."""
    for name in names:
        if name.partition(".")[0] in never:
            what = f"{name} can't be explored: {whose} itself runs on it"
            raise UsageError("not-includable", what, where="include", hint="leave it out")


def require_modules(names: tuple[str, ...]) -> None:
    """Say so if something to be tracked does not exist: misspelt, it would silently not be tracked."""
    for name in names:
        if name not in sys.modules and not _can_be_found(name):
            hint = _provided_by(name) or did_you_mean(name, _names_beside(name))
            hint = hint or f"is it installed for {sys.executable}?"
            raise UsageError("no-such-module", f"there is no module {name}", where="include", hint=hint)


def _can_be_found(name: str) -> bool:
    """Whether there is a module of that name; looking for it imports the packages that it is in."""
    package = name.rpartition(".")[0]
    if package and not (package in sys.modules or _can_be_found(package)):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except ValueError:
        return False
    except ModuleNotFoundError as error:
        if error.name in (package, name):  # it is no package
            return False
        raise import_failed(error, "include", f"{package}, which {name} is in,") from error
    except (Exception, SystemExit) as error:
        raise import_failed(error, "include", f"{package}, which {name} is in,") from error


def _provided_by(name: str) -> str:
    """A hint for who named what is installed instead of what is imported."""
    from importlib.metadata import packages_distributions

    wanted = name.lower().replace("_", "-")
    modules = [
        module
        for module, distributions in packages_distributions().items()
        if wanted in [each.lower().replace("_", "-") for each in distributions] and module.isidentifier()
    ]
    return f"what is installed by that name is imported as {' or '.join(sorted(modules))}" if modules else ""


def _names_beside(name: str) -> Iterable[str]:
    """The modules that there are in the package that a name is in."""
    package = name.rpartition(".")[0]
    if not package:
        return {*sys.stdlib_module_names, *(each.name for each in pkgutil.iter_modules())}
    path = getattr(sys.modules.get(package), "__path__", [])
    return [f"{package}.{each.name}" for each in pkgutil.iter_modules(path)]
