"""Packages and modules that are tracked since a user names them: whether they can be tracked, and whether they
exist."""

from __future__ import annotations

import importlib.util
import pkgutil
import sys
from collections.abc import Iterable

from mazurka.errors import UsageError, did_you_mean
from mazurka.program.python.entry import import_failed
from mazurka.program.python.instrument.loader import MACHINERY


def require_explorable(names: tuple[str, ...], never: frozenset[str] = MACHINERY, whose: str = "Mazurka") -> None:
    """Raise ``not-includable`` if a package to be tracked is one that the check itself runs on."""
    for name in names:
        if name.partition(".")[0] in never:
            problem = f"{name} can't be explored: {whose} itself runs on it"
            raise UsageError("not-includable", problem, where="include", hint="leave it out")


def require_modules(names: tuple[str, ...]) -> None:
    """Raise ``no-such-module`` if a module to be tracked does not exist: a misspelt one would silently not be
    tracked."""
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
        if error.name in (package, name):  # there is no such module, or the outer one is no package
            return False
        raise import_failed(error, "include", f"{package}, which {name} is in,") from error
    except (Exception, SystemExit) as error:
        raise import_failed(error, "include", f"{package}, which {name} is in,") from error


def _provided_by(name: str) -> str:
    """A hint if the name is that of a distribution instead of its module."""
    from importlib.metadata import packages_distributions

    wanted = name.lower().replace("_", "-")
    modules = [
        module
        for module, distributions in packages_distributions().items()
        if wanted in [each.lower().replace("_", "-") for each in distributions] and module.isidentifier()
    ]
    return f"the distribution of that name is imported as {' or '.join(sorted(modules))}" if modules else ""


def _names_beside(name: str) -> Iterable[str]:
    """The modules that there are in the package that a name is in."""
    package = name.rpartition(".")[0]
    if not package:
        return {*sys.stdlib_module_names, *(each.name for each in pkgutil.iter_modules())}
    path = getattr(sys.modules.get(package), "__path__", [])
    return [f"{package}.{each.name}" for each in pkgutil.iter_modules(path)]
