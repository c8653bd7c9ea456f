"""The table of the hooks that instrumented code calls, each just before the operation it announces.

A hook gets the operands, reports to the runtime, and returns them; the operation itself happens in the program's
own frame. Outside a run, and while there is one thread only, hooks return at once. They live in `builtins` under
names that the language reserves (``__mz_ra__``), so that module namespaces stay as they are. The hooks
themselves are in :mod:`variables`, :mod:`uses`, :mod:`control`, :mod:`iteration` and :mod:`reentrant`.

Hooks that must hand two operands on do so in one of two ways: as a tuple that is splatted into a function of `operator`
(which adds no frame), or, in a target, by keeping the key for the next call (``__mz_pop__``). An augmented assignment
to an attribute or item keeps its operands under the frame and the site.

Cost: 0.05 microseconds outside of runs; about one microsecond for an attribute in a run, most of it the runtime's.
"""

from __future__ import annotations

import builtins
import copy
import gc
import operator
from typing import Any, Final

from mazurka.program.python.instrument import rest
from mazurka.program.python.instrument.rewrite.descriptors import GIVEN
from mazurka.program.python.primitives.local import local, real_local
from mazurka.program.python.semantics import (
    class_shapes,
    classification,
    container_adapters,
    control,
    ends_of_objects,
    given_methods,
    handed_objects,
    natives,
    objects,
    own_containers,
    per_run,
    reentrant,
    result_caches,
    shape_cache,
    uses,
    variables,
    weak_registries,
    without_gil,
)
from mazurka.program.python.semantics.iteration import iterate, iterate_unpacking, returned, step
from mazurka.program.python.semantics.shapes import forget_shapes
from mazurka.program.runtime.runtime import Runtime

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
    "__mz_ra__": variables.read_attribute,
    "__mz_wa__": variables.write_attribute,
    "__mz_da__": variables.delete_attribute,
    "__mz_ga__": variables.augment_attribute,
    "__mz_gw__": variables.augmented_attribute,
    "__mz_ri__": variables.read_item,
    "__mz_wi__": variables.write_item,
    "__mz_rio__": own_containers.read_item,
    "__mz_wio__": own_containers.write_item,
    "__mz_dio__": own_containers.delete_item,
    "__mz_wko__": own_containers.write_item_keep,
    "__mz_ino__": own_containers.contains,
    "__mz_mo__": own_containers.method,
    "__mz_sv__": variables.slice_value,
    "__mz_ad__": variables.assigned_dictionary,
    "__mz_rx__": uses.raised,
    "__mz_di__": variables.delete_item,
    "__mz_rp__": variables.read_item_pair,
    "__mz_dp__": variables.delete_item_pair,
    "__mz_wk__": variables.write_item_keep,
    "__mz_pop__": variables.pop,
    "__mz_id__": objects.identity,
    "__mz_gi__": variables.augment_item,
    "__mz_gj__": variables.augmented_item,
    "__mz_rg__": variables.read_global,
    "__mz_wg__": variables.write_global,
    "__mz_rn__": variables.read_in_class,
    "__mz_cb__": variables.class_begins,
    "__mz_cm__": class_shapes.class_made,
    "__mz_fz__": ends_of_objects.finaliser,
    "__mz_fi__": variables.read_of_module,
    "__mz_rz__": variables.read_lazily,
    "__mz_xg__": variables.delete_global,
    "__mz_gd__": variables.global_space,
    "__mz_bg__": variables.wrote_global,
    "__mz_rc__": variables.read_cell,
    "__mz_wc__": variables.write_cell,
    "__mz_xc__": variables.delete_cell,
    "__mz_sc__": variables.store_cell,
    "__mz_bc__": variables.wrote_cell,
    "__mz_pc__": variables.took_cell,
    "__mz_m__": uses.method,
    "__mz_mc__": uses.method_of,
    "__mz_c__": uses.call,
    "__mz_cp__": uses.call_parts,
    "__mz_u__": uses.use,
    "__mz_us__": uses.consume,
    "__mz_u1__": uses.operand,
    "__mz_uk__": uses.operand_kept,
    "__mz_len__": uses.measure,
    "__mz_be__": uses.begin,
    "__mz_bl__": uses.begin_later,
    "__mz_w__": uses.enter,
    "__mz_wx__": uses.leave,
    "__mz_y__": uses.yielding,
    "__mz_yf__": uses.yield_from,
    "__mz_aw__": uses.awaits,
    "__mz_d__": uses.decorator,
    "__mz_db__": variables.defines_global,
    "__mz_dc__": variables.defines_cell,
    "__mz_yi__": uses.yielded,
    "__mz_b__": control.branch,
    "__mz_br__": control.branching,
    "__mz_fn__": control.called,
    "__mz_ret__": control.returned,
    "__mz_in__": uses.contains,
    "__mz_inp__": uses.contains_pair,
    "__mz_o__": uses.combine,
    "__mz_op__": uses.combine_pair,
    "__mz_a__": uses.augment,
    "__mz_ap__": uses.augment_pair,
    "__mz_it__": iterate,
    "__mz_iu__": iterate_unpacking,
    "__mz_ir__": returned,
    "__mz_n__": step,
    "__mz_l__": control.loop,
    "__mz_x__": control.leave,
    "__mz_en__": reentrant.entered,
    "__mz_ex__": reentrant.left,
    "__mz_el__": reentrant.left_with,
    "__mz_rv__": reentrant.gives,
    GIVEN: given_methods.given,
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
            "Mult": operator.mul,
            "Div": operator.truediv,
            "FloorDiv": operator.floordiv,
            "Mod": operator.mod,
            "Pow": operator.pow,
            "LShift": operator.lshift,
            "RShift": operator.rshift,
            "BitOr": operator.or_,
            "BitXor": operator.xor,
            "BitAnd": operator.and_,
            "MatMult": operator.matmul,
        }.items()
    },
}


def install() -> None:
    """Put the hooks where instrumented code looks for them."""
    vars(builtins).update(HOOKS)
    vars(copy)["id"] = objects.identity  # `copy` looks for objects that `__deepcopy__` methods have put into its memo
    container_adapters.install()
    result_caches.install()
    classification.private.update((local, real_local))


def uninstall() -> None:
    """Forget the knowledge about the program.

    The hooks stay where they are, inactive: functions that were instrumented may still be called, for instance by
    finalisers.
    """
    vars(copy).pop("id", None)
    result_caches.uninstall()
    objects.forget_asked()
    _forget()
    forget_shapes()
    rest.forget()


def restart(_run: Runtime | None = None) -> None:
    """A run begins: nothing is known of objects."""
    if objects.before_collection in gc.callbacks:
        _forget()  # the last one was not finished
    gc.callbacks.append(objects.before_collection)
    objects.begin()
    result_caches.restart()


def finish(run: Runtime) -> None:
    """A run has ended, which `activation.active` still is: settle it, and release its objects."""
    settle(run)
    release()


def settle(run: Runtime) -> None:
    """A run has ended, which `activation.active` still is: look up the values that are still open, and count the
    operations that the whole run shows to be untracked."""
    if run.detail:
        run.settle()
    if len(run.tasks) > 1:  # otherwise no other thread could have noticed anything
        variables.count_at_end(run)
        handed_objects.count_at_end(run)
        weak_registries.look_at_end(run)
        ends_of_objects.count_at_end(run)
        without_gil.count_at_end(run)


def release() -> None:
    """A run has ended, and is settled: release its objects."""
    natives.finish()
    _forget()


def _forget() -> None:
    if objects.before_collection in gc.callbacks:
        gc.callbacks.remove(objects.before_collection)
    objects.restart()
    reentrant.restart()
    per_run.clear()
    shape_cache.settle()


__all__ = ["HOOKS", "finish", "install", "release", "restart", "settle", "uninstall"]
