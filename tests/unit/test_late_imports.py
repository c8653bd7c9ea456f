"""Modules of the program that threads import: counted if their code does more than define things, or is looked for."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
import types
from pathlib import Path

import pytest

from mazurka.program.python.instrument.late_imports import only_defines

PROGRAM = """
import sys, threading
import registry

turns, ahead = 0, False

def work():
    import part
    {look}

threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
"""

REGISTRY = """
made = []

class Base:
    def __init_subclass__(cls):
        made.append(cls)
"""


OF_A_THREAD = "import threading\nown = threading.current_thread()\nstate = threading.local()\nstate.size = 1\n"


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("part", "look", "word"),
    [
        ("size = 1\nclass Part: names = ()\n", "part.size", "verified"),
        ("names = []\nnames.append(1)\n", "assert part.names == [1]", "verified"),
        ("size = 1\n", "sys.modules.get('part')", "inconclusive"),
        ("size = 1\n", "'part' in sys.modules", "inconclusive"),
        ("size = 1\n", "sys.modules.get('other'), sys.modules['sys'], 'other' in sys.modules", "verified"),
        ("size = 1\n", "known = sys.modules; known.get('other')", "inconclusive"),
        ("size = 1\n", "from sys import modules; modules.get('part')", "inconclusive"),
        ("from registry import made\n@made.append\ndef part(): ...\n", "assert len(registry.made) == 1", "verified"),
        ("import registry\nclass Part(registry.Base): ...\n", "assert registry.made != [part.Part]", "violation"),
        ("import threading\nown = threading.current_thread()\n", "part.own", "verified"),
        (OF_A_THREAD, "assert part.state.size", "violation"),
        (OF_A_THREAD, "assert part.own is not threading.current_thread() or part.state.size == 1", "verified"),
    ],
    ids=[
        "defines",
        "acts",
        "asked for",
        "looked for",
        "others asked for",
        "asked",
        "asked for by name",
        "it decorates",
        "a class that learns of others",
        "it knows its thread",
        "it has data of its thread, which another one has not",
        "it has data of its thread",
    ],
)
def test_a_module_imported_by_threads(part: str, look: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(part)
    (tmp_path / "registry.py").write_text(REGISTRY)
    (tmp_path / "program.py").write_text(PROGRAM.replace("{look}", look))
    command = [sys.executable, "-m", "mazurka", "check", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith(word), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ("names = {n: n for n in range(3)}\nfor n in range(3):\n    names[n] = 0\n", "verified"),
        ("names = []\nnames.append(1)\n", "verified"),
        ("import registry\nnames = len(registry.made)\n", "inconclusive"),
        ("import __main__\nnames = __main__.turns\n", "inconclusive"),
    ],
    ids=["it makes a table", "it adds to its own", "it looks at what is shared", "it looks at the program"],
)
def test_a_module_that_is_not_included(part: str, word: str, tmp_path: Path) -> None:
    for folder in ("elsewhere", "project"):
        (tmp_path / folder).mkdir()
    (tmp_path / "elsewhere" / "part.py").write_text(part)
    (tmp_path / "project" / "registry.py").write_text(REGISTRY)
    program = PROGRAM.replace("import registry", "sys.path.append('../elsewhere')\nimport registry")
    (tmp_path / "project" / "program.py").write_text(program.replace("{look}", "global turns; turns = [part.names]"))
    command = [sys.executable, "-m", "mazurka", "check", "program.py"]
    done = subprocess.run(command, cwd=tmp_path / "project", capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith(word), done.stdout + done.stderr


#: Two modules that import each other, and what two threads do that import one of them each.
_EACH_OTHER: dict[str, tuple[tuple[str, str], tuple[str, str], str | tuple[str, ...]]] = {
    "from one": (
        ("size = 1\nfrom other import depth\n", "from part import size\ndepth = 2\n"),
        ("import part", "import part"),
        "verified",
    ),
    "from each": (
        ("size = 1\nfrom other import depth\n", "from part import size\ndepth = 2\n"),
        ("import part", "import other"),
        # Where neither module is there when both threads look, CPython may also give up on a lock.
        ("violation: ImportError", "violation: _DeadlockError"),
    ),
    "one waits for the other": (
        ("import other\nsize = 1\n", "import part\ndepth = 2\n"),
        ("import part; part.size + part.other.depth", "import other; other.depth + other.part.size"),
        "violation: AttributeError",
    ),
    "locked": (
        ("import other\nsize = 1\n", "import part\ndepth = 2\n"),
        ("with lock: import part; part.size + part.other.depth", "with lock: import other; other.depth"),
        "verified",
    ),
}


@pytest.mark.sampled
@pytest.mark.parametrize("names", _EACH_OTHER)
def test_modules_that_import_each_other(names: str, tmp_path: Path) -> None:
    modules, uses, word = _EACH_OTHER[names]
    for name, source in zip(("part", "other"), modules, strict=True):
        (tmp_path / f"{name}.py").write_text(source)
    functions = "".join(f"def use{number}():\n    {use}\n" for number, use in enumerate(uses))
    program = PROGRAM.replace("import registry", f"lock = threading.Lock()\n{functions}")
    program = program.replace("target=work) for _ in range(2)", "target=each) for each in (use0, use1)")
    (tmp_path / "program.py").write_text(program.replace("{look}", "pass"))
    command = [sys.executable, "-m", "mazurka", "check", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith(word), done.stdout + done.stderr


def test_a_module_imported_in_few_orders_only(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("from registry import made\n@made.append\ndef part(): ...\n")
    (tmp_path / "registry.py").write_text(REGISTRY)
    (tmp_path / "program.py").write_text(PROGRAM.replace("    import part\n    {look}", SELDOM))
    command = [sys.executable, "-m", "mazurka", "check", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert "not tracked: the import of part" in done.stdout, done.stdout + done.stderr


#: Only where a thread runs between the two lines of the other one.
SELDOM = """
    global turns, ahead
    mine = turns
    turns = mine + 1
    if turns == 1 and mine == 0 and ahead:
        import part
    ahead = True
"""

QUIET = {
    "functions and classes": """
        "Text."
        import os
        from typing import TypeVar
        T = TypeVar("T")
        def f(): g()
        class C:
            x: int = 1
        """,
    "what logging and re make": """
        import re, logging
        WORD = re.compile("a", re.I)
        logger = logging.getLogger(__name__)
        """,
    "by version": """
        import sys
        from typing import TYPE_CHECKING
        if sys.version_info >= (3, 9) and not TYPE_CHECKING:
            NEW = True
        else:
            NEW = False
        """,
    "what is there or not": """
        try:
            import nothing_there
        except ImportError:
            nothing_there = None
        """,
    "enumerations and data": """
        import dataclasses, enum
        class Colour(enum.Enum):
            RED = enum.auto()
        @dataclasses.dataclass(frozen=True)
        class Point:
            x: int = dataclasses.field(default=0)
            @property
            def y(self): return 1
            @y.setter
            def y(self, value): pass
        DEFAULT = Colour.RED
        __all__ = ["Point"]
        __all__ += ["Colour"]
        """,
    "annotations that are never evaluated": """
        from __future__ import annotations
        def f(x: anything() = 1) -> Something: ...
        """,
    "a cache": """
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def f(n=len("abc")): return n
        """,
    "constants": """
        import socket
        FAMILY = {"inet": socket.AF_INET, "get": getattr}
        NAMES = [*FAMILY]
        """,
}

ACTING = {
    "a call": "print()",
    "an attribute of a module": "import os\nos.seen = 1",
    "what may change": "import sys\nx = sys.argv[0]",
    "a call in a class": "class C:\n    x = print()",
    "a registration": """
        from functools import singledispatch
        @singledispatch
        def f(x): ...
        @f.register
        def g(x: int): ...
        """,
    "the environment": "import os\nTHERE = dict(os.environ)",
    "a decorator": "def made(f): return f\n@made\ndef f(): ...",
    "a class that learns of others": """
        made = []
        class Base:
            def __init_subclass__(cls): made.append(cls)
        class C(Base): ...
        """,
    "a metaclass": "class Meta(type): ...\nclass C(metaclass=Meta): ...",
    "all names": "from os.path import *",
    "an item": "a = [0]\na[0], b = 1, 2",
    "a key": "x = sorted([1], key=lambda each: print())",
    "a loop": "for each in (): pass",
    "a method with the name of a class": "class Cache:\n    def set(self): ...\ncache = Cache\nx = cache.set(1)",
    "a default": "def f(x=print()): ...",
    "a list": "from sys import path\nfirst = path[0]",
}


@pytest.mark.parametrize("name", QUIET)
def test_what_only_defines(name: str) -> None:
    assert _only_defines(QUIET[name])


@pytest.mark.parametrize("name", ACTING)
def test_what_acts(name: str) -> None:
    assert not _only_defines(ACTING[name])


def _only_defines(text: str) -> bool:
    module = types.ModuleType("part")
    body = ast.parse(textwrap.dedent(text)).body
    exec(compile(ast.Module(body, []), "part.py", "exec", dont_inherit=True), vars(module))
    return only_defines(body, module)
