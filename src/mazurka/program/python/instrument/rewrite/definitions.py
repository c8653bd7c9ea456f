"""Statements that open a scope or bind names: functions, classes, ``with``, ``import``, ``except``, ``match``."""

from __future__ import annotations

import ast
import sys
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind, is_lazy
from mazurka.program.python.instrument.rewrite import returns, wait_loops
from mazurka.program.python.instrument.rewrite.assignments import unpacked
from mazurka.program.python.instrument.rewrite.calls import is_builtin
from mazurka.program.python.instrument.rewrite.items import assigned, bound, unbinding
from mazurka.program.python.instrument.rewrite.loops import leave
from mazurka.program.python.instrument.rewrite.names import bindings_reported, cell, parameters_reported, stored
from mazurka.program.python.instrument.rewrite.nodes import (
    at,
    constant,
    copied,
    is_ours,
    named,
    parameter_names,
    reading,
    text_of,
)
from mazurka.program.python.instrument.rewrite.operators import tested, used
from mazurka.program.python.instrument.rewrite.reentrant import How
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule

#: Methods whose result is tested for truth by code that calls them without a hook.
_JUDGING: Final = frozenset("__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __contains__".split())
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def with_(r: Rewriter, node: ast.With | ast.AsyncWith) -> ast.stmt:
    """Hooks where a manager is entered and left, if it may be shared."""
    wait_loops.note_with(r, node)
    kept: list[ast.stmt] = []
    ends: list[ast.stmt] = []
    first: list[ast.stmt] = []
    for item in node.items:
        manager = item.context_expr
        item.context_expr = r.visit(manager)
        if isinstance(node, ast.With) and r.is_shared(manager):
            site = r.site(manager, "call", text_of(manager))
            item.context_expr = r.hook("w", [item.context_expr, site], manager)
            ends.insert(0, at(ast.Expr(r.hook("wx", [copied(site)], manager)), manager))
        if isinstance(node, ast.With) and r.weaver is not None:
            item.context_expr = r.weaver.managed(item.context_expr, manager)
        if item.optional_vars is not None:
            kept += bound(r, item.optional_vars)
            item.optional_vars, unpacking = unpacked_inside(r, item.optional_vars)
            first += unpacking
    body = [*first, *r.statements(node.body)]
    for end in ends:
        for part in ast.walk(end):
            if hasattr(part, "lineno"):
                ast.copy_location(part, body[0])
    node.body = [*([at(ast.Try(body, [], [], ends), body[0])] if ends else body), *kept]
    return node


def unpacked_inside(r: Rewriter, target: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
    """The target that ``with ... as`` binds, and statements that bind the rest."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return assigned(r, target), []
    whole = f"__mz_with{target.lineno}_{target.col_offset}__"
    value = unpacked(r, reading(whole, target), reading(whole, target), [target])
    statement = at(ast.Assign([assigned(r, target)], value), target)
    forget = at(ast.Delete([at(ast.Name(whole, ast.Del()), target)]), target)
    return at(ast.Name(whole, ast.Store()), target), [statement, forget]


def imported_names(r: Rewriter, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
    """An import, and stores of the globals that it binds."""
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return [node]
    if (
        isinstance(node, ast.ImportFrom)
        and node.module == "sys"
        and {"modules", "*"} & {each.name for each in node.names}
    ):
        r.said.add("modules")
    kept: list[ast.stmt] = []
    first = reading_of_module(r, node) if isinstance(node, ast.ImportFrom) and r.scope.kind == "function" else []
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if alias.name == "*" or r.resolve(name)[0] is not VariableKind.GLOBAL or name in r.scope.lazy or is_lazy(node):
            kept += bindings_reported(r, [name] if alias.name != "*" else [], node)
        elif alias.asname is not None or isinstance(node, ast.ImportFrom) or "." not in alias.name:
            # The module is bound under a name of its own, and then by an assignment with a hook.
            alias.asname = f"__mz_{name}__"
            value = stored(r, name, at(ast.Name(alias.asname, ast.Load()), node), node)
            kept.append(at(ast.Assign([at(ast.Name(name, ast.Store()), node)], value), node))
            kept.append(at(ast.Delete([at(ast.Name(alias.asname, ast.Del()), node)]), node))
        else:
            kept += bindings_reported(r, [name], node)
    return [*first, node, *kept]


def reading_of_module(r: Rewriter, node: ast.ImportFrom) -> list[ast.stmt]:
    """The statement that announces that variables of a module are about to be read."""
    names = at(ast.Tuple([constant(alias.name, node) for alias in node.names], ast.Load()), node)
    module = constant("." * node.level + (node.module or ""), node)
    return [at(ast.Expr(r.hook("fi", [module, names, r.site(node, "global", node.module or "")], node)), node)]


def except_handler(r: Rewriter, node: ast.ExceptHandler) -> ast.ExceptHandler:
    """A handler; where its name is shared, binding and unbinding it are statements with hooks."""
    node.type = node.type and r.visit(node.type)
    name, body = node.name, r.statements(node.body)
    if name is None or r.resolve(name)[0] not in (VariableKind.GLOBAL, VariableKind.CELL):
        node.body = body
        return node
    # The exception is bound, and unbound at the end, under a name of its own, and by statements with hooks.
    node.name = f"__mz_{name}__"
    first = at(ast.Assign([store(name, node)], stored(r, name, reading(node.name, node), node)), node)
    target = at(ast.Name(name, ast.Del()), body[-1])
    gone = at(ast.Assign([store(name, body[-1])], constant(None, body[-1])), body[-1])
    last = [*unbinding(r, target), gone, at(ast.Delete([target]), body[-1])]
    node.body = [first, at(ast.Try(body, [], [], last), body[0])]
    return node


def store(name: str, like: ast.AST) -> ast.expr:
    """The name as a target."""
    return at(ast.Name(name, ast.Store()), like)


def match(r: Rewriter, node: ast.Match) -> list[ast.stmt]:
    """Patterns have no place for hooks: the reads of their values are reported before."""
    reports_before: list[ast.stmt] = [
        at(ast.Expr(r.hook("ra", [copied(each.value), *named(name, each), r.site(each, "read", name)], each)), node)
        for case in node.cases
        for each in ast.walk(case.pattern)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and r.steady(each.value)
        for name in [r.mangled(each.attr)]
    ]
    subject = r.visit(node.subject)
    if isinstance(subject, ast.Tuple):
        node.subject = r.hook("u", [subject, r.site(subject, "match")], subject)
    else:
        node.subject = used(r, subject, node.subject, "match")
    for case in node.cases:
        bound = [
            name
            for each in ast.walk(case.pattern)
            for name in (getattr(each, "name", None), getattr(each, "rest", None))
            if name
        ]
        case.guard = case.guard and tested(r, case.guard, True)
        case.body = [*bindings_reported(r, bound, case.body[0]), *r.statements(case.body)]
    return [at(ast.If(r.awake(node), reports_before, []), node), node] if reports_before else [node]


def decorator(r: Rewriter, node: ast.expr) -> ast.expr:
    """One decorator: a call, for which there is no node."""
    value: ast.expr = r.visit(node)
    if (isinstance(node, ast.Name) and is_builtin(r, node)) or is_ours(node):
        return value
    return r.hook("d", [value, r.site(node, "call", text_of(node))], node)


def function_def(r: Rewriter, node: _FUNCTIONS) -> list[ast.stmt]:
    """A function: its body in a scope of its own, decorators and defaults in the outer one."""
    wait_loops.note_function(r, node)
    node.decorator_list = [decorator(r, each) for each in node.decorator_list]
    if node.name == "__del__":
        node.decorator_list.insert(0, reading("__mz_fz__", node))
    defaults(r, node.args)
    outer, loops = r.scope, r.loops
    r.scope, r.loops = r.scopes.of[node], []
    r.path.append(node.name)
    docstring = node.body[:1] if ast.get_docstring(node, clean=False) is not None else []
    before = r.reports_return, r.gives_value
    leaving, r.reports_leaving = r.reports_leaving, r.weaver is not None and r.weaver.is_left(node.name)
    r.reports_return = r.reporting.get(node) is How.BY_RETURN
    r.gives_value = r.reporting.get(node) is How.FINALLY or (
        not r.reports_return and (node.name == "__exit__" or _may_be_key(node))
    )
    body = r.statements(node.body[len(docstring) :])
    r.reports_return, r.gives_value = before
    r.reports_leaving = leaving
    shared = [name for name in r.scope.bindings if name in parameter_names(node.args)]
    body = [*call_event(r, node), *parameters_reported(r, shared, node), *body] or [at(ast.Pass(), node)]
    body = returns.enclosed(r, node, body)
    node.body = [*docstring, *(body if r.weaver is None else r.weaver.enclosed(node, body))]
    r.path.pop()
    r.scope, r.loops = outer, loops
    return announced_definition(r, node)


def _may_be_key(node: _FUNCTIONS) -> bool:
    """Whether another module may use a function as a key, for instance of a sort: the function has one parameter, or
    two as a method, and returns an existing object."""
    args = node.args
    few = len(args.posonlyargs) + len(args.args) in (1, 2) and args.vararg is None and args.kwarg is None
    last = node.body[-1]
    there = isinstance(last, ast.Return) and isinstance(
        last.value, (ast.Attribute, ast.Subscript, ast.Name, ast.Tuple, ast.Call, ast.IfExp, ast.BoolOp)
    )
    return few and there and isinstance(node, ast.FunctionDef)


def announced_definition(r: Rewriter, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> list[ast.stmt]:
    """A definition whose name is shared: its outermost decorator reports the binding, just before it."""
    variable, _ = r.resolve(node.name)
    name = r.mangled(node.name)
    if variable is VariableKind.GLOBAL:
        args = [*named(name, node), r.site(node, "global", name)]
        node.decorator_list.insert(0, r.hook("db", args, node))
    elif variable is VariableKind.CELL:
        args = [cell(r, node.name, node), *named(name, node), r.site(node, "write", name)]
        node.decorator_list.insert(0, r.hook("dc", args, node))
    return [node]


def call_event(r: Rewriter, node: _FUNCTIONS) -> list[ast.stmt]:
    """The statement that announces a call in a recording with calls; none otherwise."""
    if not r.options.calls:
        return []
    hook = r.hook("fn", [*named(".".join(r.path), node), r.site(node, "call")], node.body[0])
    return [at(ast.Expr(hook), node.body[0])]


def defaults(r: Rewriter, args: ast.arguments) -> None:
    """Rewrite default values in place, in the scope around the function."""
    args.defaults = [r.visit(each) for each in args.defaults]
    args.kw_defaults = [each and r.visit(each) for each in args.kw_defaults]


def return_(r: Rewriter, node: ast.Return) -> list[ast.stmt]:
    """A return; values of methods that CPython tests or iterates at once are announced for that."""
    value = node.value
    if value is not None:
        judges = bool(r.path) and r.path[-1] in _JUDGING
        visited: ast.expr = tested(r, value, False) if judges else r.visit(value)
        of_iter = bool(r.path) and r.path[-1] == "__iter__"
        node.value = r.hook("ir", [visited, r.site(value, "iterate")], value) if of_iter else visited
    if r.options.calls and r.path:
        value = node.value or constant(None, node)
        node.value = r.hook("ret", [value, *named(".".join(r.path), node), r.site(node, "return")], node)
    if r.reports_return:
        node.value = returns.ended(r, node.value or constant(None, node))
    elif r.gives_value and node.value is not None and not isinstance(node.value, ast.Constant):
        node.value = r.hook("rv", [node.value], node.value)
    if r.reports_leaving:
        node.value = r.hook("ev_ret", [node.value or constant(None, node)], node)
    return [*(leave(r, site, node) for site in r.loops), node]


def raise_(r: Rewriter, node: ast.Raise) -> ast.stmt:
    """A raise; an exception that is not made in the statement may be shared."""
    if node.exc is not None:
        raised = r.visit(node.exc)
        made = _is_made(node.exc)
        node.exc = raised if made else r.hook("rx", [raised, r.site(node, "raise")], node.exc)
    node.cause = node.cause and r.visit(node.cause)
    if r.reports_return and node.exc is not None:
        node.exc = returns.ended(r, node.exc)
    return node


def _is_made(raised: ast.expr) -> bool:
    """Whether an exception is made in the statement, by a call of a class or by its name."""
    function = raised.func if isinstance(raised, ast.Call) else raised
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name.lstrip("_")[:1].isupper() and not (name.isupper() and raised is function)


def lambda_(r: Rewriter, node: ast.Lambda) -> ast.expr:
    """As :func:`function_def`, for an expression."""
    defaults(r, node.args)
    outer, loops = r.scope, r.loops
    r.scope, r.loops = r.scopes.of[node], []
    r.path.append("<lambda>")
    node.body = returns.enclosed_value(r, r.visit(node.body))
    r.path.pop()
    r.scope, r.loops = outer, loops
    return node


def class_def(r: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    """A class: names bound in its body are stores of the class's scope."""
    node.decorator_list = [decorator(r, each) for each in node.decorator_list]
    outer, loops, owner = r.scope, r.loops, r.owner
    parameters = getattr(node, "type_params", None)
    if parameters:
        r.scope = r.scopes.of[parameters[0]]
    node.bases = [r.visit(each) for each in node.bases]
    for keyword in node.keywords:
        keyword.value = r.visit(keyword.value)
    r.scope, r.loops, r.owner = r.scopes.of[node], [], node.name
    r.path.append(node.name)
    prepared = r.hook("cb", [r.site(node, "call", node.name)], node.body[0])
    body = r.statements(node.body)
    node.body = with_first(body, at(ast.Expr(prepared), node.body[0])) if node.bases or node.keywords else body
    r.path.pop()
    r.scope, r.loops, r.owner = outer, loops, owner
    if node.bases or node.keywords or any(isinstance(each, (ast.Assign, ast.AnnAssign)) for each in node.body):
        node.decorator_list.append(reading("__mz_cm__", node))  # before any other
    return announced_definition(r, node)


def with_first(body: list[ast.stmt], first: ast.stmt) -> list[ast.stmt]:
    """A body with a statement before all others but its docstring."""
    value = body[0].value if isinstance(body[0], ast.Expr) else None
    start = 1 if isinstance(value, ast.Constant) and isinstance(value.value, str) else 0
    return [*body[:start], first, *body[start:]]


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Import: imported_names,
    ast.ImportFrom: imported_names,
    ast.ExceptHandler: except_handler,
    ast.Match: match,
    ast.FunctionDef: function_def,
    ast.AsyncFunctionDef: function_def,
    ast.Lambda: lambda_,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.ClassDef: class_def,
}
if sys.version_info >= (3, 12):
    RULES[ast.TypeAlias] = lambda rewriter, node: node
