"""The variables that names refer to: the language's scoping rules, over a syntax tree.

The module works on trees (pytest hands over rewritten ones), so the standard library's `symtable`, which needs text,
can't be used. It answers whether a name is a plain local, a cell that may change after it was captured, a
global that may change, a constant global or a builtin.

A binding's *weight* says whether the variable can change: 1 for a single binding, at least 2 when it may be bound again
(twice along one path, in a loop, from another scope). Branches of one ``if`` or ``match`` count once, and so do the
handlers of a ``try`` and the last statement before them.

Cost: one pass over the tree.
"""

from __future__ import annotations

import ast
import builtins
import sys
from enum import Enum
from typing import Final

from mazurka.program.python.analysis.local_containers import local_containers
from mazurka.program.python.analysis.star_parameters import may_be_shared

_BUILTINS: Final = frozenset(dir(builtins))
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class VariableKind(Enum):
    """The meaning of a name at its place."""

    LOCAL = "local"  # no other code can rebind it
    CELL = "cell"  # shared with other functions, and bound more than once
    GLOBAL = "global"  # of the module, and bound more than once
    CONSTANT = "constant"  # of the module, bound at most once
    CLASS = "class"  # in the namespace of a class that is being made
    BUILTIN = "builtin"


class Way(Enum):
    """The ways in which a name is bound."""

    EXPRESSION = "an assignment of an expression's value"
    DEFINITION = "a `class`, or a `def` without decorators"
    IMPORT = "import"
    OTHER = "something else"


class LexicalScope:
    """A module, class, function, comprehension or set of type parameters."""

    __slots__ = (
        "bindings",
        "bound_at",
        "captured",
        "consumer",
        "containers",
        "derived",
        "given",
        "globals",
        "imports",
        "kind",
        "late",
        "lazy",
        "members",
        "name",
        "nonlocals",
        "parameters",
        "parent",
        "ways",
    )

    def __init__(self, kind: str, name: str, parent: LexicalScope | None) -> None:
        self.kind = kind
        self.name = name
        self.parent = parent
        self.bindings: dict[str, int] = {}
        self.ways: dict[str, set[Way]] = {}
        self.bound_at: dict[str, int] = {}  # name -> how many uses of names come before its binding
        self.captured: set[str] = set()
        self.containers: set[str] = set()  # variables of containers that no other code has
        self.late: set[str] = set()  # names captured by a function that may run before they are bound
        self.consumer = ""  # of a generator expression: the name of its consumer, which exhausts it at once
        self.derived: set[str] = set()  # classes that make objects by other than plain methods, or have a finaliser
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.imports: dict[str, set[str]] = {}  # name bound by imports -> the modules it comes from
        self.members: set[str] = set()  # those of them that may be names of other objects than modules
        self.lazy: dict[str, tuple[str, str]] = {}  # names that are resolved at their first use -> module and name
        self.given: dict[str, list[ast.expr]] = {}  # name -> the expressions that are assigned to it
        self.parameters: set[str] = set()  # *args and **kwargs without other references: fresh containers of each call


def _makes_or_ends(node: ast.AST) -> bool:
    """Whether objects are made, or ended, in a way of their own."""
    return _makes_objects(node) or "__del__" in (getattr(node, "name", ""), getattr(node, "id", ""))


def _makes_objects(node: ast.AST) -> bool:
    """Whether a part of a class defines how objects are made, and is no plain method."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name in _MAKING and bool(node.decorator_list)
    return isinstance(node, ast.Name) and node.id in _MAKING and isinstance(node.ctx, ast.Store)


_MAKING: Final = ("__init__", "__new__")

#: Builtins that have exhausted a generator when they return.
_CONSUMERS: Final = frozenset("all any sum min max list tuple set frozenset dict sorted bytes bytearray".split())
_LOOP: Final = "for"

#: Modules whose functions start no thread when a module calls them.
_IDLE: Final = sys.stdlib_module_names - {"_thread"}
_LATER: Final = "<genexpr>"


def is_lazy(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import is marked `lazy` (Python 3.15)."""
    return bool(getattr(node, "is_lazy", False))


def _binds_at_its_end(statement: ast.stmt) -> bool:
    """Whether a statement binds only at its end, so that a failing one has bound nothing."""
    if isinstance(statement, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(statement)):
        return False
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets)
    return isinstance(statement, (ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise, ast.Pass))


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def mangle(name: str, owner: str) -> str:
    """A private name as the compiler spells it inside class ``owner``."""
    if not owner or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    stripped = owner.lstrip("_")
    return f"_{stripped}{name}" if stripped else name


class Scopes(ast.NodeVisitor):
    """The scopes of one module."""

    def __init__(self, tree: ast.AST) -> None:
        self.module = LexicalScope("module", "", None)
        self.of: dict[ast.AST, LexicalScope] = {}
        self.star_import = False
        self._scope = self.module
        self._owner = ""
        self._loops = 0
        self._decorates = False  # whether the node is part of a decorator
        self._started = False  # whether the module itself has called a function that may start threads
        self._consumers: dict[ast.expr, str] = {}  # generator expression -> its consumer, which exhausts it at once
        self._uses: list[tuple[LexicalScope, str]] = []
        self._outer_bindings: list[tuple[LexicalScope, str]] = []
        for statement in getattr(tree, "body", []):
            self.visit(statement)
        self._capture()

    def make_variables(self, tree: ast.AST) -> None:
        """Take all names of the module for variables, since its namespace is a dictionary that other code has, too."""
        bindings = self.module.bindings
        for name in {*bindings, *[node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]}:
            if name in bindings or name not in _BUILTINS:
                bindings[name] = bindings.get(name, 0) + 2

    # -- questions ------------------------------------------------------------------------------------------------

    def resolve(self, scope: LexicalScope, name: str) -> tuple[VariableKind, LexicalScope]:
        """The meaning of a (mangled) name in ``scope``, and the scope that it belongs to."""
        owner = self._owner_of(scope, name)
        if owner.kind == "class":
            return VariableKind.CLASS, owner
        if owner.kind != "module":
            changes = owner.bindings.get(name, 0) > 1 or name in owner.late
            shared = owner.kind in ("function", "comprehension") and name in owner.captured and changes
            return (VariableKind.CELL if shared else VariableKind.LOCAL), owner
        weight = owner.bindings.get(name, 0)
        if weight > 1 or name in owner.late:
            return VariableKind.GLOBAL, owner
        if weight == 0 and name in _BUILTINS and not self.star_import:
            return VariableKind.BUILTIN, owner
        return VariableKind.CONSTANT, owner

    def _owner_of(self, scope: LexicalScope, name: str) -> LexicalScope:
        if name in scope.globals:
            return self.module
        if name in scope.bindings and name not in scope.nonlocals:
            return scope
        outer = scope.parent
        while outer is not None and outer.kind != "module":
            if outer.kind != "class":
                if name in outer.globals:
                    return self.module
                if name in outer.bindings and name not in outer.nonlocals:
                    return outer
            outer = outer.parent
        return self.module

    def _capture(self) -> None:
        for scope, name in self._outer_bindings:
            owner = self._owner_of(scope, name)
            owner.bindings[name] = owner.bindings.get(name, 0) + 2
        for index, (scope, name) in enumerate(self._uses):
            owner = self._owner_of(scope, name)
            user = scope
            while user is not owner and user.parent is not None and self._runs_in_place(user):
                user = user.parent
            if owner is not user:
                owner.captured.add(name)
                if index < owner.bound_at.get(name, 0):
                    owner.late.add(name)

    def _runs_in_place(self, scope: LexicalScope) -> bool:
        """Whether a scope is executed as part of the enclosing function, as most comprehensions are."""
        if scope.kind != "comprehension":
            return False
        if scope.name != _LATER or scope.consumer == _LOOP:
            return True
        return bool(scope.consumer) and self.resolve(scope, scope.consumer)[0] is VariableKind.BUILTIN

    # -- bindings -------------------------------------------------------------------------------------------------

    def _bind(self, name: str, scope: LexicalScope | None = None, way: Way = Way.OTHER) -> None:
        scope = scope or self._scope
        name = mangle(name, self._owner)
        scope.ways.setdefault(name, set()).add(way)
        if scope is not self.module or self._started:
            scope.bound_at[name] = len(self._uses)
        if name in scope.globals:
            bindings = self.module.bindings
            bindings[name] = bindings.get(name, 0) + (1 if scope is self.module else 2)
        elif name in scope.nonlocals:
            self._outer_bindings.append((scope, name))
            self._uses.append((scope, name))
        else:
            scope.bindings[name] = scope.bindings.get(name, 0) + (2 if self._loops else 1)

    def visit_Name(self, node: ast.Name) -> None:
        self._uses.append((self._scope, mangle(node.id, self._owner)))
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)

    def _bind_to(self, target: ast.Name, value: ast.expr) -> None:
        """An assignment of an expression's value to one name."""
        name = mangle(target.id, self._owner)
        self._scope.given.setdefault(name, []).append(value)
        self._uses.append((self._scope, name))
        self._bind(target.id, way=Way.EXPRESSION)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            if len(node.targets) == 1 and isinstance(target, ast.Name):
                self._bind_to(target, node.value)
            else:
                self.visit(target)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(mangle(name, self._owner) for name in node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(mangle(name, self._owner) for name in node.names)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        scope = self._scope
        while scope.kind == "comprehension" and scope.parent is not None:
            scope = scope.parent
        self.visit(node.value)
        name = mangle(node.target.id, self._owner)
        self._uses.append((self._scope, name))
        self._bind(node.target.id, scope)
        if scope is not self._scope:
            scope.bindings[name] = scope.bindings.get(name, 0) + 1

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._bind_to(node.target, node.value)
            self._bind(node.target.id, way=Way.EXPRESSION)
        else:
            self.visit(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
        if node.value is not None or not isinstance(node.target, ast.Name):
            self.visit(node.target)
        elif self._scope.kind != "module":
            self._scope.bindings.setdefault(mangle(node.target.id, self._owner), 0)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._import(alias.asname or alias.name.partition(".")[0], alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.star_import = True
            else:
                module = "." * node.level + (node.module or "")
                self._import(alias.asname or alias.name, module, True)
                if is_lazy(node) or "__lazy_modules__" in self.module.bindings:
                    self._scope.lazy[alias.asname or alias.name] = module, alias.name
                    self._bind(alias.asname or alias.name, way=Way.IMPORT)  # once more, at its first use

    def _import(self, name: str, module: str, member: bool = False) -> None:
        self._bind(name, way=Way.IMPORT)
        if member:
            self._scope.members.add(mangle(name, self._owner))
        self._scope.imports.setdefault(mangle(name, self._owner), set()).add(module)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)
        if node.name:
            self._bind(node.name)  # the end of the handler unbinds it

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self._bind(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self._bind(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._bind(node.rest)
        self.generic_visit(node)

    # -- branches and loops -----------------------------------------------------------------------------------------

    def _alternatives(self, branches: list[list[ast.stmt]]) -> None:
        before = self._scope.bindings
        merged = dict(before)
        for branch in branches:
            self._scope.bindings = dict(before)
            for statement in branch:
                self.visit(statement)
            for name, weight in self._scope.bindings.items():
                merged[name] = max(weight, merged.get(name, 0))
        self._scope.bindings = merged

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        self._alternatives([node.body, node.orelse])

    def visit_Try(self, node: ast.Try) -> None:
        body = [*node.body]
        last = [body.pop()] if _binds_at_its_end(body[-1]) else []
        for statement in body:
            self.visit(statement)
        self._alternatives([[*last, *node.orelse], *([handler] for handler in node.handlers)])  # type: ignore[list-item]  # handlers are visited like statements
        for statement in node.finalbody:
            self.visit(statement)

    visit_TryStar = visit_Try  # type: ignore[assignment]  # the same fields

    def visit_Match(self, node: ast.Match) -> None:
        self.visit(node.subject)
        for case in node.cases:  # a case that does not match may have bound names
            self.visit(case.pattern)
            if case.guard is not None:
                self.visit(case.guard)
        self._alternatives([case.body for case in node.cases])

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._consumers[node.iter] = _LOOP
        self.visit(node.iter)
        self._loops += 1
        if isinstance(node.target, ast.Name) and _is_range(node.iter):
            self._bind_to(node.target, node.iter)  # the iterable is as plain as its elements
        else:
            self.visit(node.target)
        for statement in node.body:
            self.visit(statement)
        self._loops -= 1
        for statement in node.orelse:
            self.visit(statement)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self._loops += 1
        self.visit(node.test)
        for statement in node.body:
            self.visit(statement)
        self._loops -= 1
        for statement in node.orelse:
            self.visit(statement)

    # -- nested scopes ------------------------------------------------------------------------------------------------

    def _enter(self, node: ast.AST, kind: str, name: str) -> LexicalScope:
        scope = LexicalScope(kind, name, self._scope)
        self.of[node] = scope
        self._scope = scope
        return scope

    def _parameters(self, node: _FUNCTIONS, scope: LexicalScope) -> None:
        args = node.args
        scope.containers = local_containers(node)
        for argument in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
            self._bind(argument.arg)
        for argument in filter(None, [args.vararg, args.kwarg]):
            self._bind(argument.arg)
            if not may_be_shared(node, argument):
                scope.parameters.add(argument.arg)

    def _type_parameters(self, node: ast.AST) -> bool:
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return False
        scope = LexicalScope("type parameters", "", self._scope)
        self.of[parameters[0]] = scope
        self._scope = scope
        for parameter in parameters:
            self._bind(parameter.name)
        return True

    def visit_FunctionDef(self, node: _FUNCTIONS) -> None:
        if not isinstance(node, ast.Lambda):
            self._decorators(node)
            if not node.decorator_list:
                self._bind(node.name, way=Way.DEFINITION)
        for default in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
            self.visit(default)
        outer, loops = self._scope, self._loops
        self._type_parameters(node)
        scope = self._enter(node, "function", getattr(node, "name", "<lambda>"))
        self._loops = 0
        self._parameters(node, scope)
        for statement in [node.body] if isinstance(node, ast.Lambda) else node.body:
            self.visit(statement)
        self._scope, self._loops = outer, loops
        if not isinstance(node, ast.Lambda) and node.decorator_list:  # the name may mean any object
            self._bind(node.name)

    def _decorators(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        outer, self._decorates = self._decorates, True
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._decorates = outer

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._decorators(node)
        self._bind(node.name, way=Way.DEFINITION)
        if node.bases or node.keywords or node.decorator_list or any(map(_makes_or_ends, ast.walk(node))):
            self._scope.derived.add(mangle(node.name, self._owner))
        outer, loops, owner = self._scope, self._loops, self._owner
        self._type_parameters(node)
        for expression in [*node.bases, *(keyword.value for keyword in node.keywords)]:
            self.visit(expression)
        self._enter(node, "class", node.name)
        self._loops, self._owner = 0, node.name
        for statement in node.body:
            self.visit(statement)
        self._scope, self._loops, self._owner = outer, loops, owner

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS and len(node.args) == 1:
            self._consumers[node.args[0]] = node.func.id
        self.generic_visit(node)
        if not self._started and not self._decorates and self._scope.kind in ("module", "class"):
            self._started = self._may_start(node.func)

    def _may_start(self, function: ast.expr) -> bool:
        """Whether a function that the module calls may start threads: builtins and functions of the library don't."""
        while isinstance(function, ast.Attribute):
            function = function.value
        if not isinstance(function, ast.Name):
            return not isinstance(function, (ast.Constant, ast.JoinedStr))
        origins = self.module.imports.get(function.id)
        if origins is None:
            return function.id not in _BUILTINS or function.id in self.module.bindings
        return not all(origin.partition(".")[0] in _IDLE for origin in origins)

    def _visit_comprehension(self, node: _COMPREHENSIONS) -> None:
        self.visit(node.generators[0].iter)
        outer, loops = self._scope, self._loops
        scope = self._enter(node, "comprehension", _LATER if isinstance(node, ast.GeneratorExp) else "")
        scope.consumer = self._consumers.get(node, "")
        for index, generator in enumerate(node.generators):
            self._loops = 0
            if index:
                self.visit(generator.iter)
            self._loops = 1
            self.visit(generator.target)
            self._loops = 0
            for condition in generator.ifs:
                self.visit(condition)
        for field in ("key", "value", "elt"):
            if (part := getattr(node, field, None)) is not None:
                self.visit(part)
        self._scope, self._loops = outer, loops

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension
