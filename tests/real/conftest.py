"""Puts released packages where the cases can import them, without touching the environment of the tests.

Each release is installed once, alone (``pip install --no-deps --target``), into
``.cache/real/<python>/<name>-<version>``. A folder appears there complete or not at all, so that several test
processes may install at once.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_CACHE = _ROOT / ".cache" / "real" / f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture(scope="session")
def python_path() -> Callable[[Sequence[str]], str]:
    """From pinned requirements to the PYTHONPATH that holds them and this project."""

    def build(requirements: Sequence[str]) -> str:
        folders = [_ROOT / "src", *(_installed(requirement) for requirement in requirements)]
        return os.pathsep.join(map(str, folders))

    return build


def _installed(requirement: str) -> Path:
    """The folder that holds `requirement` (``name==version``), installed now if it is not there yet."""
    folder = _CACHE / requirement.replace("==", "-")
    if not folder.exists():
        _CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_CACHE, prefix=".new-") as scratch:
            fresh = Path(scratch, "site")
            _pip_install(requirement, fresh)
            if requirement.startswith("setuptools=="):
                fresh = _distutils_alone(fresh)
            try:
                fresh.rename(folder)
            except OSError:
                if not folder.exists():  # otherwise another process was faster
                    raise
    return folder


def _pip_install(requirement: str, folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    done = subprocess.run([*command, "--target", str(folder), requirement], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"pip could not install {requirement}:\n{done.stderr}"


def _distutils_alone(site: Path) -> Path:
    """``distutils``, which CPython 3.12 dropped and old packages import, as setuptools carries it on."""
    alone = site.parent / "distutils-alone"
    shutil.copytree(site / "setuptools" / "_distutils", alone / "distutils")
    return alone
