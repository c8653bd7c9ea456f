"""Random small programs over natives and the standard library, each in two forms.

A program has two or three threads that do one to three operations each on shared objects (:mod:`benchmarks.kits`). It
collects the values that each thread saw, and the final state, as a text, and asserts that this text is one of those of
the *serial orders*, in which the threads run one after another; for a thread that is stopped by an exception the last
value is that exception.

- *racy*: the threads as they are. It fails if, and only if, some order of its steps is not serialisable.
- *locked*: each thread does everything under one common lock. So it never fails.

A program is named by its number; the same number is the same program in the same version of Python. Left out
(:func:`drawn` gives None) are those whose serial orders do not repeat, or end a thread that runs a native directly.
Cost: 20 ms, mostly for the process in which the serial orders are run.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import random
import re
import sys
import threading
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.oracle.preemptive import in_child

from benchmarks.attribute_kits import ATTRIBUTE_MODULES
from benchmarks.item_kits import ITEM_MODULES
from benchmarks.kits import AROUND_ITERABLES, AROUND_VALUES, FOREIGN_MODULE, KITS, Kit
from benchmarks.library_kits import LIBRARY_KITS, MODULES
from benchmarks.misuse_kits import MISUSE_MODULES
from benchmarks.protocol_kits import PROTOCOL_MODULES

#: The name of the module outside of the project that some programs import.
FOREIGN_NAME: Final = "foreign_things"

_MODULES: Final = (
    "array binascii bisect bz2 codecs collections configparser contextlib contextvars copy csv ctypes dataclasses "
    "datetime decimal enum fractions functools graphlib hashlib heapq hmac io itertools json math mmap numpy operator "
    "pickle queue random re sqlite3 statistics string struct textwrap types unittest.mock uuid weakref zlib "
    f"{FOREIGN_NAME}"
).split()

#: Whether programs are drawn from :mod:`benchmarks.library_kits`.
_OF_THE_LIBRARY: Final = os.environ.get("MAZURKA_KITS") == "library"
_DRAWN: Final = LIBRARY_KITS if _OF_THE_LIBRARY else KITS
_IMPORTABLE: Final = [*_MODULES, *MODULES] if _OF_THE_LIBRARY else _MODULES

_SECONDS: Final = 10.0
_WORK: Final = "work_"
_STARTS: Final = """\
for each in threads:
    each.start()
for each in threads:
    each.join()"""

#: The name of the file of a program's code.
PROGRAM: Final = "<program>"


@dataclass(frozen=True, slots=True)
class Drawn:
    """A program in both forms; ``kits`` names the objects that its threads share."""

    number: int
    kits: tuple[str, ...]
    racy: str
    locked: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A kit under names that no other kit of the program has."""

    setup: str
    operations: tuple[str, ...]
    final: str
    targets: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """A program in parts: the kits' names, the code before the threads' functions, these functions, callables that are
    threads' targets as they are, the code that runs the threads, and the modules that may be imported."""

    kits: tuple[str, ...]
    head: str
    works: tuple[str, ...]
    targets: tuple[tuple[str, str] | None, ...]
    how: str
    modules: Sequence[str]


#: The modules that programs of pairs import.
_IMPORTED: Final = tuple(
    dict.fromkeys((*_MODULES, *MODULES, *MISUSE_MODULES, *ATTRIBUTE_MODULES, *ITEM_MODULES, *PROTOCOL_MODULES))
)


def imported() -> tuple[str, ...]:
    """The modules that programs import, but for the one of their own."""
    return tuple(name for name in _IMPORTED if name != FOREIGN_NAME)


def drawn(number: int) -> Drawn | None:
    """The program of this number."""
    parts = _draw(random.Random(number))
    expected = _serial(parts)
    if expected is None:
        return None
    title = f'"""Program {number}, {{}}: {", ".join(parts.kits)}."""\n\n'
    forms = {form: title.format(form) + program_text(parts, expected, form == "locked") for form in ("racy", "locked")}
    return Drawn(number, parts.kits, forms["racy"], forms["locked"])


def pair(kit: Kit, first: str, second: str) -> Parts:
    """Two threads that do one operation each on the thing of a kit."""
    names = _names(kit.setup)
    works = tuple(_function(f"{_WORK}{index}", [each], names) for index, each in enumerate((first, second)))
    head = f"{kit.setup}\n\ndef final():\n    return [{kit.final}]\n"
    return Parts((kit.name,), head, works, (None, None), "threads", _IMPORTED)


def operations_on(kit: Kit) -> list[str]:
    """The operations of a kit, and those of any thing."""
    around = [each.replace("{}", thing) for thing in kit.iterables for each in AROUND_ITERABLES]
    return [*kit.operations, *around, *[_filled(each, thing) for thing in kit.values for each in AROUND_VALUES]]


def _draw(chance: random.Random) -> Parts:
    kits = chance.sample(_DRAWN, 1 if chance.random() < 0.65 else 2)
    parts = [_renamed(kit, f"_{index}" if index else "") for index, kit in enumerate(kits)]
    operations = [operation for part in parts for operation in part.operations]
    around = [operation for kit, part in zip(kits, parts, strict=True) for operation in _around(chance, kit, part)]
    names = {name for part in parts for name in _names(part.setup)}
    targets = [target for part in parts for target in part.targets]
    works: list[str] = []
    direct: list[tuple[str, str] | None] = []
    for index in range(2 if chance.random() < 0.75 else 3):
        chosen = [
            chance.choice(around if around and chance.random() < 0.25 else operations)
            for _ in range(chance.choice((1, 1, 2, 2, 3)))
        ]
        direct.append(chance.choice(targets) if targets and chance.random() < 0.15 else None)
        works.append(_function(f"{_WORK}{index}", chosen, names))
    finals = ", ".join(part.final for part in parts)
    head = "\n".join(part.setup for part in parts) + "\n\n" + f"def final():\n    return [{finals}]\n"
    how = chance.choice((*["threads"] * 6, "pool", "timers"))
    if how == "pool" and (len(works) > 2 or any("context" in kit.name for kit in kits)):
        how = "threads"  # which job runs in which thread of a pool would matter, and of three there are many ways
    return Parts(tuple(kit.name for kit in kits), head, tuple(works), tuple(direct), how, _IMPORTABLE)


def _around(chance: random.Random, kit: Kit, part: _Part) -> list[str]:
    """Some operations of any thing, on this one."""
    renamed = _renaming(kit, part)
    return [
        *(chance.choice(AROUND_ITERABLES).replace("{}", renamed(each)) for each in kit.iterables for _ in range(3)),
        *(_filled(chance.choice(AROUND_VALUES), renamed(each)) for each in kit.values for _ in range(3)),
    ]


def _filled(operation: str, value: str) -> str:
    plain = re.sub(r"\{\{|\}\}", lambda found: found[0][0] * 2, operation)
    kept = plain.replace("{{", "\0").replace("}}", "\1").replace("{}", value)
    return kept.replace("\0", "{").replace("\1", "}")


def _names(setup: str) -> set[str]:
    """The names that a setup defines."""
    found: set[str] = set()
    for statement in ast.parse(setup).body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found.add(statement.name)
        elif isinstance(statement, ast.Assign):
            targets = (name for target in statement.targets for name in ast.walk(target))
            found |= {name.id for name in targets if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    return found


def _renaming(kit: Kit, part: _Part) -> Any:
    if kit.setup == part.setup:
        return lambda text: text
    return _renamer(kit, "_1")


def _renamer(kit: Kit, suffix: str) -> Any:
    names = "|".join(sorted(_names(kit.setup), key=len, reverse=True)) or "(?!)"
    return lambda text: re.sub(rf"(?<!\.)\b({names})\b(?!=[^=])", rf"\1{suffix}", text)


def _renamed(kit: Kit, suffix: str) -> _Part:
    renamed = _renamer(kit, suffix) if suffix else str
    targets = tuple((renamed(function), renamed(arguments)) for function, arguments in kit.targets)
    return _Part(renamed(kit.setup), tuple(map(renamed, kit.operations)), renamed(kit.final), targets)


def _function(name: str, operations: list[str], names: set[str]) -> str:
    lines = []
    bound: set[str] = set()
    for operation in operations:
        tree = ast.parse(operation)
        stored = (each for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))
        bound |= {each.id for each in stored} & names
        lines.append(f"seen.append({operation})" if isinstance(tree.body[0], ast.Expr) else operation)
    text = [f"def {name}():", "    seen = []"]
    text += [f"    global {', '.join(sorted(bound))}"] if bound else []
    text += ["    try:", *("        " + line for each in lines for line in each.splitlines())]
    text += ["    except Exception as error:", "        seen.append(type(error).__name__)", "    return seen"]
    return "\n".join(text) + "\n"


def _serial(parts: Parts) -> list[str] | None:
    """The texts of all serial orders, or None if they can't be determined."""
    ended = in_child(lambda: json.dumps(outcomes(parts)), _SECONDS)
    try:
        found = json.loads(ended.text)
    except ValueError:
        return None
    return list(found) if found else None


def outcomes(parts: Parts) -> list[str]:
    """In a child: the outcome of each order of the threads, one after another; of a pool also with all tasks in one of
    its threads. Empty if a thread ended by an exception, or an order does not repeat."""
    raised: list[object] = []
    threading.excepthook = raised.append
    code = compiled(parts)
    found: dict[tuple[bool, tuple[int, ...]], str] = {}
    orders = itertools.permutations(range(len(parts.works)))
    for way in [*itertools.product((False, True) if parts.how == "pool" else (False,), orders)] * 2:
        together, order = way
        text = one_by_one(executed(code), parts, order, together)
        if raised or found.setdefault(way, text) != text or re.search("0x[0-9a-f]{6}", text):
            return []
    return sorted(set(found.values()))


def compiled(parts: Parts) -> types.CodeType:
    """In a child: the code of a program up to where its threads are started."""
    module = sys.modules[FOREIGN_NAME] = types.ModuleType(FOREIGN_NAME)
    exec(FOREIGN_MODULE, module.__dict__)
    source = "import threading\n" + _imports(parts) + parts.head + "".join(parts.works)
    return compile(source, PROGRAM, "exec", dont_inherit=True)  # not our annotations


def executed(code: types.CodeType) -> dict[str, Any]:
    """In a child: the globals of the main module after this code."""
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(code, main.__dict__)
    return main.__dict__


def one_by_one(space: dict[str, Any], parts: Parts, order: tuple[int, ...], together: bool = False) -> str:
    """In a child: the outcome of the threads, one after another, in this order; ``together``: in a single thread."""
    results: list[Any] = [None] * len(order)

    def run(index: int) -> None:
        target = parts.targets[index]
        if target is None:
            results[index] = space[f"{_WORK}{index}"]()
        else:
            eval(f"{target[0]}({target[1]})", space)

    for each in [order] if together else [(index,) for index in order]:
        thread = threading.Thread(target=lambda indices: [run(index) for index in indices], args=(each,))
        thread.start()
        thread.join()
    return outcome_of(results, space)


def outcome_of(results: list[Any], space: dict[str, Any]) -> str:
    """The values that the threads saw, and the final state."""
    try:
        final = space["final"]()
    except Exception as error:
        final = type(error).__name__
    return repr((results, final))


def _imports(parts: Parts) -> str:
    text = parts.head + "".join(parts.works) + str(parts.targets)
    wanted = [name for name in parts.modules if re.search(rf"(?<![\w.]){re.escape(name)}\b", text)]
    return "".join(f"import {name}\n" for name in wanted) + "\n"


def program_text(parts: Parts, expected: list[str], locked: bool = False) -> str:
    """The program, which asserts that its outcome is an expected one."""
    claim = ["assert outcome in (", *(f"    {each!r}," for each in expected), "), outcome"]
    return _program_text(parts, claim, locked)


def program_without(parts: Parts, outcome: str, backwards: bool = False) -> str:
    """The program, which asserts that its outcome is another one; ``backwards``: the last thread is started first, and
    each has ended before the next one."""
    text = _program_text(parts, [f"assert outcome != {outcome!r}"])
    return (
        text.replace(_STARTS, "for each in reversed(threads):\n    each.start()\n    each.join()")
        if backwards
        else text
    )


def _program_text(parts: Parts, claim: list[str], locked: bool = False) -> str:
    count = len(parts.works)
    imports = _imports(parts)
    if FOREIGN_NAME in imports:
        imports = (
            "import os\nimport sys\nsys.path.append(os.path.join(os.path.dirname(__file__), '..', 'foreign'))\n"
            + imports
        )
    if parts.how == "pool":
        imports = "import concurrent.futures\n" + imports
    text = [
        "import threading\n" + imports,
        parts.head,
        *parts.works,
        "guard = threading.Lock()",
        f"results = [None] * {count}",
        "",
    ]
    targets: list[tuple[str, str]] = []
    for index, target in enumerate(parts.targets):
        work = f"results[{index}] = {_WORK}{index}()" if target is None else f"{target[0]}({target[1]})"
        if target is not None and not locked:
            targets.append(target)
            continue
        text += [f"def body_{index}():", *(["    with guard:", f"        {work}"] if locked else [f"    {work}"]), ""]
        targets.append((f"body_{index}", ""))
    text += _started(parts.how, targets)
    text += ["try:", "    end = final()", "except Exception as error:", "    end = type(error).__name__"]
    text += ["outcome = repr((results, end))", *claim]
    return "\n".join(text) + "\n"


def _started(how: str, targets: list[tuple[str, str]]) -> list[str]:
    if how == "pool":
        calls = [f"pool.submit({target}{', ' + given if given else ''})" for target, given in targets]
        return [
            f"with concurrent.futures.ThreadPoolExecutor({len(targets)}) as pool:",
            f"    futures = [{', '.join(calls)}]",
            "for each in futures:",
            "    each.result()",
        ]
    made = "threading.Timer(0, {}, ({}))" if how == "timers" else "threading.Thread(target={}, args=({}))"
    calls = [made.format(target, given + "," if given else "") for target, given in targets]
    return [
        f"threads = [{', '.join(calls)}]",
        *_STARTS.splitlines(),
    ]
