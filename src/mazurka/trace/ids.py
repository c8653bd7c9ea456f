"""Types of the integers that number things, so that a row is not taken for a step, nor a thread for a site.

All are plain integers at run time. Counts (of steps, points, executions) stay ``int``.
"""

from __future__ import annotations

from typing import NewType

#: A thread: an index of :attr:`Run.tasks` and :attr:`Trace.threads`.
ThreadIndex = NewType("ThreadIndex", int)

#: A step: an index of :attr:`Run.log`; :attr:`Trace.step` has the step of each row.
StepIndex = NewType("StepIndex", int)

#: A scheduling point: an index of :meth:`Run.schedule`, and of a plan's prefix.
PointIndex = NewType("PointIndex", int)

#: A row of a trace: an index of its columns. In a trace from elsewhere it is the step, too.
Row = NewType("Row", int)

#: A place in the source of a program, as its front end numbers it (0: none); in a trace, an index of its locations.
SiteNumber = NewType("SiteNumber", int)
