"""``ncmc``: model checking of all behaviours that clients of shared objects can distinguish (thesis ch. 4).

Definition. Two executions are equivalent if exchanging adjacent calls that commute in the state in which they are made
turns one into the other (SC-equivalence, definitions 4.3.4 and 4.3.11). Then all calls have the same results in both,
and all objects end in the same abstract states.

Algorithm. A call of a marked object (`@mazurka.linearizable` with ``state``), or an operation on a builtin container
(program/python/invocations/builtin_calls.py), is one step of a run, with arguments, result and the object's abstract
states before and after (:mod:`mazurka.trace.logged_calls`). The automata of :mod:`mazurka.explore.se_mcr` distinguish
the histories of a thread by the *results* of its calls, and hold the object's abstract state as memory, on which a call
acts as its model says (thread_models/calls.py). Accesses inside the methods, the *scoped* ones, are not considered; all
other reads are handled as by ``se-mcr``.

So equivalent orders lead to the same joint state, and an execution is made only for a result, or a value read, that is
new to a thread with its history. Algorithms 4 to 6 achieve the same by keeping graphs of executions and discarding
reads-from options that preserve the order of calls that do not commute: the decision ``commuting-orders-meet`` says why
they are not used here.

Invariants, those of ``se-mcr``: all histories of reads and results are executed, and all deadlocks; no two executions
are equivalent, since each has a history, or an ending, that no other one has. The premise is that a call of a marked
object agrees with its model and is atomic. Each executed call is checked against the model; if a call differs from it,
or an object shares state with other code, its calls are explored as ordinary code
(program/python/primitives/invocations.py).
"""

from __future__ import annotations

from mazurka.explore.se_mcr import SwitchEquivalence


class CommutingCalls(SwitchEquivalence):
    """The ``ncmc`` strategy."""

    name = "ncmc"
