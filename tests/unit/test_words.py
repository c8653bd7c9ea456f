"""Words that were ours alone have gone from the source and the docs; they are not to come back. A class has a name of
its own."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Word -> the standard one, see docs/reference/glossary.md.
RETIRED = {
    "crew": "worker pool",
    "stint": "batch",
    "foreman": "coordinator",
    "servant": "worker",
    "errand": "remote task",
    "loan": "lease",
    "borrower": "worker",
    "sightings": "statistics",
    "foresight": "race confirmer",
    "rehearsal": "memoised execution",
    "prospects": "search guidance",
    "standstill": "communication deadlock",
    "intrusion": "atomicity violation",
    "inversion": "order violation",
    "fallen": "refuted",
    "lock circle": "lock cycle",
    "points a run": "scheduling points per execution",
    "late store": "delayed store",
    "half-done change": "torn update",
    "false word": "false verdict",
    "honest word": "correct verdict",
    "nobody": "no thread, no code, or the passive",
    "somebody": "a thread, another thread, a user",
    "whoever": "the thread that, the caller, or the passive",
}


def texts() -> list[Path]:
    folders = [path for name in ("src", "docs", "examples", "demo") for path in (ROOT / name).rglob("*")]
    return [path for path in (*folders, ROOT / "README.md", ROOT / "CONTRIBUTING.md") if path.suffix in (".py", ".md")]


def test_retired_words_do_not_come_back() -> None:
    pattern = re.compile(rf"\b({'|'.join(RETIRED)})s?\b", re.IGNORECASE)
    assert len(texts()) > 300
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}: say {RETIRED.get(match.group(1).lower())}"
        for path in texts()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in pattern.finditer(line)
    ]
    assert not found, "\n".join(found)


#: Two models of each, named as the originals in `threading`.
MODELS = {"Lock", "RLock"}


def test_no_two_classes_have_one_name() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "src").rglob("*.py")]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1} == MODELS
