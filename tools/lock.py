"""Pins ``requirements.lock``: what pip resolves from ``pyproject.toml`` in a clean environment of this interpreter.

Run on the oldest supported Python (``PYTHON=python3.11 make lock``): what installs there installs on newer ones, too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
_HEADER = "# What a clean environment on CPython 3.11 gets from pyproject.toml; installs on 3.11 to 3.13 (`make lock`)."


def main() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text())
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    if sys.version_info[:2] != (3, 11):
        sys.exit("The lock is made on the oldest supported Python: PYTHON=python3.11 make lock")
    with tempfile.TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        pip = [f"{place}/bin/python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", *wanted], check=True)
        frozen = subprocess.run([*pip, "freeze"], check=True, capture_output=True, text=True).stdout
    (_ROOT / "requirements.lock").write_text(f"{_HEADER}\n{frozen}")


if __name__ == "__main__":
    main()
