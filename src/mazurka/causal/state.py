"""The kernel's data: one model's arrays, as lists for the interpreter or as NumPy arrays for compiled code.

Below :data:`COMPILE_FROM` events the kernel is interpreted, until very many questions have been asked about one model:
numba takes some ten seconds to compile the kernel, and two to load it from its cache on disk. If another process is
compiling it already, only models of at least :data:`LARGE` events wait for that.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mazurka.causal import kernel, queries
from mazurka.jit.compile import is_available, pays

if TYPE_CHECKING:
    from mazurka.causal.model import Model

#: Models of at least this many events are worked on by compiled code.
COMPILE_FROM: Final = 10_000
LARGE: Final = 50_000

#: Smaller models are, too, once their number of questions times events exceeds this, if another process compiles
#: anyway.
_MUCH: Final = 200_000
_SMALL: Final = 2_000

_PROMISES: Final[list[Callable[[], bool]]] = []

Ints = Any  # list[int], or an int32 array


class ClosureState(NamedTuple):
    """See :mod:`mazurka.causal.kernel`. First the model's arrays, then the question's, then the state of the search."""

    starts: Ints  # by thread: its first event; one more at the end
    thread: Ints  # by event
    rank: Ints  # by event: its place in the observed order
    guard: Ints  # by event: the number of its thread's events that must have read as observed for it to happen
    need_at: Ints  # by event: where in ``need`` the events that must happen before it begin
    need: Ints
    read_at: Ints  # by event: its first read
    read_event: Ints  # by read
    read_target: Ints
    read_sync: Ints  # by read: whether it counts as soon as it happens, and its source's value does not matter
    read_source: Ints  # the event it read from in the run
    choice: Ints  # by read: the group of writes it may take its value from
    group_at: Ints
    group: Ints
    write_at: Ints  # by event: where in ``write`` its targets begin
    write: Ints
    col_at: Ints  # by target: its columns; one column lists the writes of one thread
    col_thread: Ints
    col_from: Ints
    col_to: Ints
    col: Ints
    pair_at: Ints  # by event: where the pairs of events that must be in order if both happen begin
    pair_first: Ints
    pair_second: Ints
    enter_at: Ints  # by event: where in ``enter`` the sections that it enters begin
    enter: Ints
    leave_at: Ints
    leave: Ints
    section_from: Ints  # by section
    section_to: Ints
    section_lock: Ints
    lock_at: Ints  # by lock: its columns of entering events, as for targets
    lock_thread: Ints
    lock_from: Ints
    lock_to: Ints
    taking: Ints
    taken: Ints  # the sections entered there

    cap: Ints  # by thread: the largest number of its events that may happen
    keep_cap: Ints
    fixed: Ints  # by read: the source asked for, or LOOSE

    pred: Ints  # by event and thread
    past: Ints  # by thread
    kept: Ints
    want_past: Ints
    want_kept: Ints
    level_of: Ints  # by event: the level at which it was found to happen
    born: Ints  # by event: the length of the trail when it was found to happen
    source: Ints  # by read
    read_level: Ints
    reader_head: Ints  # by event that writes, then by target for the initial value
    reader_next: Ints
    opens: Ints
    refused_read: Ints  # sources that were found not to be possible
    refused_source: Ints
    out_head: Ints  # by event: its outgoing edges
    out_next: Ints
    edge_from: Ints
    edge_to: Ints
    edge_kind: Ints
    edge_x: Ints
    edge_y: Ints
    queue: Ints
    queued: Ints
    link_from: Ints
    link_to: Ints
    link_kind: Ints
    link_x: Ints
    link_y: Ints
    trail_array: Ints
    trail_where: Ints
    trail_old: Ints
    reach: Ints  # by thread
    reach_step: Ints
    step_edge: Ints
    step_after: Ints
    found: Ints
    at: Ints  # by thread
    holds: Ints  # by target
    awaited: Ints
    owner: Ints  # by lock
    order: Ints
    reg: Ints


def state_of(model: Model, room: int, flat: bool) -> ClosureState:
    """A state in which no event takes place yet. ``room`` scales the capacities; ``flat``: for compiled code."""
    events, reads, threads, targets = len(model.rank), len(model.read_event), len(model.starts) - 1, model.targets
    edges = room * (events + 32)
    trail = 2 * room * (events * 2 + reads + 64)
    sizes: dict[str, tuple[int, int]] = dict.fromkeys(("out_next", "step_edge", "step_after", "found"), (edges, -1))
    sizes |= dict.fromkeys(("edge_from", "edge_to", "edge_kind", "edge_x", "edge_y"), (edges, 0))
    sizes |= dict.fromkeys(("link_from", "link_to", "link_kind", "link_x", "link_y"), (edges, 0))
    sizes |= dict.fromkeys(("trail_array", "trail_where", "trail_old"), (trail, 0))
    sizes |= dict.fromkeys(("past", "kept", "want_past", "want_kept", "reach", "reach_step", "at"), (threads, 0))
    sizes |= dict.fromkeys(("level_of", "born", "queue", "queued", "order"), (events, 0))
    sizes |= dict.fromkeys(("source", "fixed"), (reads, kernel.LOOSE))
    sizes |= dict.fromkeys(("read_level", "reader_next", "opens"), (reads, 0))
    sizes |= dict.fromkeys(("holds", "awaited"), (targets, 0))
    sizes |= dict.fromkeys(("refused_read", "refused_source"), (room * 8, 0))
    sizes["pred"] = (events * threads, 0)
    sizes["out_head"] = (events, -1)
    sizes["reader_head"] = (events + targets, -1)
    sizes["owner"] = (len(model.lock_at) - 1, -1)
    sizes["reg"] = (kernel.REGISTERS, 0)
    caps = [model.starts[t + 1] - model.starts[t] for t in range(threads)]
    given: dict[str, list[int]] = {"cap": caps, "keep_cap": list(caps), "choice": model.read_group}
    made: dict[str, Any] = {}
    if flat:
        import numpy as np

        for name in ClosureState._fields:
            if name in sizes:
                size, value = sizes[name]
                made[name] = np.full(size, value, dtype=np.int32) if value else np.zeros(size, dtype=np.int32)
            else:
                listed = given.get(name)
                made[name] = np.array(getattr(model, name) if listed is None else listed, dtype=np.int32)
    else:
        for name in ClosureState._fields:
            if name in sizes:
                size, value = sizes[name]
                made[name] = [value] * size
            else:
                column: Any = given.get(name, getattr(model, name, None))
                made[name] = column if isinstance(column, list) else column.tolist()
    return ClosureState(**made)


def is_compiled(events: int) -> bool:
    """Whether compiled code works on a model of so many events."""
    return pays(events, COMPILE_FROM) and (events >= LARGE or all(kept() for kept in _PROMISES))


def is_worth_compiling(events: int, asked: int) -> bool:
    """Whether compiled code should go on with a model of ``events`` events after ``asked`` questions."""
    much = bool(_PROMISES) and events >= _SMALL and events * asked >= _MUCH
    return much and is_available() and all(kept() for kept in _PROMISES)


def postpone(is_there: Callable[[], bool]) -> None:
    """From now on the kernel is interpreted, except for large models, until ``is_there`` reports that its compiled form
    is there."""
    _PROMISES.append(is_there)


def functions() -> dict[str, FunctionType]:
    """The kernel's functions."""
    return {
        name: value
        for module in (kernel, queries)
        for name, value in vars(module).items()
        if isinstance(value, FunctionType)
    }


#: The kernel's functions, interpreted, to be called on a state as it is.
INTERPRETED = SimpleNamespace(**functions())
