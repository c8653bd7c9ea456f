"""Modules of the program that threads import while others run.

What a run imports is imported before the runs that count, so that these find it there, as all but the first run of a
program in one process would. For a module that only defines things it makes no difference when that happens. The code
of another one would act amid what other threads do; and a program that asks `sys.modules` sees modules half made.

Cost: a look at the syntax tree of a module that is imported so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from typing import Any, Final

from mazurka.program.python import activation
from mazurka.program.python.instrument import sites
from mazurka.program.runtime.concurrency import has_concurrent_threads

#: Names of modules that were imported so in this process -> whether they do more than define things.
noticed: Final[dict[str, bool]] = {}

#: Functions that only make something.
_MAKING: Final = frozenset(
    """TypeVar ParamSpec namedtuple NamedTuple TypedDict NewType getLogger Lock RLock Condition Event Semaphore local
    frozenset set dict list tuple object compile Path field dataclass defaultdict deque OrderedDict ContextVar Queue
    Decimal Fraction property staticmethod classmethod""".split()
)

_QUIET: Final = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.Pass)


def notice(name: str, source: bytes) -> None:
    """A module of the program is about to be executed."""
    run = activation.active
    if run is not None and not run.solo and not run.is_recording and has_concurrent_threads(run):
        try:
            noticed[name] = not only_defines(ast.parse(source).body)
        except (SyntaxError, ValueError):  # which the import reports
            return


def acting(found: Iterable[tuple[str, bool]]) -> list[str]:
    """The modules among those imported so of which it makes a difference when that happens."""
    asked = not sites.asking_for_modules.isdisjoint(sites.instrumented)
    return [name for name, acts in found if acts or asked]


def only_defines(body: Iterable[ast.stmt]) -> bool:
    """Whether executing statements only binds names of their own."""
    for statement in body:
        if isinstance(statement, _QUIET):
            continue
        if isinstance(statement, ast.ClassDef):
            if not only_defines(statement.body):
                return False
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if not all(isinstance(each, (ast.Name, ast.Tuple)) for each in targets):
                return False
            if statement.value is not None and not _only_makes(statement.value):
                return False
        elif not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):
            return False
    return True


def _only_makes(value: ast.expr) -> bool:
    for node in ast.walk(value):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _MAKING:
                return False
        elif isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield)):
            return False
    return True


def are_all_lazy() -> bool:
    """Whether every import is one that happens at the first use of a name (Python 3.15, ``-X lazy_imports=all``): no
    step tells of those that are not marked so in the source."""
    mode: Any = getattr(sys, "get_lazy_imports", None)
    return mode is not None and mode() == "all"
