"""Predictions from recordings of generated programs come true when the programs are run in the named order.

The programs count, copy, test and convert shared attributes, items and globals, so that some reads decide nothing and
others do. None loops, so that each order of a finding can be followed to its end.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_SRC = Path(__file__).resolve().parents[2] / "src"
_HEAD = """\
import threading
from collections import Counter

class Place:
    n = 0

s, objects, names, counts, d, total = Place(), [Place(), Place()], [], Counter(), dict.fromkeys("abc", 0), 0
s.a = s.b = s.c = 1
first, second = threading.RLock(), threading.RLock()
"""
_PLAIN = [
    *("s.{x} += {n}", "s.{x} -= {n}", "s.{x} *= 2", "s.{x} += s.{y}", "s.{y} = s.{x}", "total += 1", "d['{x}'] += {n}"),
    *("objects[s.{x} % 2].n += 1", "counts['{x}'] += 1", "names.append(s.{x})", "s.{x} = {n}", "s.{x} = None"),
    *("s.{x} += 0.5", "if s.{x}: s.{y} = 0"),
]
_NESTED = ["if s.{x} > {n}:", "with first:", "with second:"]


def _body(draw: random.Random, deep: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw.randint(1, 4 - deep)):
        holes = {"x": draw.choice("abc"), "y": draw.choice("abc"), "n": draw.randint(0, 2)}
        if deep < 2 and draw.random() < 0.2:
            lines += [draw.choice(_NESTED).format(**holes), *("    " + line for line in _body(draw, deep + 1))]
        else:
            lines.append(draw.choice(_PLAIN).format(**holes))
    return lines


def _program(seed: int) -> str:
    draw = random.Random(seed)
    names = [f"work{number}" for number in range(draw.randint(2, 3))]
    text = _HEAD
    for name in names:
        inner = "".join(f"        {line}\n" for line in _body(draw))
        text += f"def {name}():\n    global total\n    try:\n{inner}    except TypeError:\n        s.failed = 1\n"
    text += f"threads = [threading.Thread(target=each) for each in ({', '.join(names)})]\n"
    return text + "for each in threads: each.start()\nfor each in threads: each.join()\n"


def _mazurka(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mazurka", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(_SRC)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def _findings(folder: Path, seed: int) -> list[dict[str, Any]]:
    (folder / "program.py").write_text(_program(seed))
    recorded = _mazurka(folder, "record", "program.py", "-o", str(seed))
    assert recorded.returncode == 0, recorded.stderr
    kinds = ("--kind", "races,deadlocks,atomicity")
    done = _mazurka(folder, "predict", str(seed), "--confirm", "--format", "json", *kinds)
    assert done.returncode in (0, 1), done.stderr
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 60))])
def test_what_is_predicted_happens(seed: int, tmp_path: Path) -> None:
    refused = [each for each in _findings(tmp_path, seed) if each["replayed"] is not True]
    assert not refused, f"{_program(seed)}\n{json.dumps(refused, indent=1)}"
