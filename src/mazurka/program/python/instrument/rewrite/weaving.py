"""The hooks at operations that may be events of properties (:mod:`mazurka.program.python.property_events.hooks`).

They take the place of the ordinary hooks, which they call, and perform the operation. An operation gets one only if the
last component of a name in a pointcut may be its name. A call whose callee the source does not show gets one if there
are pointcuts for calls at all. Where a function or method is used as a value, and where C code may call it, or iterate,
without a hook, a hook counts the functions that would be events.

While names are woven, expressions are not doubled: events are reported before there are threads, too.
"""

from __future__ import annotations

import ast
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind
from mazurka.program.python.instrument.rewrite import assignments, calls, items
from mazurka.program.python.instrument.rewrite.names import stored
from mazurka.program.python.instrument.rewrite.nodes import at, constant, copied, is_ours, text_of
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule, Rules
from mazurka.program.python.instrument.sites import TRUTH_TEST
from mazurka.program.python.instrument.woven_names import WovenNames, is_among
from mazurka.program.python.semantics.containers import GOING_THROUGH, SLOTS

#: Builtins by the special method of their first argument that they call.
_BUILTINS: Final = {
    "len": "__len__",
    "iter": "__iter__",
    "next": "__next__",
    "reversed": "__reversed__",
    "hash": "__hash__",
    "abs": "__abs__",
}

#: Callees that iterate over their arguments.
_CONSUMERS: Final = frozenset("list tuple set frozenset dict sorted sum min max any all bytes bytearray".split())
_LAZY: Final = frozenset("enumerate zip map filter".split())
_CONSUMING: Final = frozenset(
    "join extend update union intersection difference symmetric_difference intersection_update difference_update "
    "symmetric_difference_update issubset issuperset isdisjoint fromkeys writelines executemany".split()
)

#: Builtins that look at the calling frame: a hook would be that frame.
_OF_FRAME: Final = frozenset("super locals globals vars dir eval exec __build_class__ breakpoint input".split())

#: Functions that access an attribute, or make functions that do.
_BY_NAME: Final = frozenset("getattr setattr delattr hasattr".split())
_MAKING: Final = frozenset("methodcaller attrgetter itemgetter".split())
_SETTERS: Final = frozenset("__getattribute__ __setattr__ __delattr__".split())

_COMPARED: Final = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_COMBINED: Final = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
    ast.BitOr: "or_",
    ast.BitXor: "xor",
    ast.BitAnd: "and_",
    ast.MatMult: "matmul",
}


class Weaver:
    """Decides which operations of a module get hooks for events, and makes these."""

    def __init__(self, r: Rewriter, names: WovenNames, tree: ast.Module, rules: Rules) -> None:
        self.r = r
        self.rules = rules  # the ordinary ones
        self.names = names
        self.iterates = names.calls_any(("__iter__", "__next__"))
        self.tests = names.calls_any(("__bool__", "__len__"))
        self.aliases = frozenset(self._aliases(tree))
        self.callees: set[int] = set()  # identities of nodes that are called

    def _aliases(self, tree: ast.Module) -> set[str]:
        """Names in this module that stand for other ones which may be events."""
        found: set[str] = set()
        for node in ast.walk(tree):
            match node:
                case ast.alias(name, str(bound)) if self.is_called(name.rpartition(".")[2]):
                    found.add(bound)
                case ast.Assign([ast.Name(target)], ast.Name(value)) if self.is_called(target):
                    found.add(value)
        return found

    def is_called(self, name: str) -> bool:
        """Whether a callee of this name may be an event."""
        if is_among(self.names.calls, name) or "__call__" in self.names.calls:  # that of the callee, whichever it is
            return True
        if name in _BUILTINS and is_among(self.names.calls, _BUILTINS[name]):
            return True
        return is_among(self.names.calls, f"__{name.rstrip('_')}__")

    def attribute_access(self) -> bool:
        """Whether some access to an attribute may be an event."""
        return bool(self.names.gets or self.names.sets or self.names.deletes)

    # -- calls --------------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> ast.expr | None:
        """A call that may be an event; None for others."""
        function = node.func
        self.callees.add(id(function))
        if isinstance(function, ast.Name) and calls.is_builtin(self.r, function):
            return self._builtin(node, function.id)
        if isinstance(function, ast.Attribute):
            name = function.attr
            if name in _MAKING:
                return self._maker(node)
            consumes = self.iterates and name in _CONSUMING
            by_name = name in _SETTERS and self.attribute_access()
            if self.is_called(name) or consumes or by_name:
                return self._method(node, function)
            return None
        if isinstance(function, ast.Name):
            if function.id.startswith("@"):
                return None
            if function.id in _MAKING:
                return self._maker(node)
            if calls.is_defined(self.r, function) and not self._is_named(function.id):
                return None
        return self._call(node) if self.names.calls else None

    def _is_named(self, name: str) -> bool:
        return self.is_called(name) or name in self.aliases

    def _builtin(self, node: ast.Call, name: str) -> ast.expr | None:
        if name in _OF_FRAME:
            return self._counted(node) if is_among(self.names.calls, name) else None
        by_name = name in _BY_NAME and (self.attribute_access() or (name == "getattr" and self.names.calls))
        goes_through = self.iterates and (name in _CONSUMERS or name in _LAZY)
        if not (self.is_called(name) or by_name or goes_through):
            return None
        is_called = id(node) in self.callees
        made = self._call(node, announced=name not in _LAZY and not _is_generated(node))
        if name == "getattr" and self.names.calls and not is_called:
            return self.r.hook("ev_taken", [made, self.r.site(node, "call", name)], node)
        return made

    def _maker(self, node: ast.Call) -> ast.expr | None:
        """A call that makes a function which calls a method, or gets an attribute: its calls are not seen."""
        given = [each.value if isinstance(each, ast.Constant) else None for each in node.args]
        wanted = self.names.calls | self.names.gets
        if not any(not isinstance(each, str) or is_among(wanted, each.rpartition(".")[2]) for each in given):
            return None
        return self._counted(node)

    def _counted(self, node: ast.expr) -> ast.expr:
        """An expression as it is, with a hook that counts it as unseen."""
        rule = self.rules[type(node)]
        first = self.r.hook("ev_unseen", [self.r.site(node, "call", "")], node)
        made: ast.expr = rule(self.r, node)
        both = at(ast.Tuple([first, made], ast.Load()), node)
        return at(ast.Subscript(both, constant(1, node), ast.Load()), node)

    def _call(self, node: ast.Call, announced: bool = True) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and calls.is_defined(self.r, function):
            announced = False
        name = text_of(function)
        made: ast.expr = self.r.visit(function)
        return self._performed(node, made, name, announced)

    def _performed(self, node: ast.Call, function: ast.expr, name: str, announced: bool) -> ast.expr:
        calls.arguments(self.r, node)
        given = [function, self.r.site(node, "call", name), constant(announced, node), *node.args]
        hook = self.r.hook("ev_call", given, node)
        hook.keywords = node.keywords
        return hook

    def _method(self, node: ast.Call, function: ast.Attribute) -> ast.expr:
        r = self.r
        if is_ours(function.value):
            return self._call(node)
        origin = r.imported(function)
        if origin is not None and calls.is_quiet(origin, function.attr) and calls.is_of_module(r, function):
            return self._call(node, announced=False)
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        steady = all(r.steady(each) for each in given) and all(keyword.arg for keyword in node.keywords)
        usual = function.attr in GOING_THROUGH or function.attr in SLOTS
        if not steady or usual or origin is not None or calls.is_builtin(r, function.value):
            return self._call(node)
        name = r.mangled(function.attr)
        parts = [r.visit(function.value), constant(name, function), r.site(node, "call", name)]
        hook = r.hook("ev_m", [*parts, *(copied(each) for each in node.args)], node)
        hook.keywords = [at(ast.keyword(each.arg, copied(each.value)), node) for each in node.keywords]
        return hook

    def taken(self, node: ast.expr, name: str, made: ast.expr) -> ast.expr:
        """A function or method that is used as a value, if calls of it may be events."""
        if id(node) in self.callees or not (self.is_called(name) or name in self.aliases):
            return made
        return self.r.hook("ev_taken", [made, self.r.site(node, "call", name)], node)

    # -- attributes and items -----------------------------------------------------------------------------------------

    def attribute(self, node: ast.Attribute) -> ast.expr | None:
        """A read of an attribute that may be an event, or of a method that may be called unseen."""
        if is_ours(node.value):
            return None
        made: ast.expr | None = None
        if is_among(self.names.gets, node.attr):
            name = self.r.mangled(node.attr)
            value: ast.expr = self.r.visit(node.value)
            made = self.r.hook("ev_get", [value, constant(name, node), self.r.site(node, "read", name)], node)
        elif id(node) in self.callees or not self.is_called(node.attr):
            return None
        else:
            made = items.attribute(self.r, node)
        return self.taken(node, node.attr, made)

    def subscript(self, node: ast.Subscript) -> ast.expr | None:
        """A read of an item that may be an event."""
        if not is_among(self.names.calls, "__getitem__"):
            return None
        value: ast.expr = self.r.visit(node.value)
        key = items.key_of(self.r, node.slice)
        return self.r.hook("ev_item", [value, key, self.r.site(node, "read item", text_of(node.slice))], node)

    def target(self, node: ast.expr, deletes: bool = False) -> ast.expr | None:
        """The target of a store or a deletion that may be an event."""
        if isinstance(node, ast.Attribute):
            if is_ours(node.value) or not is_among(self.names.deletes if deletes else self.names.sets, node.attr):
                return None
            self.r.stores(node)
            name = self.r.mangled(node.attr)
            site = self.r.site(node, "store", name)
        elif isinstance(node, ast.Subscript):
            if not is_among(self.names.calls, "__delitem__" if deletes else "__setitem__"):
                return None
            site = self.r.site(node, "delete item" if deletes else "write item", text_of(node.slice))
            node.slice = items.key_of(self.r, node.slice)
        else:
            return None
        node.value = self.r.hook("ev_to", [self.r.visit(node.value), site], node.value)
        return node

    def augmented(self, node: ast.AugAssign) -> ast.stmt | None:
        """An augmented assignment of which some part may be an event."""
        target, operation = node.target, _COMBINED[type(node.op)]
        in_place = self.names.calls_any((f"__i{operation.rstrip('_')}__", f"__{operation.rstrip('_')}__"))
        if isinstance(target, ast.Name):
            return self._augmented_name(node, target, operation) if in_place else None
        load: ast.expr
        if isinstance(target, ast.Attribute):
            if not (is_among(self.names.gets, target.attr) or is_among(self.names.sets, target.attr) or in_place):
                return None
            self.r.stores(target)
            name = self.r.mangled(target.attr)
            number = self.r.number(target, "store", name)
            given = [self.r.visit(target.value), constant(name, target), constant(number, target)]
            load = self.r.hook("ev_ga", given, target)
            again = self.r.hook("ev_in_to", [constant(number, target)], target)
            store: ast.expr = at(ast.Attribute(again, target.attr, ast.Store()), target)
        else:
            if not (self.names.calls_any(("__getitem__", "__setitem__")) or in_place):
                return None
            number = self.r.number(target, "change item", text_of(target.slice))
            given = [self.r.visit(target.value), items.key_of(self.r, target.slice), constant(number, target)]
            load = self.r.hook("ev_gi", given, target)
            again = self.r.hook("ev_in_to", [constant(number, target)], target)
            key = self.r.hook("ev_key", [constant(number, target)], target)
            store = at(ast.Subscript(again, key, ast.Store()), target)
        if not in_place:
            return at(ast.Assign([store], assignments.in_place(self.r, node, load, type(node.op).__name__)), node)
        right: ast.expr = self.r.visit(node.value)
        parts = [load, right, constant(f"i{operation.rstrip('_')}", node), self.r.site(node, "change")]
        return at(ast.Assign([store], self.r.hook("ev_iop", parts, node)), node)

    def _augmented_name(self, node: ast.AugAssign, target: ast.Name, operation: str) -> ast.stmt:
        load: ast.expr = self.r.visit(at(ast.Name(target.id, ast.Load()), target))
        right: ast.expr = self.r.visit(node.value)
        parts = [load, right, constant(f"i{operation.rstrip('_')}", node), self.r.site(node, "change")]
        value = self.r.hook("ev_iop", parts, node)
        return at(ast.Assign([target], stored(self.r, target.id, value, target)), node)

    # -- operators ----------------------------------------------------------------------------------------------------

    def compare(self, node: ast.Compare) -> ast.expr | None:
        """A comparison that may be an event; in a chain it is counted."""
        if not any(self._is_compared(each) for each in node.ops):
            return None
        if len(node.ops) > 1:
            return self._counted(node)
        left: ast.expr = self.r.visit(node.left)
        right: ast.expr = self.r.visit(node.comparators[0])
        operator = node.ops[0]
        if isinstance(operator, (ast.In, ast.NotIn)):
            site = self.r.site(node, "search", text_of(node.left))
            found = self.r.hook("ev_in", [left, right, site], node)
            return at(ast.UnaryOp(ast.Not(), found), node) if isinstance(operator, ast.NotIn) else found
        parts = [left, right, constant(_COMPARED[type(operator)], node), self.r.site(node, "compare")]
        return self.r.hook("ev_op", parts, node)

    def _is_compared(self, operator: ast.cmpop) -> bool:
        if isinstance(operator, (ast.In, ast.NotIn)):
            return is_among(self.names.calls, "__contains__")
        name = _COMPARED.get(type(operator))
        return name is not None and is_among(self.names.calls, f"__{name}__")

    def bin_op(self, node: ast.BinOp) -> ast.expr | None:
        """An operator that may be an event."""
        name = _COMBINED[type(node.op)]
        if not is_among(self.names.calls, f"__{name.rstrip('_')}__"):
            return None
        left: ast.expr = self.r.visit(node.left)
        right: ast.expr = self.r.visit(node.right)
        return self.r.hook("ev_op", [left, right, constant(name, node), self.r.site(node, "combine")], node)

    def tested(self, node: ast.expr) -> ast.expr | None:
        """An expression that is tested for truth, if that may be an event."""
        if not self.tests or isinstance(node, (ast.BoolOp, ast.Compare, ast.Constant)):
            return None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return None
        value: ast.expr = self.r.visit(node)
        return self.r.hook("ev_b", [value, self.r.site(node, TRUTH_TEST)], node)

    # -- iteration, managers ------------------------------------------------------------------------------------------

    def iterated(self, value: ast.expr, original: ast.expr) -> ast.expr | None:
        """The iterable of a loop, if its steps may be events."""
        if not self.iterates:
            return None
        return self.r.hook("ev_it", [value, self.r.site(original, "iterate")], original)

    def delegated(self, value: ast.expr, original: ast.expr) -> ast.expr:
        """The operand of ``yield from``, whose steps may be events."""
        if not self.iterates:
            return value
        return self.r.hook("ev_yf", [value, self.r.site(original, "iterate")], original)

    def gone_through(self, value: ast.expr, original: ast.expr) -> ast.expr | None:
        """A value whose elements are unpacked, if that may be an event."""
        if not self.iterates:
            return None
        return self.r.hook("ev_all", [value, self.r.site(original, "unpack")], original)

    def managed(self, value: ast.expr, original: ast.expr) -> ast.expr:
        """A context manager, which is entered and left; a lock is acquired and released by that."""
        if not self.names.calls_any(("__enter__", "__exit__", "acquire", "release")):
            return value
        return self.r.hook("ev_with", [value, self.r.site(original, "call", text_of(original))], original)

    # -- functions ----------------------------------------------------------------------------------------------------

    def enclosed(self, node: ast.FunctionDef | ast.AsyncFunctionDef, body: list[ast.stmt]) -> list[ast.stmt]:
        """A function's body, with hooks where it is entered and left, if its calls may be events."""
        if not self._is_named(node.name):
            return body
        args, like = node.args, body[0]
        positional = [*args.posonlyargs, *args.args]
        given: list[ast.expr] = [at(ast.Name(each.arg, ast.Load()), like) for each in positional]
        if args.vararg is not None:
            given.append(at(ast.Starred(at(ast.Name(args.vararg.arg, ast.Load()), like), ast.Load()), like))
        keys: list[ast.expr | None] = [constant(each.arg, like) for each in (*args.args, *args.kwonlyargs)]
        values: list[ast.expr] = [at(ast.Name(each.arg, ast.Load()), like) for each in (*args.args, *args.kwonlyargs)]
        if args.kwarg is not None:
            keys.append(None)
            values.append(at(ast.Name(args.kwarg.arg, ast.Load()), like))
        parts: list[ast.expr] = [
            self.r.site(node, "call", node.name),
            constant(node.name, like),
            at(ast.Tuple(given, ast.Load()), like),
            at(ast.Dict(keys, values), like),
            constant(len(args.defaults), like),
        ]
        entered = self.r.hook("ev_fn", parts, like)
        if not is_among(self.names.exits, node.name) and node.name not in self.aliases:
            return [at(ast.Expr(entered), like), *body]
        return [at(ast.With([ast.withitem(entered, None)], body), like)]

    def is_left(self, name: str) -> bool:
        """Whether the end of a function may be an event."""
        return is_among(self.names.exits, name) or name in self.aliases

    def name(self, node: ast.Name) -> ast.expr | None:
        """A name that stands for a function which may be called unseen."""
        if (
            not isinstance(node.ctx, ast.Load)
            or not self._is_named(node.id)
            or id(node) in self.callees
            or is_ours(node)
        ):
            return None
        if self.r.resolve(node.id)[0] is VariableKind.LOCAL and node.id not in self.aliases:
            return None
        rule = self.rules[ast.Name]
        return self.taken(node, node.id, rule(self.r, node))


def _is_generated(node: ast.Call) -> bool:
    return any(isinstance(each, ast.GeneratorExp) for each in node.args)


def _or(ordinary: Rule, kind: type[ast.AST]) -> Rule:
    """The rule for woven names, and the ordinary one where it has nothing to say."""
    method = _METHODS[kind]

    def rule(r: Rewriter, node: ast.AST) -> object:
        made = getattr(r.weaver, method)(node)
        return ordinary(r, node) if made is None else made

    return rule


_METHODS: Final[dict[type[ast.AST], str]] = {
    ast.Call: "call",
    ast.Attribute: "attribute",
    ast.Subscript: "subscript",
    ast.Compare: "compare",
    ast.BinOp: "bin_op",
    ast.AugAssign: "augmented",
    ast.Name: "name",
}


def woven(rules: Rules) -> Rules:
    """The rules of the rewriter, with those for woven names before them."""
    return {**rules, **{kind: _or(rules[kind], kind) for kind in _METHODS}}


__all__ = ["Weaver", "woven"]
