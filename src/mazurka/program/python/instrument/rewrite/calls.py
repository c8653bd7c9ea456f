"""Calls: of builtins, of methods that containers have, of any other callee.

Calls of functions and classes of the module itself, and of modules known to be harmless, get no hook. The kind of a
method is determined when it is called; where its operands can't be written twice, by a stand-in for the object.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Final

from mazurka.program.python.analysis.scopes import VariableKind, Way
from mazurka.program.python.instrument.rewrite import wait_loops
from mazurka.program.python.instrument.rewrite.nodes import at, constant, copied, is_ours, text_of
from mazurka.program.python.instrument.rewrite.operators import is_asked, note_copy, used
from mazurka.program.python.instrument.rewrite.rewriter import Rewriter, Rule
from mazurka.program.python.semantics.containers import GOING_THROUGH, METHODS, SLOTS

#: Builtins that iterate over their one argument.
_CONSUMERS: Final = frozenset(
    "list tuple set frozenset dict sorted sum min max any all str repr bytes bytearray ascii".split()
)
#: Those of them that look at the values of a dictionary, too.
_WHOLE: Final = frozenset("dict str repr ascii bytes bytearray".split())
_EVALUATING: Final = ("exec", "eval")
#: Builtins that read one property of their argument -> the hook for it.
_ASKING: Final = {"len": "len", "reversed": "len", "iter": "be", "bool": "b", "next": "n"}

#: Imported modules whose functions change nothing, or report to the runtime themselves. For objects that stand in for
#: such functions see :mod:`mazurka.program.python.semantics.unwatched_functions`.
QUIET: Final = frozenset(
    "cmath errno keyword math stat threading time unicodedata _thread queue concurrent pytest".split()
)

#: ... except these functions, which iterate over their arguments.
_GOING: Final = frozenset("fsum prod sumprod dist hypot perm".split())


def call(r: Rewriter, node: ast.Call) -> ast.expr:
    """A hook around a call, by the kind of callee: a builtin, a method, or any other."""
    function = node.func
    wait_loops.note_call(r, node)
    if isinstance(function, ast.Name) and is_builtin(r, function):
        return builtin_call(r, node, function.id)
    if isinstance(function, ast.Attribute) and not is_ours(function.value):
        origin = r.imported(function)
        if origin is not None and is_quiet(origin, function.attr) and is_of_module(r, function):
            return plain_call(r, node)
        if origin is None and not is_builtin(r, function.value):
            return method_call(r, node, function)
        return looked_at(r, node)
    if isinstance(function, ast.Name):
        origin = r.imported(function)
        if not is_quiet(origin, function.id) if origin is not None else not is_defined(r, function):
            return looked_at(r, node)
    elif not isinstance(function, (ast.Attribute, ast.Lambda)):
        return looked_at(r, node)
    return ordinary_call(r, node)


def is_builtin(r: Rewriter, node: ast.expr) -> bool:
    """Whether a name is that of a builtin, most likely a type."""
    return isinstance(node, ast.Name) and r.resolve(node.id)[0] is VariableKind.BUILTIN


def is_quiet(origin: str, name: str) -> bool:
    """Whether a function of an imported module needs no watching."""
    return origin.partition(".")[0] in QUIET and name not in _GOING


def is_of_module(r: Rewriter, function: ast.Attribute) -> bool:
    """Whether a dotted name means an attribute of a module, not of an object in it."""
    start = function.value
    if isinstance(start, ast.Name):
        name = r.mangled(start.id)
        owner = r.always(name, Way.IMPORT)
        return owner is not None and (name not in owner.members or text_of(start) == "futures")
    return text_of(start) in ("concurrent.futures", "concurrent.futures.thread")


def is_defined(r: Rewriter, function: ast.Name) -> bool:
    """Whether a name always means a function or class of this module, or is one of pytest."""
    name = r.mangled(function.id)
    owner = r.always(name, Way.DEFINITION)
    return (owner is not None and name not in owner.derived) or function.id.startswith("@")


def ordinary_call(r: Rewriter, node: ast.Call) -> ast.Call:
    """Only function and arguments are rewritten: the function's own code reports its accesses."""
    node.func = r.visit(node.func)
    arguments(r, node)
    return node


def plain_call(r: Rewriter, node: ast.Call) -> ast.Call:
    """A call of a function of a module that needs no watching: not even the attribute gets a hook."""
    arguments(r, node)
    return node


def arguments(r: Rewriter, node: ast.Call) -> None:
    """Rewrite arguments in place; ``**mapping`` is announced, since the call reads it."""
    node.args = [r.visit(each) for each in node.args]
    for keyword in node.keywords:
        value = r.visit(keyword.value)
        keyword.value = used(r, value, keyword.value, "unpack") if keyword.arg is None else value


def builtin_call(r: Rewriter, node: ast.Call, name: str) -> ast.expr:
    """A builtin by name: its reads are announced, unless the arguments are known to be harmless."""
    if name in _EVALUATING:
        return looked_at(r, node, passed_on=True)
    single = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
    if single and name == "len":
        note_copy(r, node.args[0])
    if single and not any(not r.steady(keyword.value) for keyword in node.keywords) and not has_key(node):
        hook = _ASKING.get(name, "")
        if name in _CONSUMERS:
            hook = "u" if name in _WHOLE else "us"
        if hook and not isinstance(node.args[0], (ast.Constant, ast.JoinedStr, ast.GeneratorExp)):
            argument = node.args[0]
            by_key = " by key" if any(keyword.arg == "key" for keyword in node.keywords) else ""

            def with_hook() -> ast.expr:
                return r.hook(hook, [r.visit(argument), r.site(node, "call", name + by_key)], argument)

            node.args = [r.doubled(argument, with_hook)]
            node.keywords = [ast.keyword(each.arg, r.visit(each.value)) for each in node.keywords]
            return node
    if name == "next" and len(node.args) == 2 and r.steady(node.args[1]):
        args = [r.visit(node.args[0]), r.site(node, "call", name)]
        node.args[0] = r.hook("n", args, node.args[0])
        return node
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    plain = all(r.plain(each) or isinstance(each, ast.GeneratorExp) for each in given) or (
        name in _MAKERS
        and not any(isinstance(each, ast.Starred) for each in given)
        and (name != "type" or len(node.args) == 1)
    )
    if name in _LAZY and plain:
        return begun(r, node, _LAZY[name])
    if name in _UNWATCHED or (plain and name not in ("print", "dir")):
        node.func = r.visit(node.func)  # `id` is another function in a run
        if single and isinstance(node.args[0], ast.GeneratorExp) and not has_key(node):
            generated(r, node.args[0], name)
        else:
            arguments(r, node)
        return node
    return looked_at(r, node)


#: Builtins that return iterators -> how many arguments come before the iterables.
_LAZY: Final = {"enumerate": 0, "zip": 0, "map": 1, "filter": 1}


def begun(r: Rewriter, node: ast.Call, first: int) -> ast.Call:
    """An iterator is made, which reads its iterable."""
    arguments_before, node.args = node.args, []
    for index, argument in enumerate(arguments_before):
        if index < first or isinstance(argument, (ast.Starred, ast.Constant, ast.Lambda, ast.GeneratorExp)):
            node.args.append(r.visit(argument))
        else:
            node.args.append(r.doubled(argument, partial(beginning, r, argument)))
    node.keywords = [ast.keyword(each.arg, r.visit(each.value)) for each in node.keywords]
    return node


def beginning(r: Rewriter, argument: ast.expr) -> ast.expr:
    """An argument that the call begins to iterate."""
    return r.hook("bl", [r.visit(argument), r.site(argument, "iterate")], argument)


def generated(r: Rewriter, node: ast.GeneratorExp, consumer: str) -> None:
    """A generator expression that reports a builtin's reads of its elements."""
    element = node.elt
    hook = ""
    if consumer in ("any", "all") and is_asked(r, element):
        hook = "b"
    elif consumer == "dict" and r.is_shared(element):
        hook = "us"
    elif consumer in ("max", "min", "sorted") and r.is_shared(element, inside=True):
        hook = "uk"
    r.visit(node)
    if hook:
        given: ast.Call = node.elt  # type: ignore[assignment]  # the call of the hook that reports the yield
        given.args[0] = r.hook(hook, [given.args[0], r.site(element, "call", consumer)], element)


#: Builtins that make an object of their arguments without reading these.
_MAKERS: Final = frozenset("type zip enumerate map filter slice".split())
#: Builtins that look at nothing that threads share, or at the calling frame.
_UNWATCHED: Final = frozenset(
    "super locals globals id callable input breakpoint help isinstance issubclass property staticmethod classmethod "
    "object range chr ord __build_class__".split()
)


def has_key(node: ast.Call) -> bool:
    """Whether a call has a key function, which is called for each element."""
    return any(
        keyword.arg == "key" and not isinstance(keyword.value, (ast.Lambda, ast.Constant)) for keyword in node.keywords
    )


def method_call(r: Rewriter, node: ast.Call, function: ast.Attribute) -> ast.expr:
    """A call of a method of an object that is no module."""
    if function.attr in GOING_THROUGH:
        return looked_at(r, node, passed_on=True)
    if function.attr in SLOTS:
        return looked_at(r, node)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    name = r.mangled(function.attr)
    if all(r.steady(each) for each in given) and all(keyword.arg for keyword in node.keywords):
        owner = function.value
        is_own = r.is_own(owner) and (name == "get" or not r.loops)

        def with_hook() -> ast.expr:
            args = [r.visit(owner), constant(name, function), r.site(node, "call", name)]
            hook = r.hook("mo" if is_own else "m", [*args, *(copied(each) for each in node.args)], owner)
            hook.keywords = [at(ast.keyword(each.arg, copied(each.value)), node) for each in node.keywords]
            return hook

        # A real lock that is locked before there are threads must be known to be, and its model be released at the end.
        function.value = with_hook() if name in ("acquire", "release") else r.doubled(owner, with_hook)
        return node
    if function.attr in METHODS:
        return looked_at(r, node)
    args = [r.visit(function.value), constant(name, function), r.site(node, "call", name)]
    function.value = r.hook("mc", args, function.value)
    arguments(r, node)
    return node


def looked_at(r: Rewriter, node: ast.Call, passed_on: bool = False) -> ast.expr:
    """A call of any function: it is classified when it is called."""
    name = text_of(node.func)
    steady = not passed_on and all(
        r.steady(each) for each in (*node.args, *(keyword.value for keyword in node.keywords))
    )
    function = r.visit(node.func)
    if steady and all(keyword.arg for keyword in node.keywords):
        hook = r.hook("c", [function, r.site(node, "call", name), *map(copied, node.args)], node.func)
        hook.keywords = [at(ast.keyword(each.arg, copied(each.value)), node) for each in node.keywords]
        node.func = hook
        return node
    site = r.site(node, "call", name)
    arguments(r, node)
    hook = r.hook("cp", [function, site, *node.args], node)
    hook.keywords = node.keywords
    return r.through("call", hook, node)


RULES: Final[dict[type[ast.AST], Rule]] = {
    ast.Call: call,
}
