"""Words that were ours alone have gone from the source and the docs; they are not to come back. A class has a name of
its own."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

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


#: Folders whose docstrings, comments and messages name each thing: they have no clauses with *what* as nouns (they say
#: "the value that a read saw", not "what a read saw"), and nothing in them is *told*. Of the tests only docstrings of
#: modules, classes and helpers are looked at.
NAMING = ("src", "benchmarks", "tests", "examples", "demo", "tools")
_NAMELESS = re.compile(r"\b(what|told)\b", re.IGNORECASE)
_CODE = re.compile(r"``.*?``|`.*?`|\S*/\S+\.md|\"What [^\"]+\"", re.DOTALL)  # and a title


def prose(path: Path, comments: bool) -> Iterator[tuple[int, str]]:
    """The docstrings of a file, and with ``comments`` its comments and texts of several words, each with its line;
    nothing of a file without one of the words that are looked for."""
    text = path.read_text(encoding="utf-8")
    if not _NAMELESS.search(text):
        return  # most files: this saves the time of parsing them
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            is_test = isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
            if node.body and not is_test and (words := ast.get_docstring(node, clean=False)) is not None:
                yield node.body[0].lineno, words
        elif comments and isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value
    if comments:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


@pytest.mark.parametrize("folder", NAMING)
def test_prose_names_things(folder: str) -> None:
    paths = [*(ROOT / folder).rglob("*.py")]
    assert paths
    found = {
        f"{path.relative_to(ROOT)}:{line + match.string.count(chr(10), 0, match.start())}: {match.group()}"
        for path in paths
        for line, words in prose(path, comments=folder != "tests")
        for match in _NAMELESS.finditer(_CODE.sub(lambda code: chr(10) * code.group().count(chr(10)), words))
    }
    assert not found, "\n".join(sorted(found))


#: Reports of earlier measurements, as they were printed.
_MEASURED = ROOT / "docs" / "reference" / "libraries.md"


def test_pages_name_things() -> None:
    code = re.compile(rf"```.*?```|\*What [^*]+\*|{_CODE.pattern}", re.DOTALL)
    found = [
        f"{path.relative_to(ROOT)}:{match.string.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for path in texts()
        if path.suffix == ".md" and path != _MEASURED
        for match in _NAMELESS.finditer(
            code.sub(lambda part: chr(10) * part.group().count(chr(10)), path.read_text(encoding="utf-8"))
        )
    ]
    assert not found, "\n".join(found)
