"""Rewrites a module's syntax tree so that shared accesses announce themselves.

The principle: the native operation stays where it is, and a hook is called just before it, through which its
operand passes (``x.a`` becomes ``__mz_ra__(x, 'a', site).a``). So evaluation order, exceptions, tracebacks and
frames stay exactly Python's. New nodes take the position of what they replace, so that tracebacks point where they
always did.

An operand may be written twice (once for the hook, once for the operation) only if it is *steady*: a constant, or a
name that nobody else can rebind. Everything else goes through one of the ways described in :mod:`hooks`.

Left alone: annotations, patterns, names starting with ``@`` (pytest's), and calls of modules known to be harmless.

Cost: about as much again as compiling the module; the result can be kept (see :mod:`loader`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from dataclasses import dataclass
from types import CodeType
from typing import Final, TypeVar

from mazurka.program.python import sites
from mazurka.program.python.containers import METHODS
from mazurka.program.python.scopes import Scope, Scopes, Variable, mangle

#: Changes whenever the output for some input does: kept code of other versions is not used.
VERSION: Final = 4

#: Methods that containers call in the middle of an operation, which has to stay one step: they are left as they are.
_INDIVISIBLE: Final = frozenset({"__hash__", "__eq__"})

#: Builtins that go through their one argument.
_CONSUMERS: Final = frozenset(
    "list tuple set frozenset dict sorted sum min max any all str repr bytes bytearray ascii".split()
)
#: Those that look at the values of a dictionary, too.
_WHOLE: Final = frozenset("dict str repr ascii bytes bytearray".split())
#: Builtins whose calls need a look at run time.
_LOOKED_AT: Final = frozenset("getattr setattr hasattr delattr vars print input open format".split()) | _CONSUMERS

#: Imported modules whose functions change nothing, or tell the kernel themselves.
_QUIET: Final = frozenset(
    "abc calendar cmath contextlib dataclasses enum errno functools keyword math numbers re stat statistics string "
    "textwrap threading time types typing typing_extensions unicodedata _thread queue "
    "concurrent pytest unittest".split()
)

_IN_PLACE: Final = {
    "Add": "__iadd__",
    "Mult": "__imul__",
    "BitOr": "__ior__",
    "BitAnd": "__iand__",
    "Sub": "__isub__",
    "BitXor": "__ixor__",
}
_COMBINING: Final = (ast.Add, ast.Sub, ast.BitOr, ast.BitAnd, ast.BitXor)
_MAYBE_CONTAINER: Final = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Await, ast.NamedExpr, ast.IfExp)
_DISPLAYS: Final = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_LOOP_VARIABLES = ast.For | ast.AsyncFor


_N = TypeVar("_N", bound=ast.AST)


@dataclass(frozen=True, slots=True)
class Options:
    """What else becomes an event, for traces; off while exploring, where it would only cost."""

    branches: bool = False
    calls: bool = False


def instrument_source(source: str | bytes, filename: str, options: Options = Options()) -> CodeType:
    """Compile a module's text, instrumented."""
    code, entries = compile_instrumented(source, filename, options)
    sites.register(filename, entries)
    return code


def compile_instrumented(
    source: str | bytes,
    filename: str,
    options: Options = Options(),
) -> tuple[CodeType, list[sites.Entry]]:
    """The same without making its sites known, for keeping."""
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    rewriter = Rewriter(tree, filename, options)
    code: CodeType = compile(rewriter.rewrite(tree), filename, "exec", dont_inherit=True)
    return code, rewriter.numbering.entries


def instrument_tree(tree: ast.Module, filename: str, options: Options = Options()) -> ast.Module:
    """Instrument a tree, in place, and make its sites known; what compiles it is the caller's business."""
    rewriter = Rewriter(tree, filename, options)
    result = rewriter.rewrite(tree)
    sites.register(filename, rewriter.numbering.entries)
    return result


class Rewriter(ast.NodeTransformer):
    """Rewrites one module."""

    def __init__(self, tree: ast.Module, filename: str, options: Options) -> None:
        self.numbering = sites.Numbering(filename)
        self.options = options
        self.scopes = Scopes(tree)
        self.scope = self.scopes.module
        self.owner = ""  # the class whose private names are being mangled
        self.path: list[str] = []
        self.loops: list[int] = []  # sites of the `while` loops of this function that we are in
        self.module_known = "__name__" not in self.scopes.module.bindings

    def rewrite(self, tree: ast.Module) -> ast.Module:
        """The module, rewritten."""
        tree.body = self._statements(tree.body)
        return ast.fix_missing_locations(tree)

    # -- making nodes -------------------------------------------------------------------------------------------------

    def _site(self, node: ast.AST, kind: str, name: str = "") -> ast.expr:
        number = self.numbering.new(
            getattr(node, "lineno", 0), getattr(node, "col_offset", 0) + 1, ".".join(self.path), kind, name
        )
        return _constant(number, node)

    def _hook(self, name: str, args: list[ast.expr], like: ast.AST) -> ast.Call:
        return _at(ast.Call(_name(f"__mz_{name}__", like), args, []), like)

    def _through(self, function: str, hook: ast.Call, like: ast.AST) -> ast.Call:
        """``function(*hook)``: a hook that hands on several operands."""
        return _at(ast.Call(_name(f"__mz_{function}__", like), [_at(ast.Starred(hook, ast.Load()), like)], []), like)

    def _mangled(self, name: str) -> str:
        return mangle(name, self.owner)

    def _what(self, name: str) -> tuple[Variable, Scope]:
        return self.scopes.resolve(self.scope, self._mangled(name))

    def _steady(self, node: ast.expr) -> bool:
        """Whether evaluating it twice gives the same and does nothing."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            if node.id.startswith("@"):
                return False
            return self._what(node.id)[0] in (Variable.LOCAL, Variable.CONSTANT, Variable.BUILTIN)
        if isinstance(node, ast.Tuple):
            return all(self._steady(part) for part in node.elts)
        return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)

    def _is_builtin(self, node: ast.expr, names: Iterable[str]) -> bool:
        return isinstance(node, ast.Name) and node.id in names and self._what(node.id)[0] is Variable.BUILTIN

    def _imported(self, node: ast.expr) -> str | None:
        """The module that a name, or the start of a dotted one, was imported from."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        return self._what(node.id)[1].imports.get(self._mangled(node.id))

    # -- names --------------------------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id.startswith("@"):
            return node
        variable, _ = self._what(node.id)
        name = self._mangled(node.id)
        if variable is Variable.GLOBAL:
            hook = self._hook("rg", [*self._global(name, node), self._site(node, "global", name)], node)
        elif variable is Variable.CELL and self.scope.kind != "class":
            hook = self._hook(
                "rc", [self._cell(node.id, node), *_named(name, node), self._site(node, "read", name)], node
            )
        else:
            return node
        return _at(ast.IfExp(hook, node, _name(node.id, node)), node)

    def _global(self, name: str, like: ast.AST) -> list[ast.expr]:
        known = self.module_known and self.scope.kind != "class" and self._what("__name__")[1] is self.scopes.module
        return [_name("__name__", like) if known else _constant(None, like), _constant(name, like)]

    def _cell(self, name: str, like: ast.AST) -> ast.expr:
        """A function whose only free variable is the name; its argument tells it from the program's own."""
        marker = _at(ast.arg("__mz__"), like)
        arguments = ast.arguments([], [marker], None, [], [], None, [])
        return _at(ast.Lambda(arguments, _name(name, like)), like)

    def _stored(self, name: str, value: ast.expr, like: ast.AST) -> ast.expr:
        """``value`` (rewritten already), announced if it is about to be bound to a shared name."""
        variable, _ = self._what(name)
        mangled = self._mangled(name)
        if variable is Variable.GLOBAL:
            args = [value, *self._global(mangled, like), self._site(like, "global", mangled)]
            return self._hook("wg", args, like)
        if variable is Variable.CELL:
            args = [value, self._cell(name, like), *_named(mangled, like), self._site(like, "write", mangled)]
            return self._hook("wc", args, like)
        return value

    def _bound(self, names: Iterable[str], like: ast.AST) -> list[ast.stmt]:
        """Statements that tell of shared names that have just been bound without a hook."""
        told: list[ast.stmt] = []
        for name in names:
            if name.startswith("@"):
                continue
            variable, _ = self._what(name)
            mangled = self._mangled(name)
            if variable is Variable.GLOBAL:
                hook = self._hook("bg", [*_named(mangled, like), self._site(like, "global", mangled)], like)
            elif variable is Variable.CELL:
                args = [self._cell(name, like), *_named(mangled, like), self._site(like, "write", mangled)]
                hook = self._hook("bc", args, like)
            else:
                continue
            told.append(_at(ast.Expr(hook), like))
        return told

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        node.value = self._stored(node.target.id, self.visit(node.value), node.value)
        return node

    # -- attributes and items -----------------------------------------------------------------------------------------

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id.startswith("@"):
            return node
        node.value = self._announced(node, "ra", "read")
        return node

    def _announced(self, node: ast.Attribute, hook: str, kind: str) -> ast.expr:
        name = self._mangled(node.attr)
        value = self.visit(node.value)
        return self._hook(hook, [value, _constant(name, node), self._site(node, kind, name)], node.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if self._steady(node.slice):
            return self._keyed(node, "ri", "read item")
        if isinstance(node.slice, ast.Slice) and self._steady_slice(node.slice):
            return self._sliced(node, "ri", "read item")
        args = [self.visit(node.value), self._key(node.slice), self._site(node, "read item", _text(node.slice))]
        return self._through("getitem", self._hook("rp", args, node), node)

    def _keyed(self, node: ast.Subscript, hook: str, kind: str) -> ast.Subscript:
        """``value[key]`` with a steady key."""
        args = [self.visit(node.value), _copy(node.slice), self._site(node, kind, _text(node.slice))]
        node.value = self._hook(hook, args, node.value)
        return node

    def _sliced(self, node: ast.Subscript, hook: str, kind: str) -> ast.Subscript:
        """``value[a:b]`` with steady bounds: which slice it is does not matter."""
        args = [self.visit(node.value), self._key(_copy(node.slice)), self._site(node, kind, "slice")]
        node.value = self._hook(hook, args, node.value)
        return node

    def _steady_slice(self, node: ast.Slice) -> bool:
        return all(self._steady(part) for part in (node.lower, node.upper, node.step) if part is not None)

    def _key(self, node: ast.expr) -> ast.expr:
        """A subscript's key as an expression."""
        if isinstance(node, ast.Slice):
            parts = [
                self.visit(part) if part else _constant(None, node) for part in (node.lower, node.upper, node.step)
            ]
            return self._hook("slice", parts, node)
        if isinstance(node, ast.Tuple):
            node.elts = [self._key(part) for part in node.elts]
            return node
        if isinstance(node, ast.Starred):
            node.value = self.visit(node.value)
            return node
        result: ast.expr = self.visit(node)
        return result

    def _target(self, node: ast.expr) -> ast.expr:
        """What is assigned to, for any kind of assignment."""
        if isinstance(node, ast.Attribute):
            node.value = self._announced(node, "wa", "store")
        elif isinstance(node, ast.Subscript):
            if self._steady(node.slice):
                return self._keyed(node, "wi", "write item")
            if isinstance(node.slice, ast.Slice) and self._steady_slice(node.slice):
                return self._sliced(node, "wi", "write item")
            site = self._site(node, "write item", _text(node.slice))
            node.value = self._hook("wk", [self.visit(node.value), self._key(node.slice), site], node.value)
            node.slice = self._hook("pop", [], node)
        elif isinstance(node, ast.Starred):
            node.value = self._target(node.value)
        elif isinstance(node, (ast.Tuple, ast.List)):
            node.elts = [self._target(part) for part in node.elts]
        elif isinstance(node, ast.Name) and self._what(node.id)[0] is Variable.GLOBAL and not node.id.startswith("@"):
            name = self._mangled(node.id)
            space = self._hook("gd", [*_named(name, node), self._site(node, "global", name)], node)
            return _at(ast.Subscript(space, _constant(name, node), ast.Store()), node)
        return node

    def _cells_of(self, node: ast.expr) -> list[str]:
        """Names bound by a target that have no hook of their own."""
        names = [each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
        return [name for name in names if self._what(name)[0] is Variable.CELL]

    # -- assignments --------------------------------------------------------------------------------------------------

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        names = [name for target in node.targets for name in self._cells_of(target)]
        value = self.visit(node.value)
        if any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets):
            value = self._used(value, node.value, "unpack", "us")
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if not node.targets[0].id.startswith("@"):
                value = self._stored(node.targets[0].id, value, node.value)
            names = []
        else:
            node.targets = [self._target(target) for target in node.targets]
        node.value = value
        return [node, *self._bound(names, node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
            if isinstance(node.target, ast.Name):
                node.value = self._stored(node.target.id, node.value, node.value)
        if not isinstance(node.target, ast.Name) and node.value is not None:
            node.target = self._target(node.target)  # type: ignore[assignment]  # stays an attribute or a subscript
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target = node.target
        operation = type(node.op).__name__
        if isinstance(target, ast.Name):
            return self._augment_name(node, target, operation)
        if isinstance(target, ast.Attribute):
            load, store = self._augment_attribute(target, node.value)
        else:
            load, store = self._augment_item(target, node.value)
        return _at(ast.Assign([store], self._in_place(node, load, operation)), node)

    def _augment_name(self, node: ast.AugAssign, target: ast.Name, operation: str) -> ast.stmt:
        variable, _ = self._what(target.id)
        if variable in (Variable.GLOBAL, Variable.CELL) and (variable is Variable.GLOBAL or self.scope.kind != "class"):
            load = self.visit(_name(target.id, target))
            value = self._stored(target.id, self._in_place(node, load, operation), node)
            return _at(ast.Assign([target], value), node)
        right = self.visit(node.value)
        if variable in (Variable.LOCAL, Variable.CONSTANT) and self._may_change(node.value, operation):
            args = [right, _name(target.id, target), *_named(_IN_PLACE[operation], node), self._site(node, "change")]
            right = self._hook("a", args, node.value)
        node.value = right
        return node

    def _may_change(self, right: ast.expr, operation: str) -> bool:
        """Whether ``x op= right`` may change a container in place."""
        if operation not in _IN_PLACE:
            return False
        return operation == "Mult" or not isinstance(right, (ast.Constant, ast.JoinedStr))

    def _in_place(self, node: ast.AugAssign, load: ast.expr, operation: str) -> ast.expr:
        right = self.visit(node.value)
        if not self._may_change(node.value, operation):
            return _at(ast.Call(_name(f"__mz_i{operation}__", node), [load, right], []), node)
        args = [load, right, *_named(_IN_PLACE[operation], node), self._site(node, "change")]
        return self._through(f"i{operation}", self._hook("ap", args, node), node)

    def _augment_attribute(self, target: ast.Attribute, right: ast.expr) -> tuple[ast.expr, ast.expr]:
        name = self._mangled(target.attr)
        if isinstance(target.value, ast.Name) and self._steady(target.value) and not _binds(right):
            load = _at(ast.Attribute(_copy(target.value), target.attr, ast.Load()), target)
            return self.visit(load), self._target(target)
        site = self._site(target, "store", name)
        first = self._hook("ga", [self.visit(target.value), _constant(name, target), site], target.value)
        load = _at(ast.Attribute(first, target.attr, ast.Load()), target)
        again = self._hook("gw", [_constant(name, target), _copy(site)], target.value)
        return load, _at(ast.Attribute(again, target.attr, ast.Store()), target)

    def _augment_item(self, target: ast.Subscript, right: ast.expr) -> tuple[ast.expr, ast.expr]:
        steady = isinstance(target.value, ast.Name) and self._steady(target.value) and self._steady(target.slice)
        if steady and not _binds(right):
            load = _at(ast.Subscript(_copy(target.value), _copy(target.slice), ast.Load()), target)
            return self.visit(load), self._target(target)
        site = self._site(target, "change item", _text(target.slice))
        first = self._hook("gi", [self.visit(target.value), self._key(target.slice), site], target)
        value = self._through("getitem", first, target)
        again = self._hook("gj", [_copy(site)], target)
        return value, _at(ast.Subscript(again, self._hook("pop", [], target), ast.Store()), target)

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for target in _flat(node.targets):
            statements += self._delete(target, node)
        return statements

    def _delete(self, target: ast.expr, node: ast.Delete) -> list[ast.stmt]:
        if isinstance(target, ast.Attribute):
            target.value = self._announced(target, "wa", "store")
        elif isinstance(target, ast.Subscript):
            if self._steady(target.slice):
                return [_at(ast.Delete([self._keyed(target, "di", "delete item")]), node)]
            else:
                site = self._site(target, "delete item", _text(target.slice))
                hook = self._hook("dp", [self.visit(target.value), self._key(target.slice), site], target)
                return [_at(ast.Expr(self._through("delitem", hook, target)), node)]
        elif isinstance(target, ast.Name):
            return (
                [_at(ast.Delete([target]), node), *self._bound([target.id], node)]
                if self._is_global(target.id)
                else [_at(ast.Delete([target]), node)]
            )
        return [_at(ast.Delete([target]), node)]

    def _is_global(self, name: str) -> bool:
        return self._what(name)[0] is Variable.GLOBAL

    # -- calls
    # ----------------------------------------------------------------------------------------------------------

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and self._what(function.id)[0] is Variable.BUILTIN:
            return self._builtin_call(node, function.id)
        if isinstance(function, ast.Attribute) and not _ours(function.value):
            origin = self._imported(function)
            if origin is not None and origin.partition(".")[0] in _QUIET:
                return self._plain_call(node)
            if function.attr in METHODS and origin is None:
                return self._method_call(node, function)
            if origin is not None:
                return self._looked_at(node)
        elif isinstance(function, ast.Name):
            origin = self._imported(function)
            if origin.partition(".")[0] not in _QUIET if origin is not None else not self._is_defined(function):
                return self._looked_at(node)
        return self._ordinary_call(node)

    def _is_defined(self, function: ast.Name) -> bool:
        """Whether a name always means a function or class of this module (or is pytest's business)."""
        variable, owner = self._what(function.id)
        name = self._mangled(function.id)
        known = variable in (Variable.LOCAL, Variable.CONSTANT) and name in owner.definitions
        return known or function.id.startswith("@") or variable is Variable.CLASS

    def _ordinary_call(self, node: ast.Call) -> ast.Call:
        node.func = self.visit(node.func)
        self._arguments(node)
        return node

    def _plain_call(self, node: ast.Call) -> ast.Call:
        """Of a function of a module that needs no watching: not even the attribute."""
        self._arguments(node)
        return node

    def _arguments(self, node: ast.Call) -> None:
        node.args = [self.visit(each) for each in node.args]
        for keyword in node.keywords:
            value = self.visit(keyword.value)
            keyword.value = self._used(value, keyword.value, "unpack") if keyword.arg is None else value

    def _builtin_call(self, node: ast.Call, name: str) -> ast.expr:
        single = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
        if single and not any(not self._steady(keyword.value) for keyword in node.keywords):
            hook = {"len": "len", "next": "n"}.get(name, "")
            if name in _CONSUMERS:
                hook = "u" if name in _WHOLE else "us"
            if hook and not isinstance(node.args[0], (ast.Constant, ast.JoinedStr, ast.GeneratorExp)):
                argument = self.visit(node.args[0])
                node.args = [self._hook(hook, [argument, self._site(node, "call", name)], node.args[0])]
                return node
        if name == "next" and len(node.args) == 2 and self._steady(node.args[1]):
            args = [self.visit(node.args[0]), self._site(node, "call", name)]
            node.args[0] = self._hook("n", args, node.args[0])
            return node
        if name in _LOOKED_AT and not all(isinstance(each, (ast.Constant, ast.JoinedStr)) for each in node.args):
            return self._looked_at(node)
        self._arguments(node)
        return node

    def _method_call(self, node: ast.Call, function: ast.Attribute) -> ast.expr:
        """A method that containers have."""
        if node.keywords or not all(self._steady(each) for each in node.args):
            return self._looked_at(node)
        name = self._mangled(function.attr)
        args = [self.visit(function.value), _constant(name, function), self._site(node, "call", name)]
        function.value = self._hook("m", [*args, *(_copy(each) for each in node.args)], function.value)
        return node

    def _looked_at(self, node: ast.Call) -> ast.expr:
        """Any function: what it is is seen when it is called."""
        name = _text(node.func)
        steady = all(self._steady(each) for each in (*node.args, *(keyword.value for keyword in node.keywords)))
        function = self.visit(node.func)
        if steady and all(keyword.arg for keyword in node.keywords):
            hook = self._hook("c", [function, self._site(node, "call", name), *map(_copy, node.args)], node.func)
            hook.keywords = [_at(ast.keyword(each.arg, _copy(each.value)), node) for each in node.keywords]
            node.func = hook
            return node
        site = self._site(node, "call", name)
        self._arguments(node)
        hook = self._hook("cp", [function, site, *node.args], node)
        hook.keywords = node.keywords
        return self._through("call", hook, node)

    # -- operators
    # --------------------------------------------------------------------------------------------------------

    def _used(self, value: ast.expr, original: ast.expr, kind: str, hook: str = "u") -> ast.expr:
        """``value``, announced as looked at as a whole (``us``: gone through) if it may be a container."""
        if isinstance(original, ast.Name) and (original.id.startswith("@") or original.id in self.scope.parameters):
            return value
        if isinstance(original, (*_MAYBE_CONTAINER, ast.BoolOp)):
            return self._hook(hook, [value, self._site(original, kind)], original)
        return value

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        node.value = self._used(self.visit(node.value), node.value, "unpack", "us")
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        node.keys = [key and self.visit(key) for key in node.keys]
        node.values = [
            self._used(self.visit(value), value, "unpack") if key is None else self.visit(value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        node.value = self._used(self.visit(node.value), node.value, "format")
        if node.format_spec is not None:
            node.format_spec = self.visit(node.format_spec)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        originals = [node.left, *node.comparators]
        operator = node.ops[0]
        if len(node.ops) > 1:
            return self._chain(node)
        left, right = originals
        if isinstance(operator, (ast.In, ast.NotIn)):
            return self._membership(node, left, right, isinstance(operator, ast.NotIn))
        compares = isinstance(operator, (ast.Eq, ast.NotEq)) and _may_be_containers(left, right)
        steady = self._steady(left)
        node.left = self.visit(left)
        node.comparators = [self.visit(right)]
        if not compares:
            return node
        site = self._site(node, "compare")
        if steady:
            node.comparators = [self._hook("o", [node.comparators[0], _copy(left), site], right)]
            return node
        function = "eq" if isinstance(operator, ast.Eq) else "ne"
        return self._through(function, self._hook("op", [node.left, node.comparators[0], site], node), node)

    def _chain(self, node: ast.Compare) -> ast.expr:
        node.left = self.visit(node.left)
        for index, right in enumerate(node.comparators):
            value = self.visit(right)
            if isinstance(node.ops[index], (ast.In, ast.NotIn)):
                value = self._used(value, right, "search", "us")
            node.comparators[index] = value
        return node

    def _membership(self, node: ast.Compare, left: ast.expr, right: ast.expr, negated: bool) -> ast.expr:
        steady = self._steady(left)
        node.left, container = self.visit(left), self.visit(right)
        node.comparators = [container]
        if not isinstance(right, (*_MAYBE_CONTAINER, ast.BoolOp)):
            return node
        site = self._site(node, "search", _text(left))
        if steady:
            node.comparators = [self._hook("in", [container, _copy(left), site], right)]
            return node
        found = self._through("contains", self._hook("inp", [node.left, container, site], node), node)
        return _at(ast.UnaryOp(ast.Not(), found), node) if negated else found

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = node.left, node.right
        combines = isinstance(node.op, _COMBINING) and _may_be_containers(left, right)
        steady = self._steady(left)
        node.left, node.right = self.visit(left), self.visit(right)
        if not combines:
            return node
        site = self._site(node, "combine")
        if steady:
            node.right = self._hook("o", [node.right, _copy(left), site], right)
            return node
        return self._through(
            f"bin{type(node.op).__name__}", self._hook("op", [node.left, node.right, site], node), node
        )

    # -- tests
    # ----------------------------------------------------------------------------------------------------------------

    def _test(self, node: ast.expr, branches: bool = True) -> ast.expr:
        """An expression whose truth is asked for."""
        value: ast.expr = self.visit(node)
        if branches and self.options.branches and not isinstance(node, ast.Constant):
            return self._hook("br", [value, self._site(node, "branch")], node)
        if isinstance(node, ast.Name) and (node.id.startswith("@") or node.id in ("__debug__", "TYPE_CHECKING")):
            return value
        if isinstance(node, _MAYBE_CONTAINER):
            return self._hook("b", [value, self._site(node, "test")], node)
        return value

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        node.values = [*(self._test(each, False) for each in node.values[:-1]), self.visit(node.values[-1])]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        node.operand = self._test(node.operand, False) if isinstance(node.op, ast.Not) else self.visit(node.operand)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        node.test = self._test(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        node.test = self._test(node.test)
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        node.test = self._test(node.test)
        node.msg = node.msg and self.visit(node.msg)
        return node

    # -- loops
    # ------------------------------------------------------------------------------------------------------------------

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        site = self._site(node, "loop")
        node.test = self._test(node.test)
        self.loops.append(site.value)  # type: ignore[attr-defined]  # it is a constant
        body = self._statements(node.body)
        self.loops.pop()
        node.body = [_at(ast.Expr(self._hook("l", [site], node.test)), node.test), *body]
        node.orelse = self._statements(node.orelse)
        return [node, self._leave(site.value, node.test)]  # type: ignore[attr-defined]  # it is a constant

    def _leave(self, site: int, like: ast.AST) -> ast.stmt:
        return _at(ast.Expr(self._hook("x", [_constant(site, like)], like)), like)

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        node.value = node.value and self.visit(node.value)
        if self.options.calls and self.path:
            value = node.value or _constant(None, node)
            node.value = self._hook(
                "ret", [value, *_named(".".join(self.path), node), self._site(node, "return")], node
            )
        return [*(self._leave(site, node) for site in self.loops), node]

    def visit_For(self, node: _LOOP_VARIABLES) -> ast.stmt:
        iterable = self.visit(node.iter)
        if isinstance(node, ast.For):
            iterable = self._iterated(iterable, node.iter)
        bound = self._cells_of(node.target)
        node.iter, node.target = iterable, self._target(node.target)
        node.body = [*self._bound(bound, node.target), *self._statements(node.body)]
        node.orelse = self._statements(node.orelse)
        return node

    visit_AsyncFor = visit_For

    def _iterated(self, value: ast.expr, original: ast.expr) -> ast.expr:
        if isinstance(original, (*_MAYBE_CONTAINER, ast.BoolOp)) and not self._is_range(original):
            return self._hook("it", [value, self._site(original, "iterate")], original)
        return value

    def _is_range(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._is_builtin(node.func, ("range",))

    def _comprehension(self, node: ast.expr) -> ast.expr:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]  # only comprehensions get here
        first = generators[0]
        outermost = self._iterator(first)
        outer, self.scope = self.scope, self.scopes.of[node]
        for generator in generators:
            generator.iter = outermost if generator is first else self._iterator(generator)
            generator.target = self._target(generator.target)
            generator.ifs = [self._test(each, False) for each in generator.ifs]
        for field in ("key", "value", "elt"):
            if hasattr(node, field):
                setattr(node, field, self.visit(getattr(node, field)))
        self.scope = outer
        return node

    def _iterator(self, generator: ast.comprehension) -> ast.expr:
        value = self.visit(generator.iter)
        return value if generator.is_async else self._iterated(value, generator.iter)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # -- statements that bind
    # ------------------------------------------------------------------------------------------------

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        bound: list[str] = []
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            if item.optional_vars is not None:
                bound += self._cells_of(item.optional_vars)
                item.optional_vars = self._target(item.optional_vars)
        node.body = [*self._bound(bound, node), *self._statements(node.body)]
        return node

    visit_AsyncWith = visit_With

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return [node]
        names = [alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"]
        return [node, *self._bound(names, node)]

    visit_ImportFrom = visit_Import

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        node.type = node.type and self.visit(node.type)
        node.body = [*self._bound([node.name] if node.name else [], node), *self._statements(node.body)]
        return node

    def visit_Match(self, node: ast.Match) -> ast.stmt:
        node.subject = self._used(self.visit(node.subject), node.subject, "match")
        for case in node.cases:
            bound = [
                name
                for each in ast.walk(case.pattern)
                for name in (getattr(each, "name", None), getattr(each, "rest", None))
                if name
            ]
            case.guard = case.guard and self._test(case.guard)
            case.body = [*self._bound(bound, case.body[0]), *self._statements(case.body)]
        return node

    # -- scopes
    # ---------------------------------------------------------------------------------------------------------------

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            rewritten = self.visit(statement)
            if isinstance(rewritten, list):
                result += rewritten
            else:
                result.append(rewritten)
        return result

    def visit_FunctionDef(self, node: _FUNCTIONS) -> list[ast.stmt]:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self._defaults(node.args)
        if node.name in _INDIVISIBLE:
            return [node, *self._bound([node.name], node)]
        outer, loops = self.scope, self.loops
        self.scope, self.loops = self.scopes.of[node], []
        self.path.append(node.name)
        docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
        body = self._statements(node.body[len(docstring) :])
        shared = [name for name in self.scope.bindings if name in _parameters(node.args)]
        started = [
            *self._called(node),
            *self._bound([name for name in shared if self._what(name)[0] is Variable.CELL], node),
        ]
        node.body = [*docstring, *started, *body] or [_at(ast.Pass(), node)]
        self.path.pop()
        self.scope, self.loops = outer, loops
        return [node, *self._bound([node.name], node)]

    visit_AsyncFunctionDef = visit_FunctionDef

    def _called(self, node: _FUNCTIONS) -> list[ast.stmt]:
        if not self.options.calls:
            return []
        hook = self._hook("fn", [*_named(".".join(self.path), node), self._site(node, "call")], node.body[0])
        return [_at(ast.Expr(hook), node.body[0])]

    def _defaults(self, args: ast.arguments) -> None:
        args.defaults = [self.visit(each) for each in args.defaults]
        args.kw_defaults = [each and self.visit(each) for each in args.kw_defaults]

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        self._defaults(node.args)
        outer, loops = self.scope, self.loops
        self.scope, self.loops = self.scopes.of[node], []
        self.path.append("<lambda>")
        node.body = self.visit(node.body)
        self.path.pop()
        self.scope, self.loops = outer, loops
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        outer, loops, owner = self.scope, self.loops, self.owner
        parameters = getattr(node, "type_params", None)
        if parameters:
            self.scope = self.scopes.of[parameters[0]]
        node.bases = [self.visit(each) for each in node.bases]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        self.scope, self.loops, self.owner = self.scopes.of[node], [], node.name
        self.path.append(node.name)
        node.body = self._statements(node.body)
        self.path.pop()
        self.scope, self.loops, self.owner = outer, loops, owner
        return [node, *self._bound([node.name], node)]

    def visit_TypeAlias(self, node: ast.stmt) -> ast.stmt:
        return node


# -- nodes -----------------------------------------------------------------------------------------


def _at(node: _N, like: ast.AST) -> _N:
    return ast.copy_location(node, like)


def _constant(value: object, like: ast.AST) -> ast.expr:
    return _at(ast.Constant(value), like)  # type: ignore[arg-type]  # strings, numbers and None only


def _name(name: str, like: ast.AST) -> ast.expr:
    return _at(ast.Name(name, ast.Load()), like)


def _named(name: str, like: ast.AST) -> list[ast.expr]:
    return [_constant(name, like)]


def _copy(node: ast.expr) -> ast.expr:
    """A second copy of an operand that has not been rewritten."""
    if isinstance(node, ast.Name):
        return _name(node.id, node)
    if isinstance(node, ast.Constant):
        return _at(ast.Constant(node.value, node.kind), node)
    return copy.deepcopy(node)


def _flat(targets: list[ast.expr]) -> Iterable[ast.expr]:
    for target in targets:
        if isinstance(target, (ast.Tuple, ast.List)):
            yield from _flat(target.elts)
        else:
            yield target


def _binds(node: ast.expr) -> bool:
    """Whether evaluating it may give a local another value."""
    return any(isinstance(each, ast.NamedExpr) for each in ast.walk(node))


def _parameters(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {each.arg for each in every if each is not None}


def _ours(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id.startswith("@")


def _may_be_containers(left: ast.expr, right: ast.expr) -> bool:
    """Whether an operator's operands may be containers, one of them shared."""
    kinds = (*_MAYBE_CONTAINER, *_DISPLAYS)
    for node in (left, right):
        if not isinstance(node, kinds) or _ours(node):
            return False
    return isinstance(left, _MAYBE_CONTAINER) or isinstance(right, _MAYBE_CONTAINER)


def _text(node: ast.expr) -> str:
    """A short text for a key or a function, for a site's name."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        start = _text(node.value)
        return f"{start}.{node.attr}" if start else node.attr
    return ""
