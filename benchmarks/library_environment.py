"""The environment of released libraries, and the table of their results in the docs.

The environment is made once for each version of Python, of ``requirements.lock`` and
``benchmarks/programs/libraries/requirements.txt``, and again when one of them has changed.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.row import ROOT

PROGRAMS: Final = ROOT / "benchmarks" / "programs" / "libraries"
PAGE: Final = ROOT / "docs" / "reference" / "libraries.md"

_REQUIREMENTS: Final = (ROOT / "requirements.lock", PROGRAMS / "requirements.txt")


def python() -> Path:
    """The interpreter of the environment, which is made if need be (minutes, once)."""
    folder = ROOT / f".venv-libraries-{sys.version_info.major}.{sys.version_info.minor}"
    ready, wanted = folder / "ready", "".join(file.read_text() for file in _REQUIREMENTS)
    interpreter = folder / "bin" / "python"
    if not ready.exists() or ready.read_text() != wanted:
        print(f"Making {folder.name} (some minutes, once)", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *(part for file in _REQUIREMENTS for part in ("--requirement", file))], check=True)
        ready.write_text(wanted)
    return interpreter


def version_of(package: str) -> str:
    """The version that is pinned."""
    lines = "\n".join(file.read_text() for file in _REQUIREMENTS).splitlines()
    pinned = dict(line.lower().split("==") for line in lines if "==" in line)
    return pinned[package.lower()]


def keep(
    heading: str,
    columns: Sequence[str],
    cells: Mapping[str, Sequence[str]],
    names: Sequence[str],
    page: Path = PAGE,
) -> None:
    """Write rows into the table under a heading of the page: those measured now, and the present rows of the others of
    ``names``. The first column is the name."""
    lines = page.read_text().splitlines()
    if heading not in lines:
        raise SystemExit(f"{page}: no heading `{heading}`")
    start = lines.index(heading)
    end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith("## ")), len(lines))
    section = lines[start:end]
    old = [line for line in section if line.startswith("|")][2:]
    rows = {line.split("|")[1].strip(): line for line in old}
    rows |= {name: _line([name, *map(_plain, values)]) for name, values in cells.items()}
    table = [_line(columns), "|---" * len(columns) + "|", *(rows[name] for name in names if name in rows)]
    text = "\n".join(line for line in section if not line.startswith("|")).strip()
    page.write_text("\n".join([*lines[:start], text, "", *table, *([""] if lines[end:] else []), *lines[end:], ""]))


def _plain(cell: str) -> str:
    """A cell in one line, without characters that Markdown takes for markup."""
    return " ".join(cell.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
