"""Words that were ours alone have gone from the source and the docs; they are not to come back."""

from __future__ import annotations

import re
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
