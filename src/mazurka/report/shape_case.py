"""A failing run as the recognisers of shapes see it, and its parts in words."""

from __future__ import annotations

import os
import re
from typing import Final

from mazurka.lazy_dataclass import dataclass
from mazurka.program.protocol import Program, Step
from mazurka.replay.anchor import caller_of, source_text, step_location
from mazurka.report.finding import BugShape
from mazurka.report.relevance import (
    Relevance,
)
from mazurka.report.trail import Interference, Trail, TrailAccess
from mazurka.report.words import (
    is_name_of,
    label_of,
    target_words,
    value_words,
)
from mazurka.trace.ids import StepIndex, ThreadIndex
from mazurka.trace.targets import Target

#: What shows in a line of source that a value read there decides what comes next.
DECIDES: Final = re.compile(r"\b(if|elif|while|assert|and|or|not|in|is|any|all|len)\b|[<>]|==|!=")

#: A shape, or None, and the sentence.
Recognised = tuple[BugShape | None, str]


@dataclass(frozen=True, slots=True)
class Case:
    """The data about a failure."""

    trail: Trail
    relevant: Relevance
    program: Program

    def label(self, task: ThreadIndex) -> str:
        """The name of a thread for people."""
        return label_of(self.trail.run, task)

    def words(self, target: Target) -> str:
        """The name of a target."""
        return target_words(self.trail.run, target)

    def step(self, touch: TrailAccess) -> Step:
        """The step of an access."""
        return self.trail.run.log[touch.index]

    def text(self, touch: TrailAccess) -> str:
        """The source line of an access."""
        return source_text(step_location(self.trail.run, self.program, touch.index))

    def place(self, touch: TrailAccess) -> str:
        """Where an access is, see :meth:`at`."""
        return self.at(touch.index)

    def at(self, index: int) -> str:
        """Where a step is, in brackets: the user's line where a library's code did it."""
        location = step_location(self.trail.run, self.program, index)
        caller = caller_of(location, self.trail.run.stacks.get(StepIndex(index), ()))
        location = caller.location if caller is not None else location
        return f" ({os.path.basename(location.file)}:{location.line})" if location is not None else ""

    def value(self, touch: TrailAccess) -> str:
        """`` = value`` of an access, unless that is the name of its target."""
        step = self.step(touch)
        value = value_words(self.trail.run, step.value) if step.value is not None else ""
        return f" = {value}" if value and not is_name_of(self.words(step.target), value) else ""

    def others(self, each: Interference) -> str:
        """The threads that change a target while a thread is stopped, with the verb: ``A changes``, ``A and B
        change``."""
        names = dict.fromkeys(self.label(touch.task) for touch in each.inside if touch.writes)
        return f"{' and '.join(names)} {'changes' if len(names) == 1 else 'change'}" if names else ""


def value_of(case: Case, step: Step) -> str:
    """`` = value`` of a step; "" without one."""
    return f" = {value_words(case.trail.run, step.value)}" if step.value is not None else ""
