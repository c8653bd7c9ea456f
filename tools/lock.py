"""Pins ``requirements.lock``: the packages that pip resolves from ``pyproject.toml`` in a clean environment of each
Python.

A package that has no release for all of them gets a line for each range of versions. Nothing is installed: pip is asked
for wheels of this platform, so one interpreter answers for all versions. It reads the conditions of dependencies for
itself, and so has to be the oldest one (``PYTHON=python3.11 make lock``): backports to it are only too many on others.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
import venv
from itertools import groupby
from pathlib import Path
from typing import Any, Final

#: Extras that the suite does without: one is large, one is tested in an environment of its own (`make test-mcp`), since
#: it brings a plugin of pytest, one stands for all.
_NOT_TESTED: Final = frozenset({"dask", "mcp", "all"})
_ROOT: Final = Path(__file__).resolve().parent.parent
_HEADER: Final = "# The packages of clean environments of the supported Pythons, from pyproject.toml (`make lock`)."


def main() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    tested = [each for name, extra in extras.items() if name not in _NOT_TESTED for each in extra]
    wanted = [*project["project"]["dependencies"], *tested, *project["dependency-groups"]["dev"]]
    versions = _supported(project["project"]["classifiers"])
    if sys.version_info[:2] != versions[0]:
        sys.exit(f"The lock is made on the oldest supported Python: PYTHON=python{_text(versions[0])} make lock")
    with tempfile.TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        pip = [f"{place}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", "--upgrade", "pip"], check=True)
        pinned = [_resolve(pip, wanted, _text(version)) for version in versions]
    names = sorted({name for pins in pinned for name in pins}, key=str.lower)
    lines = [line for name in names for line in _lines(name, [pins.get(name) for pins in pinned], versions)]
    (_ROOT / "requirements.lock").write_text("\n".join([_HEADER, *lines, ""]))


def _supported(classifiers: list[str]) -> list[tuple[int, int]]:
    texts = [
        text for each in classifiers if (text := each.removeprefix("Programming Language :: Python :: 3.")) != each
    ]
    return sorted((3, int(text)) for text in texts)


def _text(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _resolve(pip: list[str], wanted: list[str], version: str) -> dict[str, str]:
    """The packages that a version of Python gets, by name."""
    asked = ["--dry-run", "--ignore-installed", "--quiet", "--report", "-", "--only-binary", ":all:"]
    command = [*pip, "install", *asked, "--target", "nowhere", "--python-version", version, *wanted]
    report: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = [each["metadata"] for each in report["install"]]
    return {each["name"]: each["version"] for each in found}


def _lines(name: str, pins: list[str | None], versions: list[tuple[int, int]]) -> list[str]:
    """One line, or one for each range of versions."""
    made: list[str] = []
    for pin, group in groupby(zip(pins, versions, strict=True), key=lambda each: each[0]):
        within = [version for _, version in group]
        bounds = []
        if within[0] != versions[0]:
            bounds.append(f'python_version >= "{_text(within[0])}"')
        if within[-1] != versions[-1]:
            bounds.append(f'python_version <= "{_text(within[-1])}"')
        if pin is not None:
            made.append(f"{name}=={pin}" + (f" ; {' and '.join(bounds)}" if bounds else ""))
    return made


if __name__ == "__main__":
    main()
