"""No module needs one that needs it: neither when it is imported, nor when it runs, nor for its types.

A registry that imports modules by name (`importlib.import_module`) needs all that its texts name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import mazurka

_ROOT = Path(mazurka.__file__).parent

Graph = dict[str, set[str]]


def test_there_are_no_cycles_of_modules() -> None:
    cycles = [" -> ".join([*cycle, cycle[0]]) for cycle in cycles_in(graph_of(_modules()))]
    assert not cycles, "modules import each other: " + "; ".join(cycles)


def test_a_cycle_of_lazy_and_type_only_imports_is_found() -> None:
    found = graph_of(
        {
            "p": "",
            "p.a": "from p import b",
            "p.b": "from __future__ import annotations\ndef f() -> None:\n    import p.c",
            "p.c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import Name",
            "p.d": "from p.a import Name",
        }
    )
    assert found["p.d"] == {"p.a"}
    assert [sorted(cycle) for cycle in cycles_in(found)] == [["p.a", "p.b", "p.c"]]


def test_a_package_is_a_module_to_those_who_take_names_from_it() -> None:
    found = graph_of({"p": "from p.a import name", "p.a": "from p import other", "p.b": "from p import a"})
    assert [sorted(cycle) for cycle in cycles_in(found)] == [["p", "p.a"]]


def test_relative_imports_are_seen() -> None:
    assert graph_of({"p.a": "from . import b", "p.b": "from .a import name"}) == {"p.a": {"p.b"}, "p.b": {"p.a"}}


def test_what_a_registry_names_is_seen() -> None:
    table = "TABLE = {'x': 'q.x:make', 'a': 'b'}\nimport_module(TABLE[name])\nimportlib.import_module(f'p.{name}')"
    found = graph_of({"p.r": table, "p.a": "from p.r import TABLE", "p.c": "", "q.x": "NAME = 'p.a'"})
    assert found == {"p.r": {"p.a", "q.x"}, "p.a": {"p.r"}, "p.c": set(), "q.x": set()}


def _modules() -> dict[str, str]:
    """The source of each module, by its name."""
    sources: dict[str, str] = {}
    for path in sorted(_ROOT.rglob("*.py")):
        parts = path.relative_to(_ROOT.parent).with_suffix("").parts
        sources[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text()
    return sources


def graph_of(sources: Mapping[str, str]) -> Graph:
    """By module: those that it imports, wherever in it that is written."""
    packages = {name.rpartition(".")[0] for name in sources}
    trees = {name: ast.parse(text) for name, text in sources.items()}
    return {
        name: {*_imported(tree, name, name in packages, sources), *_named(tree, sources)} - {name}
        for name, tree in trees.items()
    }


def _named(tree: ast.AST, known: Iterable[str]) -> Iterator[str]:
    """The modules that a registry may import: those that a text in it names, as ``"p.a"`` or ``"p.a:name"``; and where
    it makes up names as ``f"p.{name}"``, modules ``a`` of the package ``p`` that a text names so."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    if not any("import_module" in (getattr(each, "id", ""), getattr(each, "attr", "")) for each in calls):
        return
    texts = {
        node.value.partition(":")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    packages = {text[:-1] for text in texts if text.endswith(".")}
    for name in known:
        package, _, own = name.rpartition(".")
        if name in texts or (package in packages and own in texts):
            yield name


def _imported(tree: ast.AST, importer: str, is_package: bool, known: Iterable[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = importer.split(".")
            above = base[: len(base) - node.level + is_package] if node.level else []
            module = ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
            for alias in node.names:
                name = f"{module}.{alias.name}"
                if name in known:
                    yield name
                elif module in known:
                    yield module


def cycles_in(graph: Graph) -> list[list[str]]:
    """One cycle, the shortest from its first module on, of each set of modules that all lead to each other."""
    reached = {name: _reached_from(name, graph) for name in graph}
    circular = {name for name in graph if name in reached[name]}
    cycles: list[list[str]] = []
    while circular:
        first = min(circular)
        cycles.append(_way_back(first, graph))
        circular -= {other for other in reached[first] if first in reached[other]}
    return cycles


def _reached_from(start: str, graph: Graph) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def _way_back(start: str, graph: Graph) -> list[str]:
    """The shortest way from a module to itself, by breadth-first search."""
    came_from: dict[str, str] = {}
    level = [start]
    while start not in came_from:
        following: list[str] = []
        for name in level:
            for other in sorted(graph[name]):
                if other not in came_from:
                    came_from[other] = name
                    following.append(other)
        level = following
    way = [came_from[start]]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]
