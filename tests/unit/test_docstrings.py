"""All that is public in `src/mazurka` has a docstring.

Public is a module, class, function or method without a leading underscore anywhere in its dotted path, modules of the
command line and the pytest plugin included. A definition inside a function is not public, nor is a setter or an
overload. A docstring is inherited, so none has to be repeated,

- by a method whose class derives from one of ours that documents a method of this name;
- by a method or a function of a module that implements one of our protocols: its class or module defines all methods of
  the protocol, which documents this one;
- by a method of a model of a shared type (`commute/shared_type.py`): its body is the definition, its class says the
rest;
- by `visit_...` of a subclass of `ast.NodeVisitor`, which is named after the node that it visits.

A docstring gives facts that name and types do not: shapes, units, the meaning of a result or an error, the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_MODELS = "mazurka.commute.shared_type.SharedType"
_VISITORS = {"ast.NodeVisitor", "ast.NodeTransformer"}


@dataclass
class Owner:
    """A class or a module: its definitions, and the names that it has for its bases."""

    name: str
    bases: list[str]
    defined: dict[str, ast.AST] = field(default_factory=dict)
    is_protocol: bool = False

    def documents(self, name: str) -> bool:
        found = self.defined.get(name)
        return isinstance(found, _DEFINITIONS) and ast.get_docstring(found) is not None

    @property
    def methods(self) -> set[str]:
        return {name for name in self.defined if not name.startswith("_")}


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.Try)):
            yield from statements(statement.body)
            yield from statements(statement.orelse)


def is_repeated(node: ast.AST) -> bool:
    decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", [])]
    return any(each.endswith((".setter", ".deleter", "overload")) for each in decorators)


def name_of(base: ast.expr) -> str:
    return ast.unparse(base.value if isinstance(base, ast.Subscript) else base)


def imported(tree: ast.Module, module: str) -> dict[str, str]:
    """Names of the module's global space, each with the dotted path of the object that it names."""
    names = {node.name: f"{module}.{node.name}" for node in statements(tree.body) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.asname: alias.name for alias in node.names if alias.asname}
    return names


@dataclass
class Reader:
    """Reads all modules: collects definitions by module, and missing docstrings."""

    owners: dict[str, Owner] = field(default_factory=dict)
    public: list[tuple[Owner, str, ast.AST]] = field(default_factory=list)

    def read(self, path: Path) -> None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        parts = path.relative_to(SOURCE).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        names = imported(tree, module)
        owner = self.owners[module] = Owner(module, [])
        self.public.append((owner, "", tree))
        self._definitions(tree.body, owner, names)

    def _definitions(self, body: list[ast.stmt], owner: Owner, names: dict[str, str]) -> None:
        for node in statements(body):
            if not isinstance(node, _DEFINITIONS) or is_repeated(node):
                continue
            owner.defined[node.name] = node
            self.public.append((owner, node.name, node))
            if isinstance(node, ast.ClassDef):
                bases = [names.get(name_of(base), name_of(base)) for base in node.bases]
                inner = Owner(f"{owner.name}.{node.name}", bases, is_protocol="typing.Protocol" in bases)
                self.owners[inner.name] = inner
                self._definitions(node.body, inner, names)

    def line(self, owner: Owner) -> Iterator[Owner]:
        """The owner and all of ours that it derives from."""
        yield owner
        for base in owner.bases:
            if base in self.owners:
                yield from self.line(self.owners[base])

    def inherits(self, owner: Owner, name: str) -> bool:
        line = list(self.line(owner))
        if any(each.documents(name) for each in line[1:]):
            return True
        if name.startswith("visit_") and any(_VISITORS & set(each.bases) for each in line):
            return True
        if any(_MODELS in each.bases for each in line):
            return True
        methods = set().union(*(each.methods for each in line))
        return any(
            protocol.is_protocol and protocol.documents(name) and protocol.methods <= methods
            for protocol in self.owners.values()
        )

    def missing(self) -> Iterator[str]:
        for owner, name, node in self.public:
            dotted = f"{owner.name}.{name}" if name else owner.name
            is_public = not any(part.startswith("_") and part != "__main__" for part in dotted.split("."))
            assert isinstance(node, (*_DEFINITIONS, ast.Module))
            if is_public and ast.get_docstring(node) is None and not (name and self.inherits(owner, name)):
                yield dotted


def test_all_that_is_public_has_a_docstring() -> None:
    reader = Reader()
    for path in sorted(SOURCE.rglob("*.py")):
        reader.read(path)
    assert len(reader.public) > 3000
    missing = list(reader.missing())
    assert not missing, "\n".join(missing)
