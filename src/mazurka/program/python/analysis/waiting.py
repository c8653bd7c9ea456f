"""The functions that may run while a ``while`` loop is in progress: their reads and writes decide the number of its
passes.

A pass of a loop that has changed nothing is not repeated until a location that it has read changes (spin.py), so there
even a read of an unused value may decide the next step of its thread. Calls are followed by name: a function may be
called wherever its name occurs. Where a callee has no name, every function may be called.

Cost: one pass over each tree.
"""

from __future__ import annotations

import ast
from dataclasses import field
from typing import Final

from mazurka.lazy_dataclass import dataclass

#: Methods of containers and primitives, and builtins, that call no code of the program through their arguments. Methods
#: with two underscores always count as called, except for ``__init__``, which is called where its class is named.
_CALL_NOTHING: Final = frozenset(
    """abs acquire add append appendleft bool clear count discard empty enumerate extend float format full get
    get_ident get_nowait insert int is_alive is_set isinstance issubclass items join keys len list locked lower
    monotonic notify notify_all pop popleft print put put_nowait qsize randint random range release remove repr
    reversed round set sleep start startswith str strip sum task_done time tuple update upper values wait zip
    Condition Event Lock Queue RLock Semaphore Thread deque dict AssertionError Exception IndexError KeyError
    RuntimeError StopIteration TypeError ValueError""".split()
)
#: The name that stands for all loops.
LOOP: Final = "<loop>"


@dataclass(slots=True)
class LoopFunctions:
    """The call graph by names: :meth:`read` each module, then ask for :meth:`functions`."""

    _said: dict[str, set[str]] = field(default_factory=dict)  # by function: the names that occur in it
    _called: dict[str, set[str]] = field(default_factory=dict)  # by function: its callees, "" for one without a name
    _defined: set[str] = field(default_factory=set)
    _bound: set[str] = field(default_factory=set)  # names that are bound otherwise than by `def`, `class` and `import`

    def read(self, tree: ast.Module) -> None:
        """Add the names that a module defines, binds and imports."""
        for node in ast.walk(tree):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                    self._defined.add(name)
                case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                    self._bound.add(name)
                case ast.alias(name=name, asname=str(other)) if other != name:
                    self._bound.add(other)
        self._walk(tree, "")

    def _walk(self, node: ast.AST, function: str, made: ast.ClassDef | None = None) -> None:
        """Note the names below a node in ``function``; if the node is directly in a class, this is ``made``.

        A function that is defined in another may be called by that one; a method only where its name occurs.
        """
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if made is None or node.name == "__init__":
                self._said.setdefault(function, set()).add(node.name)
            function = node.name
            made = node if isinstance(node, ast.ClassDef) else None
        elif isinstance(node, (ast.While, ast.AsyncFor)):
            inside: set[str] = set()
            for each in ast.walk(node):
                self._note(each, LOOP, inside)
            self._said.setdefault(LOOP, set()).update(inside)
        else:
            self._note(node, function, self._said.setdefault(function, set()))
        for child in ast.iter_child_nodes(node):
            self._walk(child, function, made)

    def _note(self, node: ast.AST, function: str, said: set[str]) -> None:
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                said.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                said.add(name)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                self._called.setdefault(function, set()).add(name)
            case ast.Call():
                self._called.setdefault(function, set()).add("")  # the callee has no name

    def functions(self) -> set[str] | None:
        """The names of the functions that may run while a loop does; None if any may."""
        if LOOP not in self._said:
            return set()
        found: set[str] = {LOOP}
        waiting = [LOOP, *(name for name in self._defined if name.startswith("__") and name != "__init__")]
        while waiting:
            function = waiting.pop()
            found.add(function)
            if not all(map(self._is_plain, self._called.get(function, ()))):
                return None
            waiting += (self._said.get(function, set()) & self._defined) - found
            found |= self._said.get(function, set()) & self._defined
        return found

    def _is_plain(self, callee: str) -> bool:
        """Whether a call by that name can only call functions of that name, or no code of the program."""
        return callee not in self._bound and (callee in self._defined or callee in _CALL_NOTHING)
