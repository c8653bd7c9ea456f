"""What the code asks of its readers: its size, its floors, its arrows; status 1 if a figure has grown.

``budget.toml`` has each figure's name, the most that it may be, and what is wanted. A figure that has shrunk is written
down there with ``make budget ARGS=--save``, so that it does not grow again; to let one grow, edit the file, and say why
in the commit.

Floors are the longest way down the imports between the modules of ``semantics``, arrows the pairs of these modules of
which one imports the other. Mutable names are those that a module binds to a list, a dictionary, a set or the like when
it is imported.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]
_SOURCE: Final = _ROOT / "src" / "mazurka"
_KEPT: Final = Path(__file__).with_name("budget.toml")
_SEMANTICS: Final = "mazurka.program.python.semantics"

#: What makes something that can change, if a module calls it.
_MAKERS: Final = frozenset(
    "list dict set deque defaultdict Counter OrderedDict per_run WeakKeyDictionary WeakValueDictionary WeakSet".split()
)
_DISPLAYS: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)

_CHECKED: Final = """
import threading
n = 0
def add():
    global n
    n += 1
threads = [threading.Thread(target=add) for _ in range(2)]
for each in threads: each.start()
for each in threads: each.join()
assert n == 2
"""

#: Checks a program, and prints how many of our modules have been imported.
_IMPORTED: Final = """
import sys
sys.argv[:1] = ["mazurka", "check", "--fresh", "--no-save"]
from mazurka.cli import main
try: main()
except SystemExit: pass
print(sum(name.startswith("mazurka") for name in sys.modules))
"""


def figures() -> dict[str, int]:
    """Name of each figure -> its value."""
    files = {path: path.read_text() for path in sorted(_SOURCE.rglob("*.py"))}
    python = [path for path in files if path.is_relative_to(_SOURCE / "program" / "python")]
    arrows = _arrows({path: text for path, text in files.items() if path.parent.name == "semantics"})
    return {
        "lines of src": sum(text.count("\n") for text in files.values()),
        "files of src": len(files),
        "lines of program/python": sum(files[path].count("\n") for path in python),
        "files of semantics": len(arrows),
        "floors of semantics": _floors(arrows),
        "arrows within semantics": sum(map(len, arrows.values())),
        "parameters run: Any": sum(len(re.findall(r"\brun: Any\b", text)) for text in files.values()),
        "tests of is_recording": sum(len(re.findall(r"\.is_recording\b", text)) for text in files.values()),
        "mutable names of modules": sum(_mutable(ast.parse(text)) for text in files.values()),
        "modules that a small check imports": _imported(),
    }


def _arrows(files: dict[Path, str]) -> dict[str, set[str]]:
    """Module -> those beside it that it imports."""
    names = {path.stem for path in files}
    found: dict[str, set[str]] = {}
    for path, text in files.items():
        used: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module == _SEMANTICS:
                used |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_SEMANTICS + "."):
                used.add((node.module or "").removeprefix(_SEMANTICS + ".").partition(".")[0])
        found[path.stem] = (used & names) - {path.stem}
    return found


def _floors(arrows: dict[str, set[str]]) -> int:
    @cache
    def height(name: str) -> int:
        return 1 + max(map(height, arrows[name]), default=0)

    return max(map(height, arrows))


def _mutable(module: ast.Module) -> int:
    count = 0
    for node in module.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, ast.Call):
            function = value.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            count += name in _MAKERS
        elif isinstance(value, _DISPLAYS):
            count += 1
    return count


def _imported() -> int:
    """How many modules of ours a check of nine lines imports."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(_CHECKED)
        command = [sys.executable, "-c", _IMPORTED, str(program)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout
    return int(printed.split()[-1])


def main() -> int:
    kept = {row["figure"]: row for row in tomllib.loads(_KEPT.read_text())["figures"]}
    found = figures()
    grown = [name for name, value in found.items() if value > kept[name]["most"]]
    print(f"{'figure':44} {'now':>8} {'most':>8} {'wanted':>8}")
    for name, value in found.items():
        row = kept[name]
        print(f"{name:44} {value:8,} {row['most']:8,} {row['wanted']:8,}{'   GROWN' if name in grown else ''}")
    if sys.argv[1:] == ["--save"]:
        rows = [(name, min(value, kept[name]["most"]), kept[name]["wanted"]) for name, value in found.items()]
        _KEPT.write_text("\n".join(f'[[figures]]\nfigure = "{a}"\nmost = {b}\nwanted = {c}\n' for a, b, c in rows))
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
