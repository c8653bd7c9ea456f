"""The settings of a check, and their sources.

A setting can come from five sources, each of which outranks the one before: built-in defaults, ``[tool.mazurka]`` of
the nearest ``pyproject.toml`` (in the working directory or above it), the chosen profile (built in, then as
``[tool.mazurka.profiles.NAME]`` changes it), ``MAZURKA_*`` environment variables, the command line (or the arguments of
a decorator or a marker).

One row of :data:`KEYS` per setting holds its name, its type and its meaning; the file, the environment, the command
line and the pytest plugin all read that row. An unknown key is an error that names the key and its place, and never
ignored: a misspelt limit would otherwise have no effect.
"""

from __future__ import annotations

import functools
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from mazurka.errors import UsageError, did_you_mean
from mazurka.explore.registry import STRATEGIES
from mazurka.lazy_dataclass import dataclass

MEMORY_MODELS: Final = ("sc", "tso", "pso")
ISOLATIONS: Final = ("auto", "restore", "fork")
FORMATS: Final = (
    *("text", "json", "sarif", "junit", "github", "html"),
    *("markdown", "perfetto", "dot", "mermaid", "csv", "parquet"),
)
SOLVERS: Final = ("search", "closure", "z3")
SEARCH_ORDERS: Final = ("dfs", "random-path", "coverage", "fewest-switches", "paths")

#: The strategy that a setting is for, if it is for one only.
_ONLY_FOR: Final = dict.fromkeys(("search_order", "cutoffs", "max_memory"), "unfolding")

_PREFIX: Final = "MAZURKA_"
#: The kinds of failures that ``only`` takes (workflows/asked.py).
ASKED: Final = ("assertions", "reach-error", "races", "deadlocks", "memory", "pointers", "leaks", "exit-status")

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off", ""})


@dataclass(frozen=True, slots=True)
class Options:
    """A check's settings, resolved. Field names are the keys of :data:`KEYS` with underscores."""

    strategy: str = "auto"
    memory_model: str = "sc"
    include: tuple[str, ...] = ()
    invariant: str | None = None
    properties: tuple[str, ...] = ()
    max_executions: int | None = None
    time_limit: float | None = 60.0
    max_steps: int = 100_000
    seed: int = 0
    jobs: int | str = "auto"  # the number of cores, once that pays
    all_failures: bool = False
    races: bool = False
    leaks: bool = False
    isolation: str = "auto"
    timing: float = 0.1
    solver: str = "search"
    search_order: str = "dfs"
    cutoffs: bool = True
    max_memory: int | None = None
    require_complete: bool = False
    require: int | None = None  # preemptions up to which all orders have to be covered
    only: tuple[str, ...] = ()  # of ASKED; none: all
    ignore: tuple[str, ...] = ()
    baseline: str | None = None
    write_baseline: bool = False
    format: str = "text"
    output: tuple[str, ...] = ()
    quiet: bool = False
    fresh: bool = False
    save: bool = True
    profile: str = "default"
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Key:
    """One setting: its name as written in a file, its possible values, and its meaning."""

    name: str
    convert: Callable[[object], object]
    wants: str  # completes "expected ..."
    help: str
    choices: tuple[str, ...] = ()
    in_files: bool = True  # whether a file or the environment may set it
    is_option: bool = True  # whether there is an option of its name

    @property
    def field(self) -> str:
        """The key as an attribute of the settings, with underscores."""
        return self.name.replace("-", "_")


def _number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ValueError
    return int(value)


def _natural(value: object) -> int:
    number = _number(value)
    if number < 0:
        raise ValueError
    return number


def _positive(value: object) -> int:
    number = _number(value)
    if number < 1:
        raise ValueError
    return number


def _jobs(value: object) -> int | str:
    return "auto" if value == "auto" else _positive(value)


def _count_or_none(value: object) -> int | None:
    return _natural(value) or None


def _seconds_or_none(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError
    seconds = float(value)
    if not 0 <= seconds < float("inf"):
        raise ValueError
    return seconds or None


def _timing(value: object) -> float:
    return float("inf") if value == "all" else _seconds_or_none(value) or 0.0


def _preemptions(value: object) -> int:
    """The number in ``preemptions=N``."""
    name, _, number = str(value).partition("=")
    if name.strip() != "preemptions" or not number.strip().isdecimal():
        raise ValueError
    return int(number)


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in _TRUE | _FALSE:
        return value.strip().lower() in _TRUE
    raise ValueError


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _texts(value: object) -> tuple[str, ...]:
    each = value if isinstance(value, list | tuple) else str(value).split(",") if isinstance(value, str) else None
    if each is None:
        raise ValueError
    return tuple(_text(name).strip() for name in each if name != "")


def _asked(value: object) -> tuple[str, ...]:
    names = _texts(value)
    if not set(names) <= set(ASKED):
        raise ValueError
    return names


def _expression(value: object) -> str:
    text = _text(value)
    try:
        compile(text, "<invariant>", "eval")
    except SyntaxError:
        raise ValueError from None
    return text


def _names(value: object) -> tuple[str, ...]:
    names = [part for each in _texts(value) for part in map(str.strip, each.split(",")) if part]
    if not all(part.isidentifier() for name in names for part in name.split(".")):
        raise ValueError
    return tuple(names)


def _one_of(choices: tuple[str, ...]) -> Callable[[object], str]:
    def convert(value: object) -> str:
        if value not in choices:
            raise ValueError
        return str(value)

    return convert


def _choice(name: str, choices: tuple[str, ...], help: str, *, in_files: bool = True) -> Key:  # noqa: A002
    wants = f"one of {', '.join(choices)}" if len(choices) > 1 else f"{choices[0]} (so far the only one)"
    return Key(name, _one_of(choices), wants, help, choices, in_files)


_TABLE: Final = (
    _choice("strategy", tuple(STRATEGIES), "exploration algorithm"),
    _choice("memory-model", MEMORY_MODELS, "how late other threads may see a write"),
    Key("include", _names, "names of packages, as they are imported", "further packages or modules to instrument"),
    Key("invariant", _expression, "a Python expression", "an expression that must hold at the end of every execution"),
    Key("properties", _texts, "names of properties, or of files", "a property to look for: a name, or a file"),
    Key("max-executions", _count_or_none, "a whole number, 0 for no limit", "stop after this many executions"),
    Key("time-limit", _seconds_or_none, "seconds, 0 for no limit", "stop after this many seconds"),
    Key("max-steps", _positive, "a whole number above 0", "stop an execution after this many steps"),
    Key("seed", _natural, "a whole number from 0", "random seed of the sampling strategies"),
    Key(
        "jobs",
        _jobs,
        "a whole number above 0, or auto",
        "worker processes; auto: one per core, started after a second",
    ),
    Key("all-failures", _flag, "true or false", "continue after the first failure"),
    Key("races", _flag, "true or false", "also report data races (of interest without the GIL)"),
    Key("leaks", _flag, "true or false", "also report memory that a C program has not freed when it ends"),
    _choice("isolation", ISOLATIONS, "how state is reset between executions"),
    Key(
        "timing",
        _timing,
        "seconds, or all",
        "seconds by which enabled threads may be delayed while timeouts fire and sleeps end",
    ),
    _choice("solver", SOLVERS, "constraint solver that decides which executions are feasible"),
    _choice("search-order", SEARCH_ORDERS, "order in which `unfolding` executes"),
    Key("cutoffs", _flag, "true or false", "whether `unfolding` ends executions at states that are known"),
    Key(
        "max-memory",
        _count_or_none,
        "megabytes, 0 for no limit",
        "let `unfolding` leave executions out above this much memory",
    ),
    Key("require-complete", _flag, "true or false", "exit with an error if the check is inconclusive"),
    Key(
        "require",
        _preemptions,
        "preemptions=N, with a whole number",
        "exit with an error unless every order with up to N preemptions is covered; stop once it is",
    ),
    Key("only", _asked, f"of {', '.join(ASKED)}", "a kind of failures to report; others only count"),
    Key("ignore", _texts, "rules such as 'race: location cache.py:*'", "a rule for failures to suppress"),
    Key("baseline", _text, "a file name", "a file of known failures to suppress"),
    Key("write-baseline", _flag, "true or false", "write the failures found to the baseline", in_files=False),
    _choice("format", FORMATS, "how to report", in_files=False),
    Key(
        "output",
        _texts,
        "names of files, each with FORMAT: before it if the suffix does not determine it",
        "a report file; its format is given before its name or by its suffix",
        in_files=False,
    ),
    Key("quiet", _flag, "true or false", "print only errors", in_files=False),
    Key("fresh", _flag, "true or false", "ignore saved state", in_files=False),
    Key("save", _flag, "true or false", "save progress and failing schedules in .mazurka"),
    Key("profile", _text, "the name of a profile", "the profile of settings to start from"),
    Key("targets", _texts, "names of files, folders or tests", "targets of a check that names none", is_option=False),
)

#: Every setting by its name.
KEYS: Final[Mapping[str, Key]] = {key.name: key for key in _TABLE}

#: The changes of the built-in profiles, by field.
PROFILES: Final[Mapping[str, Mapping[str, Any]]] = {
    "default": {},
    "ci": {"time_limit": 300.0},
    "thorough": {"time_limit": None, "all_failures": True, "max_steps": 1_000_000},
}


def convert(key: Key, value: object, where: str) -> Any:
    """``value`` as :class:`Options` holds it, or an error that names the expected values and the place."""
    try:
        return key.convert(value)
    except ValueError:
        raise UsageError(
            "config-value", f"{key.name} = {value!r} is not valid", where=where, hint=_expected(key, value)
        ) from None


def _expected(key: Key, value: object) -> str:
    close = did_you_mean(value, key.choices) if isinstance(value, str) else ""
    return f"{close} Expected {key.wants}" if close else f"expected {key.wants}"


def resolve(
    overrides: Mapping[str, Any] | None = None,
    *,
    directory: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> Options:
    """The settings in force: ``overrides`` (converted, by field) over all the other places."""
    given = overrides or {}
    table, source = _project_table(directory or Path.cwd())
    base, profiles = _read_table(table, source)
    from_environment = _read_environment(os.environ if environ is None else environ)
    profile = str(given.get("profile") or from_environment.get("profile") or base.get("profile") or "default")
    if profile not in PROFILES and profile not in profiles:
        known = sorted({*PROFILES, *profiles})
        hint = did_you_mean(profile, known) or f"there are {', '.join(known)}"
        raise UsageError("config-value", f"there is no profile {profile!r}", where=source, hint=hint)
    layers = (base, PROFILES.get(profile, {}), profiles.get(profile, {}), from_environment, given)
    options = Options()
    for layer in layers:
        options = replace(options, **layer)
    if "races" in options.only:
        options = replace(options, races=True)
    if "leaks" in options.only:
        options = replace(options, leaks=True)
    if options.races and options.memory_model != "sc":
        problem = f"data races are defined without delayed stores, not for memory model {options.memory_model}"
        raise UsageError("config-value", problem, where="races, memory-model", hint="take sc: it shows all of them")
    for field, strategy in _ONLY_FOR.items():
        if options.strategy != strategy and getattr(options, field) != getattr(Options(), field):
            name = field.replace("_", "-")
            problem = f"{name} is a setting of the strategy {strategy}, not of {options.strategy}"
            raise UsageError("config-value", problem, where=name, hint=f"take strategy {strategy}")
    if STRATEGIES[options.strategy].calls and options.memory_model != "sc":
        problem = f"calls are single steps under sequential consistency, not for memory model {options.memory_model}"
        raise UsageError("config-value", problem, where="strategy, memory-model", hint="take se-mcr")
    return replace(options, profile=profile)


def from_arguments(arguments: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The keyword arguments of a decorator or a marker, checked and converted, by field."""
    given: dict[str, Any] = {}
    for name, value in arguments.items():
        key = _known(name.replace("_", "-"), where, spelling=lambda known: known.replace("-", "_"))
        if value is None and key.name in ("max-executions", "time-limit"):
            value = 0
        given[key.field] = convert(key, value, where)
    return given


def describe_defaults() -> dict[str, Any]:
    """The default of each field."""
    return {field.name: field.default for field in fields(Options)}


def find_project_file(directory: Path) -> Path | None:
    """The nearest ``pyproject.toml``, in ``directory`` or above it."""
    directory = directory.resolve()
    for folder in (directory, *directory.parents):
        candidate = folder / "pyproject.toml"
        if candidate.is_file():
            return candidate
    return None


def _project_table(directory: Path) -> tuple[Mapping[str, Any], str]:
    path = find_project_file(directory)
    if path is None:
        return {}, ""
    try:
        document = _parsed(path.read_bytes().decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError("config-syntax", f"not valid TOML: {error}", where=str(path)) from None
    except OSError as error:
        raise UsageError("config-syntax", f"can't be read: {error.strerror}", where=str(path)) from None
    table = document.get("tool", {}).get("mazurka", {})
    where = f"{path} [tool.mazurka]"
    if not isinstance(table, dict):
        raise UsageError("config-value", "tool.mazurka is not a table", where=str(path))
    return table, where


@functools.lru_cache(maxsize=1)
def _parsed(text: str) -> Mapping[str, Any]:
    """The project file, cached: every check of a test run asks for it, and reading a long one takes as long as a small
    check."""
    return tomllib.loads(text)


def _read_table(table: Mapping[str, Any], where: str) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The settings of ``[tool.mazurka]``, and those of each profile in it."""
    profiles: dict[str, dict[str, Any]] = {}
    plain = dict(table)
    declared = plain.pop("profiles", {})
    if not isinstance(declared, dict) or not all(isinstance(settings, dict) for settings in declared.values()):
        raise UsageError("config-value", "profiles is not a table of tables", where=where)
    for name, settings in declared.items():
        place = where.replace("[tool.mazurka]", f"[tool.mazurka.profiles.{name}]")
        if "profile" in settings:
            raise UsageError("config-unknown-key", "a profile can't choose a profile", where=place)
        profiles[name] = _read_settings(settings, place)
    return _read_settings(plain, where), profiles


def _read_settings(settings: Mapping[str, Any], where: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in settings.items():
        key = _known(name, where, from_file=True)
        result[key.field] = convert(key, value, where)
    return result


def _read_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for variable in sorted(environ):
        if not variable.startswith(_PREFIX):
            continue
        where = f"environment variable {variable}"
        name = variable.removeprefix(_PREFIX).lower().replace("_", "-")
        key = _known(name, where, spelling=lambda known: _PREFIX + known.upper().replace("-", "_"))
        result[key.field] = convert(key, environ[variable], where)
    return result


def _known(
    name: str,
    where: str,
    *,
    from_file: bool = False,
    spelling: Callable[[str], str] = lambda name: name,
) -> Key:
    key = KEYS.get(name)
    if key is not None and (key.in_files or not from_file):
        return key
    known = [key.name for key in _TABLE if key.in_files or not from_file]
    spelt = [spelling(each) for each in known]
    hint = did_you_mean(spelling(name.replace("_", "-")), spelt) or f"known keys: {', '.join(spelt)}"
    raise UsageError("config-unknown-key", f"unknown key {spelling(name)}", where=where, hint=hint)
