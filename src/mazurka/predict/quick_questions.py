"""Puts claims about a recorded trace to SeqCheck's kernels; what is feasible comes back with its witness.

The same questions as :mod:`mazurka.predict.questions`, answered on whole traces and faster, but not always.
"""

from __future__ import annotations

from mazurka.causal.solver import Infeasible, Unknown
from mazurka.predict.questions import Verdict, question_of
from mazurka.predict.seqcheck import SeqCheck
from mazurka.predict.seqcheck_decide import NO, YES
from mazurka.predict.unread import Unread
from mazurka.trace.event import Op
from mazurka.trace.trace import Trace
from mazurka.witness.witness import Claim, Intrudes, Ordered, Witness


class QuickQuestions:
    """See the module."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._check = SeqCheck(trace, complete_up_to=0)
        self._branches = Op.BRANCH in trace.op
        self._unread: Unread | None = None

    def ask(self, claim: Claim) -> Verdict:
        """A witness of the claim, or that there is none, or that it is hard to tell."""
        answer, since, rows = self._check.quickly(question_of(claim), True)
        if answer == NO:
            return Infeasible()
        if answer != YES:
            return Unknown("more than SeqCheck can tell")
        order = tuple(rows.tolist())
        unread: frozenset[int] = frozenset()
        if self._branches or isinstance(claim, Ordered | Intrudes):
            self._unread = self._unread or Unread(self._trace)
            unread = self._unread.of(order, since)
        return Witness(order, unread, claim, since)
