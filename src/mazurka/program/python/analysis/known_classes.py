"""The classes that are known in full, and the attributes of their objects before other code can refer to them.

A class is *known* if no part of it comes from elsewhere: it has no decorators, metaclass or foreign bases; no other
class or variable has its name; its name is only used to make objects, as a base, and for type tests; no class that is
not known is derived from it; and none of its functions is used in its body. So an object of it is made by its
``__init__`` (or that of a known class derived from it), and `self` in its methods is such an object.

Cost: one pass over each tree.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Final

from mazurka.lazy_dataclass import dataclass

_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)
_ASKING: Final = frozenset({"isinstance", "issubclass"})


@dataclass(slots=True)
class KnownClasses:
    """All classes of the modules that :meth:`read` has got; :meth:`settle` removes those that are not known."""

    has: dict[ast.ClassDef, frozenset[str]] = field(default_factory=dict)  # class -> attributes of objects at once
    _modules: list[tuple[str, ast.Module]] = field(default_factory=list)
    _named: dict[tuple[str, str], ast.ClassDef] = field(default_factory=dict)  # (file, name) -> class

    def read(self, file: str, tree: ast.Module) -> None:
        """Add a module."""
        self._modules.append((file, tree))

    def named(self, file: str, name: str) -> ast.ClassDef | None:
        """The known class of that name."""
        found = self._named.get((file, name))
        return found if found in self.has else None

    def settle(self, words: set[str]) -> None:
        """Determine the known classes; ``words`` are names that occur in other ways than as an access."""
        classes = [(f, each) for f, tree in self._modules for each in ast.walk(tree) if isinstance(each, ast.ClassDef)]
        names = {each.name for _, each in classes}
        escaped = words | {n for _, tree in self._modules for n in _used_otherwise(tree, names)}
        bound = {file: Counter(_bindings(tree)) for file, tree in self._modules}
        self._named = {(file, each.name): each for file, each in classes}
        at_once = {}
        for file, each in classes:
            plain = not each.decorator_list and not each.keywords and not _uses_own_functions(each)
            if plain and each.name not in escaped and bound[file][each.name] == 1:
                at_once[each] = _at_once(each)
        known = set(at_once)
        while struck := {each for file, each in classes if each in known and not self._bases_known(file, each, known)}:
            known -= struck
        foreign = [each for _, each in classes if each not in known]
        while foreign:  # their bases are not known, either
            bases = {name for each in foreign for name in _base_names(each)}
            foreign = [each for each in known if each.name in bases]
            known.difference_update(foreign)
        self._inherit([(file, each) for file, each in classes if each in known], at_once)

    def _bases_known(self, file: str, each: ast.ClassDef, known: set[ast.ClassDef]) -> bool:
        """Whether all bases are known classes of the same module, or `object`."""
        bases = [base.id if isinstance(base, ast.Name) else "" for base in each.bases]
        return len(bases) <= 1 and all(base == "object" or self._named.get((file, base)) in known for base in bases)

    def _inherit(
        self, known: list[tuple[str, ast.ClassDef]], at_once: dict[ast.ClassDef, frozenset[str] | None]
    ) -> None:
        """The attributes of all objects whose class is this one or derived from it, and so of any `self`."""
        parents = {each: self._named.get((file, name)) for file, each in known for name in _base_names(each)}
        own: dict[ast.ClassDef, frozenset[str]] = {}
        for _, each in known:
            where: ast.ClassDef | None = each
            while where is not None and at_once[where] is None:  # without an `__init__` of its own
                where = parents.get(where)
            own[each] = frozenset() if where is None else at_once[where] or frozenset()
        self.has = dict(own)
        for _, each in known:
            above = parents.get(each)
            while above is not None:
                self.has[above] &= own[each]
                above = parents.get(above)


def _base_names(made: ast.ClassDef) -> Iterator[str]:
    for base in made.bases:
        for node in ast.walk(base):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr


def _used_otherwise(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """Classes that are used in other ways than those of known classes."""
    fine: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=args):
                fine.add(id(function))
                if isinstance(function, ast.Name) and function.id in _ASKING:
                    fine.update(_within(args[1:]))
            case ast.ClassDef(bases=bases):
                fine.update(map(id, bases))
            case ast.ExceptHandler(type=ast.expr() as said):
                fine.update(_within([said]))
            case ast.arg(annotation=ast.expr() as said) | ast.AnnAssign(annotation=said):
                fine.update(_within([said]))
            case ast.FunctionDef(returns=ast.expr() as said) | ast.AsyncFunctionDef(returns=ast.expr() as said):
                fine.update(_within([said]))
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) if name in names and id(node) not in fine:
                yield name
            case ast.alias(name=name, asname=str()) if name in names:
                yield name


def _within(nodes: Iterable[ast.AST]) -> set[int]:
    return {id(each) for node in nodes for each in ast.walk(node) if isinstance(each, (ast.Name, ast.Tuple))}


def _bindings(tree: ast.Module) -> Iterator[str]:
    """All names that are bound in a module, in any way, once for each binding."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name) | ast.ClassDef(name=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case ast.MatchMapping(rest=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).partition(".")[0]


def _uses_own_functions(made: ast.ClassDef) -> bool:
    """Whether the class's body calls its functions, or hands them on: `self` may then be any object."""
    functions = {each.name for each in ast.walk(made) if isinstance(each, _FUNCTIONS)}
    outside = [s for s in made.body if not isinstance(s, _FUNCTIONS)]
    decorators = [d for s in made.body if isinstance(s, _FUNCTIONS) for d in s.decorator_list]
    mentioned = {n.id for s in (*outside, *decorators) for n in ast.walk(s) if isinstance(n, ast.Name)}
    return not functions.isdisjoint(mentioned)


def own_object(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """The name that a method has for its object; "" if it is no plain parameter."""
    plain = method.args.args and not method.args.posonlyargs and not method.decorator_list
    return method.args.args[0].arg if plain else ""


def _at_once(made: ast.ClassDef) -> frozenset[str] | None:
    """The attributes that a class's own ``__init__`` sets before it does anything else; None if it has no
    ``__init__``."""
    inits = [each for each in ast.walk(made) if isinstance(each, _FUNCTIONS) and each.name == "__init__"]
    named = [each for each in ast.walk(made) if isinstance(each, ast.Name) and each.id == "__init__"]
    if not inits and not named:
        return None
    me = own_object(inits[0]) if len(inits) == 1 and not named and inits[0] in made.body else ""
    found: set[str] = set()
    for statement in inits[0].body if me else ():
        match statement:
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=value) if owner == me:
                if any(isinstance(each, ast.Name) and each.id == me for each in ast.walk(value)):
                    break
                found.add(name)
            case _:
                break
    return frozenset(found)
