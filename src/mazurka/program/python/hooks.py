"""The hooks that instrumented code calls, each just before the operation it announces.

A hook gets the operands, tells the kernel, and hands them through; the operation itself happens in the program's
own frame. Outside a run, and while there is one thread only, hooks return at once. They live in `builtins` under
names that the language keeps for itself (``__mz_ra__``), so that module namespaces stay as they are.

Hooks that must hand two operands on do so in one of two ways: a tuple that is splatted into a function of `operator`
(which adds no frame), or, in a target, the key is kept for the very next call (``__mz_pop__``). An
augmented assignment to something that is not a plain name's keeps its operands under the frame and the site.

Cost: 0.05 microseconds at rest; about one microsecond for an attribute in a run, most of it the kernel's.
"""

from __future__ import annotations

import _thread
import builtins
import contextlib
import gc
import operator
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, CellType, MethodType
from typing import Any, Final

from mazurka.program.python import amid, attributes, calls, holders, kernel, lasting, objects, spin
from mazurka.program.python.attributes import INSTANCE, NONE, classify
from mazurka.program.python.containers import GOING_THROUGH, forget_shapes, operation, read_all, shapes
from mazurka.program.python.iteration import iterate, step
from mazurka.program.python.objects import number, numbers
from mazurka.program.python.primitives.local import local, real_local
from mazurka.program.python.views import keys_only, view_of
from mazurka.trace.event import Op

_READ, _WRITE = Op.READ, Op.WRITE


class _Kept(_thread._local):
    """Per OS thread: keys on their way from a hook to the subscript that needs them next."""

    def __init__(self) -> None:
        self.keys: list[Any] = []


kept = _Kept()

#: Shared names bound by statements that only tell afterwards -> who bound them.
_told_late: Final[dict[tuple[Any, ...], int]] = {}
_LATE: Final = "variables that import, def, except or match bind while others use them"

#: Operands of augmented assignments in progress.
remembered: dict[tuple[int, int], Any] = {}


def pop() -> Any:
    """The key that the hook just before has kept."""
    return kept.keys.pop()


# -- attributes -------------------------------------------------------------------------------------------------------


def read_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be read."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    kind = type(thing)
    try:
        how = shapes[id(kind)].attributes[name]
    except KeyError:
        how = classify(kind, name)
    if how is INSTANCE and not run.detail:
        run.visit(_READ, ("a", numbers.get(id(thing)) or number(thing), name), site)
    elif how is not NONE:
        attributes.read(run, thing, name, site, how)
    return thing


def write_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name`` is about to be stored or deleted."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    kind = type(thing)
    try:
        how = shapes[id(kind)].attributes[name]
    except KeyError:
        how = classify(kind, name)
    if how is INSTANCE and not run.detail:
        run.visit(_WRITE, ("a", numbers.get(id(thing)) or number(thing), name), site)
    else:
        attributes.write(run, thing, name, site, how)
    return thing


def augment_attribute(thing: Any, name: str, site: int) -> Any:
    """``thing.name += ...``: the read; the object is needed again for the store."""
    remembered[id(sys._getframe(1)), site] = thing
    return read_attribute(thing, name, site)


def augmented_attribute(name: str, site: int) -> Any:
    """... and the store."""
    return write_attribute(remembered.pop((id(sys._getframe(1)), site)), name, site)


# -- items
# --------------------------------------------------------------------------------------------------------------


def _item_hook(name: str) -> Callable[[Any, Any, int], Any]:
    def hook(thing: Any, key: Any, site: int) -> Any:
        run = kernel.active
        if run is None or run.solo:
            return thing
        handler = operation(thing, name)
        if handler is not None:
            handler(run, thing, site, (key,))
        return thing

    return hook


read_item: Final = _item_hook("__getitem__")
write_item: Final = _item_hook("__setitem__")
delete_item: Final = _item_hook("__delitem__")


def read_item_pair(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key]`` is about to be read."""
    read_item(thing, key, site)
    return thing, key


def delete_item_pair(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key]`` is about to be deleted."""
    delete_item(thing, key, site)
    return thing, key


def write_item_keep(thing: Any, key: Any, site: int) -> Any:
    """``thing[key]`` is about to be stored; the key is fetched by `pop` next."""
    write_item(thing, key, site)
    kept.keys.append(key)
    return thing


def augment_item(thing: Any, key: Any, site: int) -> tuple[Any, Any]:
    """``thing[key] += ...``: the read; both are needed again for the store."""
    remembered[id(sys._getframe(1)), site] = (thing, key)
    return read_item_pair(thing, key, site)


def augmented_item(site: int) -> Any:
    """... and the store."""
    thing, key = remembered.pop((id(sys._getframe(1)), site))
    return write_item_keep(thing, key, site)


# -- globals and cells
# ----------------------------------------------------------------------------------------------------


def read_global(module: str | None, name: str, site: int) -> bool:
    """A global variable is about to be read."""
    run = kernel.active
    if run is None or run.solo:
        return True
    if module is None or run.detail:
        _look_at_global(run, name, site, _READ)
    else:
        run.visit(_READ, ("g", module, name), site)
    return True


def write_global(value: Any, module: str | None, name: str, site: int) -> Any:
    """A global variable is about to be set to ``value``."""
    run = kernel.active
    if run is None or run.solo:
        return value
    if module is None or run.careful:
        _look_at_global(run, name, site, _WRITE)
    else:
        run.visit(_WRITE, ("g", module, name), site)
    return value


def _look_at_global(run: Any, name: str, site: int, op: Op) -> None:
    space = sys._getframe(2).f_globals
    attributes.global_access(run, space.get("__name__", "?"), name, site, op, space)


def global_space(name: str, site: int) -> dict[str, Any]:
    """A global variable is about to be stored as an item of its module's dictionary."""
    space = sys._getframe(1).f_globals
    run = kernel.active
    if run is None or run.solo:
        return space
    module = space.get("__name__", "?")
    if run.careful:
        attributes.global_access(run, module, name, site, _WRITE, space)
    else:
        run.visit(_WRITE, ("g", module, name), site)
    return space


def wrote_global(name: str, site: int) -> None:
    """A global variable has just been bound by a statement that has no place for a hook before it."""
    run = kernel.active
    if run is not None and not run.solo:
        target = ("g", sys._getframe(1).f_globals.get("__name__", "?"), name)
        run.visit(_WRITE, target, site, None, (), False)
        _told_late[target] = run.current.index


def read_cell(function: Any, name: str, site: int) -> bool:
    """A closure variable is about to be read; ``function`` has it for its only free variable."""
    run = kernel.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _READ, None)
    return True


def write_cell(value: Any, function: Any, name: str, site: int) -> Any:
    """A closure variable is about to be set to ``value``."""
    run = kernel.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, None)
    return value


def store_cell(function: Any, name: str, site: int) -> CellType:
    """A closure variable is about to be bound as one of several targets: the cell to store into."""
    run = kernel.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, None)
    cell: CellType = function.__closure__[0]
    return cell


def wrote_cell(function: Any, name: str, site: int) -> None:
    """A closure variable has just been bound."""
    run = kernel.active
    if run is not None and not run.solo:
        _cell(run, function, name, site, _WRITE, False)
        _told_late["c", number(function.__closure__[0])] = run.current.index


def _cell(run: Any, function: Any, name: str, site: int, op: Op, point: bool | None) -> None:
    cell = function.__closure__[0]
    target = ("c", number(cell))
    value = None
    if run.detail:
        run.names[target] = name
        value = objects.peek(lambda: _content(cell), name)
    run.visit(op, target, site, value, (), point)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return objects.MISSING


# -- containers
# -----------------------------------------------------------------------------------------------------------


def method(thing: Any, name: str, site: int, *args: Any) -> Any:
    """``thing.name(*args)`` is about to be called, ``name`` being a method that containers have."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    calls.method(run, thing, name, site, args)
    return thing


def call(function: Any, site: int, /, *args: Any, **named: Any) -> Any:
    """``function(*args, **named)`` is about to be called; it may be anything."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.announce(run, function, site, args, named)
        amid.count_silent(run, site, (*args, *named.values()))
    return function


def call_parts(function: Any, site: int, /, *args: Any, **named: Any) -> tuple[Any, ...]:
    """The same, handing on function and arguments for `operator.call`."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.announce(run, function, site, args, named)
        amid.count_silent(run, site, (*args, *named.values()))
        if type(function) in (BuiltinMethodType, MethodType) and function.__name__ in GOING_THROUGH:
            args = amid.accompanied(run, function.__self__, site, args)
    if named:
        return (partial(function, *args, **named),)
    return (function, *args)


def use(thing: Any, site: int) -> Any:
    """All of ``thing`` is about to be looked at."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.use(run, thing, site)
    return thing


def consume(thing: Any, site: int) -> Any:
    """A builtin is about to go through ``thing``."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    if type(thing) in (map, filter):  # they run code of the program on the way
        return iterate(thing, site)
    calls.go_through(run, thing, site)
    return thing


def measure(thing: Any, site: int) -> Any:
    """The length of ``thing`` is about to be taken."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.measure(run, thing, site)
    return thing


def begin(thing: Any, site: int) -> Any:
    """An iterator over ``thing`` is about to be made."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.begin(run, thing, site)
    return thing


def branch(thing: Any, site: int) -> Any:
    """``thing`` is about to be tested for truth."""
    run = kernel.active
    if run is None or run.solo or thing is True or thing is False or thing is None:
        return thing
    handler = operation(thing, "__len__")
    if handler is not None:
        handler(run, thing, site, ())
    return thing


def branching(thing: Any, site: int) -> Any:
    """The same where branches are wanted as events."""
    run = kernel.active
    if run is not None and not run.solo:
        branch(thing, site)
        run.visit(Op.BRANCH, ("branch",), site, None, (), False)
    return thing


def called(name: str, site: int) -> bool:
    """A function of the program begins, where calls are wanted as events."""
    run = kernel.active
    if run is not None and not run.solo:
        run.visit(Op.CALL, ("function", name), site, None, (), False)
    return True


def returned(value: Any, name: str, site: int) -> Any:
    """A function of the program returns ``value``, where calls are wanted as events."""
    run = kernel.active
    if run is not None and not run.solo:
        run.visit(Op.RETURN, ("function", name), site, None, (), False)
    return value


def contains(thing: Any, key: Any, site: int) -> Any:
    """``key in thing`` is about to be decided."""
    run = kernel.active
    if run is None or run.solo:
        return thing
    handler = operation(thing, "__contains__")
    if handler is not None:
        handler(run, thing, site, (key,))
    else:
        shown = view_of(thing)
        if shown is not None and keys_only(thing):
            contains(shown, key, site)
        elif shown is not None:
            read_all(run, shown, site)
    return thing


def contains_pair(key: Any, thing: Any, site: int) -> tuple[Any, Any]:
    """The same, handing on both for `operator.contains`."""
    contains(thing, key, site)
    return thing, key


def combine(right: Any, left: Any, site: int) -> Any:
    """Two operands are about to be compared or combined."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.combine(run, left, right, site)
    return right


def combine_pair(left: Any, right: Any, site: int) -> tuple[Any, Any]:
    """The same, handing on both."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.combine(run, left, right, site)
    return left, right


def augment(right: Any, left: Any, name: str, site: int) -> Any:
    """``left`` is about to be combined with ``right`` in place by method ``name``."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.augment(run, left, right, name, site)
        (right,) = amid.accompanied(run, left, site, (right,))
    return right


def augment_pair(left: Any, right: Any, name: str, site: int) -> tuple[Any, Any]:
    """The same, handing on both."""
    run = kernel.active
    if run is not None and not run.solo:
        calls.augment(run, left, right, name, site)
        (right,) = amid.accompanied(run, left, site, (right,))
    return left, right


# -- loops
# ------------------------------------------------------------------------------------------------------------


def loop(site: int) -> None:
    """A pass through a ``while`` loop begins."""
    run = kernel.active
    if run is not None:
        run.passed_loop()
        if not run.solo and not run.aborting:
            spin.at_head(run, sys._getframe(1), site)


def leave(site: int) -> None:
    """A ``while`` loop has been left."""
    run = kernel.active
    if run is not None and run.current.loops:
        with contextlib.suppress(RecursionError):  # then what is known of the loop is dropped later
            spin.left(run.current, sys._getframe(1), site)


# -- putting them in place
# ------------------------------------------------------------------------------------------------

_OPERATORS: Final = {
    "Add": operator.iadd,
    "Sub": operator.isub,
    "Mult": operator.imul,
    "Div": operator.itruediv,
    "FloorDiv": operator.ifloordiv,
    "Mod": operator.imod,
    "Pow": operator.ipow,
    "LShift": operator.ilshift,
    "RShift": operator.irshift,
    "BitOr": operator.ior,
    "BitXor": operator.ixor,
    "BitAnd": operator.iand,
    "MatMult": operator.imatmul,
}

HOOKS: Final[dict[str, Any]] = {
    "__mz_ra__": read_attribute,
    "__mz_wa__": write_attribute,
    "__mz_ga__": augment_attribute,
    "__mz_gw__": augmented_attribute,
    "__mz_ri__": read_item,
    "__mz_wi__": write_item,
    "__mz_di__": delete_item,
    "__mz_rp__": read_item_pair,
    "__mz_dp__": delete_item_pair,
    "__mz_wk__": write_item_keep,
    "__mz_pop__": pop,
    "__mz_gi__": augment_item,
    "__mz_gj__": augmented_item,
    "__mz_rg__": read_global,
    "__mz_wg__": write_global,
    "__mz_gd__": global_space,
    "__mz_bg__": wrote_global,
    "__mz_rc__": read_cell,
    "__mz_wc__": write_cell,
    "__mz_sc__": store_cell,
    "__mz_bc__": wrote_cell,
    "__mz_m__": method,
    "__mz_c__": call,
    "__mz_cp__": call_parts,
    "__mz_u__": use,
    "__mz_us__": consume,
    "__mz_len__": measure,
    "__mz_be__": begin,
    "__mz_b__": branch,
    "__mz_br__": branching,
    "__mz_fn__": called,
    "__mz_ret__": returned,
    "__mz_in__": contains,
    "__mz_inp__": contains_pair,
    "__mz_o__": combine,
    "__mz_op__": combine_pair,
    "__mz_a__": augment,
    "__mz_ap__": augment_pair,
    "__mz_it__": iterate,
    "__mz_n__": step,
    "__mz_l__": loop,
    "__mz_x__": leave,
    "__mz_en__": amid.entered,
    "__mz_ex__": amid.left,
    "__mz_el__": amid.left_with,
    "__mz_call__": operator.call,
    "__mz_getitem__": operator.getitem,
    "__mz_delitem__": operator.delitem,
    "__mz_contains__": operator.contains,
    "__mz_slice__": slice,
    "__mz_eq__": operator.eq,
    "__mz_ne__": operator.ne,
    "__mz_lt__": operator.lt,
    "__mz_le__": operator.le,
    "__mz_gt__": operator.gt,
    "__mz_ge__": operator.ge,
    **{f"__mz_i{name}__": function for name, function in _OPERATORS.items()},
    **{
        f"__mz_bin{name}__": function
        for name, function in {
            "Add": operator.add,
            "Sub": operator.sub,
            "BitOr": operator.or_,
            "BitXor": operator.xor,
            "BitAnd": operator.and_,
        }.items()
    },
}


def install() -> None:
    """Put the hooks where instrumented code looks for them."""
    vars(builtins).update(HOOKS)
    holders.install()
    attributes.private.update((local, real_local))


def uninstall() -> None:
    """Forget what was learnt about the program.

    The hooks stay where they are, at rest: functions that were instrumented may still be called, by finalisers for one.
    """
    _forget()
    forget_shapes()


def restart(_run: kernel.Kernel | None = None) -> None:
    """A run begins: nothing is known of objects."""
    if objects.before_collection in gc.callbacks:
        _forget()  # the last one was not finished
    gc.callbacks.append(objects.before_collection)


def finish(run: kernel.Kernel) -> None:
    """A run has ended, and `kernel.active` is still it: settle what is still to be told, and let go of its objects."""
    if run.detail:
        run.settle()
    for target, index in _told_late.items():
        record = run.touched.get(target)
        if record is not None and record[0] != index:  # others could have gone first, but were not let
            run.untracked[_LATE] = run.untracked.get(_LATE, 0) + 1
    _forget()


def _forget() -> None:
    _told_late.clear()
    if objects.before_collection in gc.callbacks:
        gc.callbacks.remove(objects.before_collection)
    objects.restart()
    amid.restart()
    lasting.settle()
    remembered.clear()


__all__ = ["HOOKS", "finish", "install", "restart", "uninstall"]
