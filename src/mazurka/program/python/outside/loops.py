"""Event loops (`asyncio`): their queues of callbacks, how they wait, and how other threads wake them.

CPython's loop has a deque of callbacks that are ready. In each iteration it looks whether there are any; if not, it
waits in its selector for data, for its next timer, or for a byte that ``call_soon_threadsafe`` sends through a pair of
sockets of the loop itself; and then it calls as many callbacks as the deque then holds. Here one location, the channel
of the loop, stands for the deque and the sockets. Adding a callback is an RMW of it, which also wakes the loop if it is
done by ``call_soon_threadsafe``. The wait is another RMW, at which the loop takes the present callbacks, so that its
other looks at the deque are no shared accesses.

Why no order is lost:

- *A callback added between the loop's first look and its last one* runs at the end of the same iteration in CPython. In
  the model it may come before the wait, with the same order of callbacks, unless the loop has added others in between,
  for data or timers: then its last look is a step, too.
- *A byte sent between the wait and its receipt* makes no difference in CPython; in the model the loop may wait once
  more, or go through an iteration without effect.
- *A callback added by ``call_soon`` from another thread*, against the rules, does not wake a loop that waits. Where a
  run meets such a call, this is learnt (``LOOP_POINTS``): from then on the first look is a step.

A loop that waits for data from outside the process is uncontrolled, and so is one that waits for signals.

Timers expire in the order of their times here, as if callbacks took no time. A pause of the loop can make one expire
before another one that was to come first, or before callbacks that have yet to be added. Such orders are not explored:
the least such pause is noted (``Run.held_up``), and becomes an assumption of the verdict. In all other orders the loop
is held up for less: then each time is at most that much later, and no earlier, so that no two change places.

Source: ``Lib/asyncio/base_events.py`` and ``selector_events.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import functools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.outside.channels import Channel, ChannelWait
from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives import event_loops
from mazurka.program.python.primitives.clock import BOOT
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.runtime.task import LOOP_POINTS
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind

_WORDS: Final = "the callbacks of an event loop"

_ITERATION: Final = "_run_once"


class Ready:
    """Stands in for the deque ``_ready`` of a loop, in one run."""

    def __init__(self, models: Models, loop: Any, handles: Iterable[Any]) -> None:
        self.models = models
        self.loop = loop
        self.channel = Channel(models, _WORDS, Kind.LOOP.tag)  # it holds data if the loop has been woken
        self.added = deque(handles)
        self.batch: deque[Any] = deque()  # callbacks that the loop has taken; no other thread adds to them
        self.has_grown = False  # the loop has added callbacks since it took the others
        self.wakes: set[int] = set()  # threads whose last step has woken the loop for the callback that they add next

    # -- of the loop itself ------------------------------------------------------------------------------------

    def take(self) -> None:
        """The loop takes all callbacks that have been added; its step has been passed."""
        self.batch += self.added
        self.added.clear()
        self.channel.held = 0
        self.has_grown = False

    def _is_iterating(self, frame: FrameType) -> bool:
        return frame.f_code.co_name == _ITERATION and event_loops.running_loop() is self.loop

    def __bool__(self) -> bool:
        if self._is_iterating(sys._getframe(1)) and LOOP_POINTS not in self.models.runtime.points:
            return bool(self.batch or self.has_grown)  # where others have added callbacks, it goes on at its wait
        self._step(Op.READ)
        return bool(self.batch or self.added)

    def __len__(self) -> int:
        if not self._is_iterating(sys._getframe(1)):
            self._step(Op.READ)
            return len(self.batch) + len(self.added)
        if self.has_grown:
            self._step(Op.RMW)
            self.batch += self.added
            self.added.clear()
            self.has_grown = False
        self._note_timers()
        return len(self.batch)

    def _note_timers(self) -> None:
        """The loop has taken the timers that are due, and is about to run callbacks: a longer pause before would have
        made the next timer due, too, whose callback would then come before those that are yet to be added."""
        runtime = self.models.runtime
        times = [each.when() for each in vars(self.loop)["_scheduled"] if not each.cancelled()]
        if times and not all(each.cancelled() for each in self.batch):
            runtime.held_up = min(runtime.held_up, min(times) - BOOT - runtime.current.clock)

    def popleft(self) -> Any:
        """The next callback; this is a step unless the loop has already taken the callback."""
        if not self._is_iterating(sys._getframe(1)):
            self._step(Op.RMW)
        elif self.batch:
            return self.batch.popleft()
        return (self.batch or self.added).popleft()

    # -- of all threads ----------------------------------------------------------------------------------------

    def append(self, handle: Any) -> None:
        """Add a callback; wake the loop, too, if that is the caller's next operation."""
        me = self.models.runtime.current.index
        running = event_loops.of_run(self.models).running
        safe = _is_called_by("call_soon_threadsafe", sys._getframe(1))
        self._step(Op.RMW)
        self.added.append(handle)
        if running.get(me) is self.loop:
            self.has_grown = True
        elif safe:
            self.channel.held = 1
            self.wakes.add(me)
        elif self.loop in running.values():
            self.models.runtime.need_points(LOOP_POINTS)

    def appendleft(self, handle: Any) -> None:
        """Add a callback before the others."""
        self._step(Op.RMW)
        self.batch.appendleft(handle)

    def extend(self, handles: Iterable[Any]) -> None:
        """Add callbacks, one after the other."""
        for each in handles:
            self.append(each)

    def remove(self, handle: Any) -> None:
        """Remove a callback; ``ValueError`` if it is not there."""
        self._step(Op.RMW)
        (self.batch if handle in self.batch else self.added).remove(handle)

    def clear(self) -> None:
        """Remove all."""
        self._step(Op.RMW)
        self.batch.clear()
        self.added.clear()

    def __iter__(self) -> Iterator[Any]:
        self._step(Op.READ)
        return iter([*self.batch, *self.added])

    def __contains__(self, handle: Any) -> bool:
        return handle in list(self)

    def __getitem__(self, index: int) -> Any:
        return list(self)[index]

    def _step(self, op: Op) -> None:
        pass_step(self.models, (change if op is Op.RMW else read)(self.channel.target, _WORDS))


def _is_called_by(name: str, frame: FrameType) -> bool:
    """Whether the caller is that method of loops, or ``_call_soon``, called by it."""
    outer = frame.f_back
    return frame.f_code.co_name == name or (outer is not None and outer.f_code.co_name == name)


# -- putting it in place -----------------------------------------------------------------------------------------------


def _ready_of(models: Models, loop: Any) -> Ready | None:
    ready = vars(loop).get("_ready")
    return ready if type(ready) is Ready and ready.models is models else None


def _making(models: Models, real: Any, loop: Any, *args: Any, **named: Any) -> Any:
    result = real(loop, *args, **named)
    _adopt(models, loop)
    return result


def _adopt(models: Models, loop: Any) -> None:
    """A loop begins to run, or is made."""
    ready = vars(loop).get("_ready")
    if type(ready) is deque:
        vars(loop)["_ready"] = Ready(models, loop, ready)
        models.undo.append(functools.partial(vars(loop).__setitem__, "_ready", ready))


event_loops.starting.append(_adopt)


def _wake(models: Models, real: Any, loop: Any) -> None:
    ready = _ready_of(models, loop)
    if ready is None:
        real(loop)
        return
    event_loops.explore(models)
    me = models.runtime.current.index
    if me in ready.wakes:  # by its last step
        ready.wakes.discard(me)
        return
    pass_step(models, change(ready.channel.target, _WORDS))
    ready.channel.held = 1


def waits_here(models: Models, loop: Any) -> bool:
    """Whether the model of a loop's queue is in place."""
    return _ready_of(models, loop) is not None


def others(loop: Any, keys: Sequence[Any]) -> list[Any]:
    """The registrations of a loop's selector without that of the loop's own socket."""
    own = vars(loop).get("_ssock")
    return [key for key in keys if own is None or key.fd != own.fileno()]


def wait(
    models: Models, loop: Any, channels: Sequence[Channel], is_ready: Callable[[], bool], timeout: float | None
) -> None:
    """Wait until the loop has been woken, has callbacks, or until another channel of its selector is ready; at most
    ``timeout`` seconds. Then the loop takes its callbacks."""
    event_loops.explore(models)
    ready = _ready_of(models, loop)
    assert ready is not None
    runtime, target = models.runtime, ready.channel.target
    careful = LOOP_POINTS in runtime.points

    def goes_on() -> bool:
        return ready.channel.held > 0 or (not careful and bool(ready.added or ready.batch)) or is_ready()

    if runtime.detail:
        runtime.names.setdefault(target, _WORDS)
    more = tuple([Access(Op.READ, each.target) for each in channels])
    if timeout is not None and timeout <= 0:
        pass_step(models, change(target, _WORDS), *[read(each.target, each.words) for each in channels])
    else:
        runtime.block(Op.RMW, target, goes_on, waiting_for=ChannelWait(_WORDS), timeout=timeout, more=more)
    ready.take()


replace_method("asyncio.base_events", "BaseEventLoop.__init__", _making)
replace_method("asyncio.selector_events", "BaseSelectorEventLoop._write_to_self", _wake)
