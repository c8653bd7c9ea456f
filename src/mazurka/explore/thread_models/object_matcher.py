"""Follows a run before it is learnt, to recognise the objects that it touches.

Each run numbers its objects anew. A run that begins with other threads than earlier ones touches known objects in new
local states, where they would be taken for new objects. So known objects are matched first: as long as a thread takes
known steps, the objects that it accesses are known ones.
"""

from __future__ import annotations

from typing import Any, Final

from mazurka.explore.thread_models.local_state import LocalState
from mazurka.explore.thread_models.private_state import LoopHeadState
from mazurka.explore.thread_models.run_learner import RunLearner
from mazurka.explore.thread_models.values import ENDED, FIRST, HELD
from mazurka.program.protocol import Step
from mazurka.trace.event import WRITES, Op
from mazurka.trace.logged_calls import LoggedCall
from mazurka.trace.targets import Kind, Target, kind_of

#: The value written by a thread that takes a new step.
_ANYTHING: Final = -1
#: The value that an operation leaves after any history.
_LEFT: Final = {Op.ACQUIRE: HELD, Op.RELEASE: FIRST, Op.END: ENDED}


class _Lost(Exception):
    """The thread takes a step that is not known."""


class ObjectMatcher(RunLearner):
    """Maps the run's numbers of objects to ours; learns no steps."""

    def match(self) -> None:
        """Follow the run along known transitions, noting which objects correspond."""
        self.at[0] = self.behaviour.root(self.threads[0])
        for step in self.run.log:
            if step.op is Op.BEGIN:
                self.at[step.task] = self.behaviour.root(self.threads[step.task])
            moment = self.at[step.task]
            if moment is not None:
                try:
                    if step.op is Op.BRANCH:
                        self._pass(step)
                    else:
                        self._follow(step, moment)
                except _Lost:
                    self.at[step.task] = moment = None
                    self.seen = []
            if moment is None:
                self._forget(step)

    def _follow(self, step: Step, moment: LocalState) -> None:
        attempt = any(access.op is Op.REQUEST for access in step.more)
        seen, writes = self._accesses(step.task, moment, step, attempt)
        if self._is_nothing(step, seen, writes):
            return
        move = moment.moves.get(seen)
        if move is None:
            raise _Lost
        self.memory.update(move.writes)
        self._arrive(step.task, moment, move)
        if kind_of(step.target) is Kind.STORE and step.op is Op.WRITE:
            self.private[step.task].since = move.to.number

    def _idles(self, moment: LocalState) -> None:
        pass

    def _stood(self, key: Any, standing: LoopHeadState) -> LoopHeadState:
        return self.behaviour.passes.get(key, standing)

    def _forget(self, step: Step) -> None:
        """The values that a lost thread writes are unknown."""
        for op, target in ((step.op, step.target), *((access.op, access.target) for access in step.more)):
            if WRITES[op]:
                self.written.add(target)
                try:
                    location = self._location(target, True)
                    left = _ANYTHING if self.behaviour.is_opaque(location) else _LEFT.get(op, _ANYTHING)
                    self.memory[self._place(location)] = left
                except _Lost:
                    continue

    def _object(self, number: int, task: int, moment: LocalState | None) -> int:
        here = self.record.objects.get(number)
        if moment is not None:
            self._meet(number, task, moment)
            known = self.behaviour.touched.get((moment.number, self.touched[task], *self.seen))
            self.touched[task] += 1
            if here is None and known is not None:
                here = self.record.objects[number] = known
        if here is None:
            raise _Lost
        return self.behaviour.find(here)

    def _began_with(self, location: Target, number: int) -> None:
        known = self.behaviour.began_with.get(location)
        if known is not None:
            self.record.objects.setdefault(abs(number), known)

    def _touch(self, thing: int, part: Any, writes: bool) -> None:
        pass

    def _contended(self, task: int, location: Any, target: Target, writes: bool) -> bool:
        return self.behaviour.is_contended(location)

    def _opaque(self, location: Any) -> None:
        pass

    def _place(self, location: Any) -> int:
        place = self.behaviour.places.get(location)
        if place is None:
            raise _Lost
        return place

    def _begin(self, place: int, location: Any, target: Target) -> None:
        self.memory.setdefault(place, self.behaviour.initial[place])

    def _begins_with(self, place: int, state: str) -> None:
        pass

    def _calls(self, moment: LocalState, place: int, logged: LoggedCall) -> None:
        pass

    def _saw(self, place: int, location: Any, op: Op, value: Any) -> None:
        pass

    def _queued(self, task: int, place: int, op: Op, woken: int) -> int:
        raise _Lost  # queues of conditions are not followed

    def _written(self, task: int, moment: LocalState, place: int, location: Any, op: Op, value: Any) -> int | None:
        if value is not None and (op is Op.WRITE or op is Op.RMW and type(value) is tuple):
            self._key(value, task, moment)
        return None
