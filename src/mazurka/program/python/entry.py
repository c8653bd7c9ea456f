"""The entry of a program: a script, a function of a module, or a callable. Each knows how to prepare itself and how to
run once."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from mazurka.errors import UsageError, did_you_mean
from mazurka.lazy_dataclass import dataclass
from mazurka.program.python.failures import frames_of


class Entry(Protocol):
    """Something to run again and again."""

    def prepare(self) -> None:
        """Import the modules that the runs need, before the snapshot of the state is taken."""
        ...

    def modules(self) -> list[types.ModuleType]:
        """The modules, beside those that the loader instrumented, whose state is put back before every run."""
        ...

    def call(self) -> Any:
        """One run of the program."""
        ...

    def namespace(self) -> dict[str, Any]:
        """The namespace in which an invariant looks up names once a run is over."""
        ...

    def release(self) -> None:
        """Release the objects of the run, so that none is finalised during the next one."""
        ...

    def identity(self) -> str:
        """A fingerprint of the source."""
        ...

    def describe(self) -> str:
        """The program as a user names it."""
        ...


#: Compiles instrumented code from a source text and its file name.
Compiler = Callable[[str, str], types.CodeType]


def read_source(path: str) -> str:
    """A source file's text; a clear error if there is no such file or it is no Python."""
    if not os.path.exists(path):
        raise UsageError("no-such-file", "there is no such file", where=path, hint=_files_like(path))
    if os.path.isdir(path):
        raise UsageError("no-such-file", "this is a directory", where=path, hint="name a Python file")
    try:
        with open(path, "rb") as stream:
            source = importlib.util.decode_source(stream.read())
        ast.parse(source, path)
    except (SyntaxError, UnicodeDecodeError, ValueError) as error:
        where = f"{path}:{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else path
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError("syntax-error", f"this Python cannot parse it: {reason}", where=where) from error
    return source


#: Begins a target that names a module to be run as ``python -m`` runs it.
MODULE: Final = "-m "


def file_of(target: str) -> str:
    """The file of a target that a user names: a script, a function of a file, or a module to be run."""
    if not target.startswith(MODULE):
        return target.partition("::")[0]
    name = target.removeprefix(MODULE)
    found = found_on_path(name)
    if found is not None and found.submodule_search_locations:
        found = found_on_path(f"{name}.__main__")
    if found is None or not found.origin or not found.origin.endswith(".py"):
        hint = "run it where `python -m` finds it: in its folder, or with PYTHONPATH=src"
        raise UsageError("no-such-module", f"there is no module {name} to run", where="-m", hint=hint)
    relative = os.path.relpath(found.origin)
    return found.origin if relative.startswith(os.pardir) else relative


def found_on_path(name: str) -> importlib.machinery.ModuleSpec | None:
    """The module of a dotted name; no package that it is in is imported, since they are to be instrumented."""
    folders, found = [os.getcwd(), *sys.path], None
    for part in name.split("."):
        found = importlib.machinery.PathFinder.find_spec(part, folders)
        if found is None:
            return None
        folders = list(found.submodule_search_locations or ())
    return found


def import_failed(error: BaseException, where: str, imported: str) -> UsageError:
    """The error for an import of ``imported`` that ended with an exception: with its type, and where it was raised."""
    frames = frames_of(error.__traceback__)
    place = f" ({frames[-1].location.file}:{frames[-1].location.line})" if frames else ""
    missing = isinstance(error, ModuleNotFoundError) and error.name not in sys.modules
    hint = f"is {error.name} installed for {sys.executable}?" if missing else ""  # type: ignore[attr-defined]
    problem = f"{imported} can't be imported: {type(error).__name__}: {error}{place}"
    return UsageError("import-failed", problem, where=where, hint=hint)


def wrong_request(target: str, exception: str, message: str, line: str) -> UsageError | None:
    """The error for a program that ends before it starts a thread, by an exception of this name that is raised in
    ``line``, if that is due to the way in which it was called; or None."""
    hint = ""
    if "attempted relative import" in message:
        name = module_of(file_of(target))[1]
        hint = f"run the module of the package, where `python -m` finds it: -m {name.removesuffix('.__main__')}"
    elif exception in ("ImportError", "ModuleNotFoundError"):
        hint = f"is it installed for {sys.executable}, or to be found by PYTHONPATH?"
    elif (exception == "SystemExit" and (message.endswith(" 2") or "usage:" in message.lower())) or (
        exception in ("IndexError", "ValueError") and "argv" in line
    ):
        hint = "its arguments follow --"
    if not hint:
        return None
    return UsageError("not-started", f"it ends before it starts a thread: {message}", where=target, hint=hint)


def _files_like(path: str) -> str:
    """A hint at a file beside one that does not exist."""
    folder, name = os.path.split(path)
    try:
        there = [each for each in os.listdir(folder or ".") if each.endswith(".py")]
    except OSError:
        return ""
    hint = did_you_mean(name, there)
    return hint.replace("did you mean ", f"did you mean {os.path.join(folder, '')}")


def _callables_of(module: types.ModuleType | None) -> list[str]:
    """The functions of a module, and of its classes, as a user names them after ``::``."""
    space = vars(module) if module is not None else {}
    own = {name: each for name, each in space.items() if callable(each) and not name.startswith("_")}
    names = list(own)
    for name, each in own.items():
        if isinstance(each, type) and module is not None and each.__module__ == module.__name__:
            names += [f"{name}.{member}" for member, value in vars(each).items() if callable(value)]
    return names


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(slots=True)
class Script:
    """A file run as ``__main__``, in a new module in each run, as ``python FILE ARGS`` would, or ``python -m MODULE
    ARGS``. The module stays ``__main__`` until :meth:`release`: threads and exit functions go on after the code of the
    file."""

    path: str
    arguments: Sequence[str]
    compiler: Compiler
    module: str = ""
    _code: types.CodeType | None = None
    _source: str = ""
    _main: types.ModuleType | None = None
    _before: types.ModuleType | None = None  # the module that was ``__main__``
    _package: str = ""  # the package that the module is in

    def prepare(self) -> None:
        self._source = read_source(self.path)
        sys.argv = [self.path, *self.arguments]
        sys.path.insert(0, os.getcwd() if self.module else os.path.dirname(os.path.abspath(self.path)))
        if self.module:
            self._package = module_of(self.path)[1].rpartition(".")[0]
            if self._package:
                try:
                    importlib.import_module(self._package)
                except (Exception, SystemExit) as error:
                    raise import_failed(error, f"{MODULE}{self.module}", self._package) from error
        _import_ahead(self._source, self.path, self._package)
        self._code = self.compiler(self._source, self.path)

    def modules(self) -> list[types.ModuleType]:
        return []

    def call(self) -> Any:
        assert self._code is not None
        main = types.ModuleType("__main__")
        main.__file__ = os.path.abspath(self.path) if self.module else self.path
        main.__dict__["__builtins__"] = sys.modules["builtins"]
        if self.module:
            main.__package__ = self._package
        self._main = main
        if self._before is None:
            self._before = sys.modules["__main__"]
        sys.modules["__main__"] = main
        sys.argv[:] = [main.__file__, *self.arguments]
        exec(self._code, main.__dict__)

    def namespace(self) -> dict[str, Any]:
        return self._main.__dict__ if self._main is not None else {}

    def release(self) -> None:
        if self._before is not None:
            sys.modules["__main__"] = self._before
        self._main = self._before = None

    def identity(self) -> str:
        return _digest(self._source or read_source(self.path))

    def describe(self) -> str:
        return self.path


@dataclass(slots=True)
class Function:
    """A function of a file, which is imported once; each run calls it without arguments."""

    path: str
    name: str
    arguments: Sequence[str] = ()
    _module: types.ModuleType | None = None
    _source: str = ""

    def prepare(self) -> None:
        self._source = read_source(self.path)
        sys.argv = [self.path, *self.arguments]
        root, module_name = module_of(self.path)
        if root not in sys.path:
            sys.path.insert(0, root)
        already = sys.modules.get(module_name)
        if already is not None and os.path.abspath(getattr(already, "__file__", "") or "") != os.path.abspath(
            self.path
        ):
            raise UsageError(
                "name-clash",
                f"another module is already called {module_name!r}",
                where=self.path,
                hint="rename the file",
            )
        try:
            self._module = importlib.import_module(module_name)
        except (Exception, SystemExit) as error:
            raise import_failed(error, self.path, "it") from error
        self._find()

    def _find(self) -> Callable[[], Any]:
        found: Any = self._module
        for part in self.name.split("."):
            found = getattr(found, part, None)
        if not callable(found):
            hint = did_you_mean(self.name, _callables_of(self._module))
            raise UsageError(
                "no-such-function", f"there is no function {self.name!r} in it", where=self.path, hint=hint
            )
        return found  # type: ignore[no-any-return]  # any callable will do

    def modules(self) -> list[types.ModuleType]:
        return [self._module] if self._module is not None else []

    def call(self) -> Any:
        return _run(self._find()())

    def namespace(self) -> dict[str, Any]:
        return self._module.__dict__ if self._module is not None else {}

    def release(self) -> None:
        return  # state that the function left in its module is removed when the module is put back

    def identity(self) -> str:
        return _digest(self._source or read_source(self.path))

    def describe(self) -> str:
        return f"{self.path}::{self.name}"


def _run(result: Any) -> Any:
    """The result of a function; of a coroutine function, that of its coroutine, run by `asyncio`."""
    if type(result) is not types.CoroutineType:
        return result
    import asyncio

    return asyncio.run(result)


@dataclass(slots=True)
class Call:
    """A callable of the caller's own process; ``text`` identifies it."""

    function: Callable[[], Any]
    text: str

    def prepare(self) -> None:
        return

    def modules(self) -> list[types.ModuleType]:
        module = sys.modules.get(getattr(self.function, "__module__", "") or "")
        return [module] if module is not None and not module.__name__.startswith("mazurka") else []

    def call(self) -> Any:
        return _run(self.function())

    def namespace(self) -> dict[str, Any]:
        return getattr(self.function, "__globals__", {})

    def release(self) -> None:
        return

    def identity(self) -> str:
        return _digest(self.text)

    def describe(self) -> str:
        return self.text


def only_defines(entry: Entry) -> str:
    """A function that a script defines which calls nothing, as a user names it for a check; "" for other scripts."""
    if not isinstance(entry, Script):
        return ""
    body = ast.parse(read_source(entry.path), entry.path).body
    functions = [each.name for each in body if isinstance(each, ast.FunctionDef)]
    quiet = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    calls = not all(isinstance(each, quiet) or isinstance(getattr(each, "value", None), ast.Constant) for each in body)
    return f"{entry.path}::{functions[0]}" if functions and not calls else ""


def module_of(path: str) -> tuple[str, str]:
    """The directory to put on the path, and the dotted module name by which ``path`` is then imported."""
    path = os.path.abspath(path)
    folder, parts = os.path.dirname(path), [os.path.splitext(os.path.basename(path))[0]]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return folder, ".".join(part for part in parts if part != "__init__")


def _import_ahead(source: str, path: str, package: str = "") -> None:
    """Import the modules that a script imports at its top level. An import that fails will fail again in the run."""
    for statement in ast.parse(source, path).body:
        names = []
        if getattr(statement, "is_lazy", False):
            continue
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and (package if statement.level else statement.module):
            start = statement.module or ""
            if statement.level:
                start = importlib.util.resolve_name("." * statement.level + start, package)
            names = [start, *(f"{start}.{alias.name}" for alias in statement.names)]
        for name in names:
            try:
                importlib.import_module(name)
            except Exception:  # an import may raise any exception; the run itself shows it
                continue
