"""`make docs`: compares README and docs with the program.

- Links between pages lead to files and headings that exist.
- Every slug of an error raised in `src` has a heading in `docs/reference/errors.md`, and every heading there is raised.
- Every option that `mazurka VERB --help` offers is on `docs/reference/cli.md`, and every one that a page names after a
  `mazurka VERB` exists.
- Every key of the configuration is on `docs/reference/configuration.md`, with its default.
- The commands of ```` ```console ```` blocks print the text below them. Each page's commands run in a new directory
  that holds a copy of `examples/`. A line `...` stands for any lines; durations, rates, tokens
  and names of saved failures are not compared.

With `--update` the blocks are rewritten with the present output of the commands (lines `...` are lost: read the diff).
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from mazurka.config import KEYS, describe_defaults

_ROOT = Path(__file__).resolve().parent.parent
_ERRORS = _ROOT / "docs" / "reference" / "errors.md"
_CLI = _ROOT / "docs" / "reference" / "cli.md"
_CONFIGURATION = _ROOT / "docs" / "reference" / "configuration.md"

_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"\bmazurka (check|record|predict|convert|replay|list|clean|explain|properties)\b([^`\n|]*)")
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_VARYING = re.compile(r"\d[\d,.]*(?= ?(?:ms|s|seconds|/s|runs/s|executions/s)\b)|(?<=\bmz1-)\S+|(?<=failures/)\w+")


class Console(NamedTuple):
    """One command of a console block, and the output that stands below it."""

    command: str
    output: str


def pages() -> list[Path]:
    """Every page a reader can come upon."""
    folders = ("docs", "examples", "tests", "benchmarks")
    return sorted([*_ROOT.glob("*.md"), *(page for folder in folders for page in (_ROOT / folder).rglob("*.md"))])


def anchors(page: Path) -> set[str]:
    """The fragments that lead to the page's headings, as GitHub derives them."""
    headings = _HEADING.findall(_FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"links to {link}, which does not exist"
        elif fragment and target.suffix == ".md" and fragment not in anchors(target):
            yield f"links to {link}, which has no such heading"


def raised_slugs() -> set[str]:
    """The first argument of each construction of a MazurkaError, wherever it is a literal, and constants that are
    annotated with ``Final[Slug]``."""
    trees = [ast.parse(path.read_text()) for path in (_ROOT / "src").rglob("*.py")]
    kinds = {"MazurkaError"}
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    while grown := {c.name for c in classes if kinds & {ast.unparse(b).split(".")[-1] for b in c.bases}} - kinds:
        kinds |= grown
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    firsts = [call.args[0] for call in calls if call.args and ast.unparse(call.func).split(".")[-1] in kinds]
    constants = [
        node.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "Final[Slug]"
    ]
    return {
        each.value for each in (*firsts, *constants) if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }


def unexplained_errors() -> Iterator[str]:
    raised = raised_slugs()
    explained = set(re.findall(r"^## ([a-z0-9-]+)$", _ERRORS.read_text(), re.MULTILINE))
    yield from (f"does not explain the error {slug}" for slug in sorted(raised - explained))
    yield from (f"explains the error {slug}, which nothing raises" for slug in sorted(explained - raised))


def offered_options(verb: str) -> set[str]:
    """The options that `mazurka VERB --help` lists."""
    shown = subprocess.run(
        [sys.executable, "-m", "mazurka", verb, "--help"],
        capture_output=True,
        text=True,
        check=True,
        env=_environment(),
    )
    return set(_OPTION.findall(shown.stdout))


def untrue_options() -> Iterator[tuple[Path, str]]:
    offered = {
        verb: offered_options(verb)
        for verb in ("check", "record", "predict", "convert", "replay", "list", "clean", "explain", "properties")
    }
    named = set(_OPTION.findall(_CLI.read_text()))
    for option in sorted(set().union(*offered.values()) - named - {"--help"}):
        yield _CLI, f"does not mention the option {option}"
    for page in pages():
        for verb, rest in _COMMAND.findall(page.read_text()):
            ours = rest.split(" -- ")[0]  # the rest belongs to the program under test
            for option in sorted(set(_OPTION.findall(ours)) - offered[verb]):
                yield page, f"names `mazurka {verb} {option}`, which does not exist"


def _spellings(default: object) -> set[str]:
    """How a page may write a default."""
    match default:
        case None:
            return {"none", "no limit", "stdout"}
        case ():
            return {"none"}
        case bool():
            return {str(default).lower()}
        case str():
            return {f"`{default}`"}
        case _:
            return {f"{default:g}" if isinstance(default, float) else str(default)}


def untrue_keys() -> Iterator[str]:
    rows = dict(
        re.findall(r"^\| `([a-z-]+)` \| (.*?) \|", _CONFIGURATION.read_text().split("## Profiles")[0], re.MULTILINE)
    )
    for key in KEYS.values():
        default = describe_defaults()[key.field]
        shown = _spellings(default)
        if rows.pop(key.name, None) not in shown:
            yield f"does not give {key.name} with its default, {' or '.join(sorted(shown))}"
    yield from (f"explains the key {name}, which does not exist" for name in rows)


def consoles(block: str) -> list[Console]:
    """The commands of a console block, each with the lines below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return [Console(command, output) for command, output in zip(parts[::2], parts[1::2], strict=True)]


def _environment() -> dict[str, str]:
    """That of a user who has installed Mazurka, in a terminal of the usual width.

    Checks have one process: how many executions several make in all depends on how fast each is.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1", "MAZURKA_JOBS": "1"}


def printed(command: str, place: Path) -> str:
    """The output of the command on a terminal, without progress."""
    done = subprocess.run(
        command,
        shell=True,
        cwd=place,
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.replace(f"{place}{os.sep}", "").splitlines()]
    return "\n".join(lines).strip("\n") + "\n" if any(lines) else ""


def agrees(expected: str, actual: str) -> bool:
    """Whether the output is that of the page, up to durations and the lines that `...` leaves out."""
    wanted = [_VARYING.sub("N", line.rstrip()) for line in expected.splitlines()]
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in wanted)
    return re.fullmatch(pattern, _VARYING.sub("N", actual)) is not None


def wrong_outputs(page: Path, update: bool) -> Iterator[str]:
    text = page.read_text()
    if not _CONSOLE.search(text):
        return
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve()
        shutil.copytree(_ROOT / "examples", root / "examples", ignore=shutil.ignore_patterns(".mazurka", "__pycache__"))
        for block in _CONSOLE.findall(text):
            actual = [Console(command, printed(command, root)) for command, _ in consoles(block)]
            differing = [
                new for old, new in zip(consoles(block), actual, strict=True) if not agrees(old.output, new.output)
            ]
            if update and differing:
                new_block = "".join(f"$ {command}\n{output}" for command, output in actual)
                text = text.replace(f"```console\n{block}```", f"```console\n{new_block}```")
            else:
                yield from (f"`{command}` now prints\n{output}" for command, output in differing)
    if update:
        page.write_text(text)


def complaints(update: bool) -> Iterator[tuple[Path, str]]:
    for page in pages():
        yield from ((page, complaint) for complaint in broken_links(page))
    yield from ((_ERRORS, complaint) for complaint in unexplained_errors())
    yield from ((_CONFIGURATION, complaint) for complaint in untrue_keys())
    yield from untrue_options()
    for page in pages():
        yield from ((page, complaint) for complaint in wrong_outputs(page, update))


def report(found: Iterable[tuple[Path, str]]) -> int:
    count = 0
    for page, complaint in found:
        print(f"{page.relative_to(_ROOT)}: {complaint}")
        count += 1
    print(f"{len(pages())} pages, {count} complaints")
    return 1 if count else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="rewrite the outputs in the pages")
    sys.exit(report(complaints(parser.parse_args().update)))
