"""Imports modules with instrumentation: those under given directories, and those with given names.

The finder stands before Python's own, asks them for a module's place, and takes over only if this is a source file that
is to be tracked. The module has the same ``__file__``, positions and source as otherwise. A module that can't be
instrumented is loaded plain; one with faulty source, or that was named and has no source, is in :attr:`Loader.opaque`.
Compiled code is kept in the directory that the caller names, that of the standard library in one of the user
(kept_code.py).

Cost: with kept code about that of a plain import.
"""

from __future__ import annotations

import ast
import functools
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import sysconfig
import types
from collections.abc import Iterable, Sequence
from typing import Final

from mazurka.program.python.instrument import late_imports, sites, woven_names
from mazurka.program.python.instrument.instrument import compile_instrumented, instrument_source
from mazurka.program.python.instrument.kept_code import Compiled, KeptCode, of_library
from mazurka.program.python.instrument.own import contextlib

#: The name of the function that an invariant is compiled to.
INVARIANT: Final = "__mz_invariant__"

_INVARIANT_FILE: Final = "<invariant>"

_SKIPPED: Final = ("site-packages", "dist-packages")

#: Files of modules that were imported before a check -> their paths without links. Each check needs all of them.
_real_files: Final[dict[str, str]] = {}

#: Our own packages and their dependencies: instrumenting these would make hooks call hooks.
MACHINERY: Final = frozenset(
    ("mazurka", "greenlet", "z3", "_pytest", "pytest", "importlib", "builtins", "sys", "os", "posixpath", "genericpath")
)

#: In a session of pytest, the other packages that run the tests.
PYTEST_MACHINERY: Final = frozenset({"pluggy"})


class Loader(importlib.abc.MetaPathFinder):
    """Finds and makes instrumented modules. ``modules`` holds these, ``opaque`` the modules that it could not
    instrument, with the reasons. Modules of the packages ``never`` stay as they are."""

    def __init__(
        self,
        roots: Iterable[str],
        include: Iterable[str] = (),
        cache: str | None = None,
        never: frozenset[str] = MACHINERY,
    ) -> None:
        self.never = never
        self.roots = tuple(os.path.join(os.path.realpath(root), "") for root in roots)
        self.include = tuple(include)
        self._kept = KeptCode(cache)
        self.modules: dict[str, types.ModuleType] = {}
        self.opaque: dict[str, str] = {}
        self._folders: dict[str, str] = {}  # paths of folders -> the same without links

    def install(self) -> None:
        """Stand before all other finders."""
        sys.meta_path.insert(0, self)

    def uninstall(self) -> None:
        """Remove the finder; modules that it made stay as they are."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec whose loader instruments, if the module is to be tracked."""
        if fullname == "conftest" or fullname.partition(".")[0] in self.never:
            return None
        named = self._is_included(fullname)
        if not (named or self.roots or late_imports.is_late()):
            return None
        spec = self._ask_others(fullname, path, target)
        if spec is None or spec.origin is None:
            return None
        if not named and not self._is_under_roots(self._real(spec.origin)):
            late_imports.notice_other(spec)
            return None
        if type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Instrumenting(self, fullname, spec.origin)
            return spec
        if fullname in self.include:
            self.opaque[fullname] = f"no Python source ({os.path.basename(spec.origin)})"
        return None

    def _ask_others(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in sys.meta_path:
            if isinstance(finder, Loader) or type(finder).__module__.startswith("_pytest"):
                continue
            find = getattr(finder, "find_spec", None)
            spec = find(fullname, path, target) if find is not None else None
            if spec is not None:
                found: importlib.machinery.ModuleSpec = spec
                return found
        return None

    def tracks(self, fullname: str, file: str) -> bool:
        """Whether a module of that name and file is to be tracked, whichever loader imports it."""
        if fullname.partition(".")[0] in self.never or not file.endswith(".py"):
            return False
        if self._is_included(fullname):
            return True
        real = _real_files.get(file)
        if real is None:
            real = _real_files[file] = self._real(file)
        return self._is_under_roots(real)

    def _is_included(self, fullname: str) -> bool:
        return any(fullname == name or fullname.startswith(name + ".") for name in self.include)

    def _is_under_roots(self, real: str) -> bool:
        for root in self.roots:
            if real.startswith(root):
                below = real[len(root) :].split(os.sep)
                return not any(part in _SKIPPED for part in below) and not _in_environment(root, below)
        return False

    def _real(self, file: str) -> str:
        """``os.path.realpath`` with a cache for folders: the original looks at each folder of a path, again for each
        file."""
        folder, name = os.path.split(file)
        if not name or os.path.islink(file):
            return os.path.realpath(file)
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(folder)
        return os.path.join(real, name)

    # -- compiling
    # ------------------------------------------------------------------------------------------------------

    def code_for(self, source: bytes, file: str) -> types.CodeType:
        """The instrumented code of a file's text, kept or new; its sites are known afterwards."""
        if _is_of_library(file):
            code, entries = _code_of_library(source, file, woven_names.active)
        else:
            code, entries = _code(source, file, self._kept)
        sites.register(file, entries)
        return code


def _code(source: bytes, file: str, kept: KeptCode) -> Compiled:
    found = kept.find(source, file)
    if found is None:
        found = compile_instrumented(source, file)
        kept.keep(source, file, found)
    return found


@functools.lru_cache(maxsize=512)
def _code_of_library(source: bytes, file: str, _woven: woven_names.WovenNames) -> Compiled:
    return _code(source, file, of_library())


_LIBRARY: Final = os.path.join(sysconfig.get_path("stdlib"), "")


def _is_of_library(file: str) -> bool:
    """Whether a file came with the interpreter."""
    return file.startswith(_LIBRARY) and not any(part in _SKIPPED for part in file.split(os.sep))


def _in_environment(root: str, below: list[str]) -> bool:
    """Whether a file under a root belongs to a virtual environment that lies there."""
    folder = root
    for part in below[:-1]:
        folder = os.path.join(folder, part)
        if os.path.exists(os.path.join(folder, "pyvenv.cfg")):
            return True
    return False


class _Instrumenting(importlib.machinery.SourceFileLoader):
    """Loads one module instrumented."""

    def __init__(self, owner: Loader, fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self.owner = owner

    def get_code(self, fullname: str) -> types.CodeType | None:
        path = self.get_filename(fullname)
        source = self.get_data(path)
        try:
            return self.owner.code_for(source, path)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.owner.opaque[fullname] = f"{type(error).__name__}: {error}"
            return super().get_code(fullname)

    def exec_module(self, module: types.ModuleType) -> None:
        self.owner.modules[module.__name__] = module
        with late_imports.notice(module, self.get_data(self.get_filename(module.__name__))):
            super().exec_module(module)


def compile_invariant(text: str) -> types.CodeType:
    """Compile an expression of the user, instrumented, since its reads distinguish orders: a function of no arguments
    with the name :data:`INVARIANT`, to be made in the namespace of the expression's names."""
    tree = ast.parse(text, _INVARIANT_FILE, "eval")
    names = sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})
    # Never called: it shows that the program binds the names, which would otherwise be constants in this text.
    bound = (
        f"def {INVARIANT}_names():\n global {', '.join(names)}\n {' = '.join([*names, *names])} = None\n"
        if names
        else ""
    )
    return instrument_source(f"def {INVARIANT}():\n return (\n{text}\n)\n{bound}", _INVARIANT_FILE)
