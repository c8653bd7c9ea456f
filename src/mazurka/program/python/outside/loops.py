"""Event loops (`asyncio`): their queues of callbacks, their timers, how they wait, and how other threads wake them.

A loop calls one callback after the other, in the order in which they were added; no task can be interrupted in
between. Only what comes from outside is free: the iteration at which a timer is due, and the moment at which another
thread adds a callback. So each timer that is set is a thread of the run, with one step: that it is due. This is
possible while the loop stands at the beginning of an iteration, and changes the location of the loop, as the iteration
itself does. Whether a timer may be due is for the loop's clock to say (:mod:`~mazurka.program.runtime.loop_clock`).
Data that the program sends itself is taken to arrive at once; the verdict says so.

Within an iteration all is as in CPython: callbacks for data, and then those of timers, follow the callbacks that have
been added, and those that they add are for the next iteration.

Another thread adds a callback by a change of the location of the loop, which also wakes the loop if it is done by
``call_soon_threadsafe``. A callback that is added by ``call_soon`` from another thread, against the rules, does not
wake a loop that waits. Where a run meets such a call, this is learnt (``LOOP_POINTS``): from then on the code of
`asyncio` is explored, too.

A loop that waits for data from outside the process is uncontrolled, and so is one that waits for signals.

Source: ``Lib/asyncio/base_events.py`` and ``selector_events.py`` of CPython 3.11 to 3.15.
"""

from __future__ import annotations

import functools
import math
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.outside.channels import Channel
from mazurka.program.python.outside.loop_waits import LoopWait, name_of
from mazurka.program.python.outside.replacing import replace_method
from mazurka.program.python.primitives import event_loops
from mazurka.program.python.primitives.callbacks import announce
from mazurka.program.python.primitives.clock import BOOT
from mazurka.program.python.primitives.run import Models
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.runtime.loop_clock import LoopClock
from mazurka.program.runtime.task import LOOP_POINTS, Task
from mazurka.trace.event import Op
from mazurka.trace.ids import StepIndex
from mazurka.trace.targets import Kind, Target

_WORDS: Final = "the callbacks of an event loop"


class Ready:
    """Stands in for the deque ``_ready`` of a loop, in one run."""

    def __init__(self, models: Models, loop: Any, handles: Iterable[Any]) -> None:
        self.models = models
        self.loop = loop
        self.channel = Channel(models, _WORDS, Kind.LOOP.tag)  # it holds data if the loop has been woken
        self.handles = deque(handles)
        self.floor = 0.0  # the latest time at which another thread has added a callback
        self.wakes: set[int] = set()  # threads whose last step has woken the loop for the callback that they add next

    def is_run_here(self) -> bool:
        """Whether the running thread runs the loop."""
        return event_loops.of_run(self.models).running.get(self.models.runtime.current.index) is self.loop

    def is_own(self) -> bool:
        """Whether no other thread runs the loop."""
        return self.is_run_here() or self.loop not in event_loops.of_run(self.models).running.values()

    def __bool__(self) -> bool:
        self._step(Op.READ)
        return bool(self.handles)

    def __len__(self) -> int:
        self._step(Op.READ)
        return len(self.handles)

    def popleft(self) -> Any:
        """The next callback."""
        self._step(Op.RMW)
        return self.handles.popleft()

    def append(self, handle: Any) -> None:
        """Add a callback; wake the loop, too, if that is the caller's next operation."""
        runtime = self.models.runtime
        safe = _is_called_by("call_soon_threadsafe", sys._getframe(1))
        self._step(Op.RMW)
        self.handles.append(handle)
        if self.is_run_here():
            return
        self.floor = max(self.floor, runtime.current.clock)
        if safe:
            self.channel.held = 1
            self.wakes.add(runtime.current.index)
        elif not self.is_own():
            runtime.need_points(LOOP_POINTS)

    def appendleft(self, handle: Any) -> None:
        """Add a callback before the others."""
        self._step(Op.RMW)
        self.handles.appendleft(handle)

    def extend(self, handles: Iterable[Any]) -> None:
        """Add callbacks, one after the other."""
        for each in handles:
            self.append(each)

    def remove(self, handle: Any) -> None:
        """Remove a callback; ``ValueError`` if it is not there."""
        self._step(Op.RMW)
        self.handles.remove(handle)

    def clear(self) -> None:
        """Remove all."""
        self._step(Op.RMW)
        self.handles.clear()

    def __iter__(self) -> Iterator[Any]:
        self._step(Op.READ)
        return iter(list(self.handles))

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


class Timers:
    """A thread of the run by which timers become due: one after the other, the one that is set at the time."""

    def __init__(self, queue: LoopModel) -> None:
        self.queue = queue
        self.timer: Any = None
        self.task: Task | None = None

    def start(self) -> None:
        """Begin, without a timer."""
        self.queue.models.runtime.fork(self._live, daemon=True, label="timer")

    def set(self, timer: Any) -> None:
        """Take a timer, while there is none."""
        assert self.task is not None
        self.timer = timer
        self.task.clock = self.queue.clock.nominal(id(timer))

    def _live(self) -> None:
        queue = self.queue
        runtime = queue.models.runtime
        self.task = runtime.current
        self.task.arrives = True
        while True:
            self.task.sleeping = True  # by default it comes after all that can happen before
            self.task.was_able = False
            runtime.block(Op.RMW, queue.target, self._is_due)
            timer, self.timer = self.timer, None
            queue.be_due(timer)

    def _is_due(self) -> bool:
        if not self.queue.may_be_due(self.timer):
            return False
        assert self.task is not None
        self.task.was_able = True
        return True


class LoopModel:
    """A loop in one run."""

    def __init__(self, models: Models, loop: Any, ready: Ready, is_of_run: bool) -> None:
        self.models = models
        self.loop = loop
        self.ready = ready
        self.is_of_run = is_of_run  # made in it
        self.target = ready.channel.target
        self.clock = LoopClock(models.runtime.limits.pause, models.runtime.current.clock, BOOT)
        self.stands = False  # the loop stands at the beginning of an iteration
        self.waits = False  # ... with no callbacks
        self.seen = 0  # so many steps of the run
        self.moved: set[int] = set()  # threads, while the loop waits
        self.is_bounded = False  # whether with longer pauses timers could be due earlier
        self.due: list[Any] = []  # timers
        self.timers: list[Timers] = []
        self.by_timer: dict[int, Timers] = {}
        self.delays: dict[int, float] = {}  # of timers, in seconds

    def leave(self, ready: deque[Any]) -> None:
        """The run has ended: let go of the loop, which gets its own queue again, so that it ends now."""
        loop, self.loop, self.ready.loop = self.loop, None, None
        space = vars(loop)
        space["_ready"] = ready
        del space["_mz_model"]
        if self.is_of_run and not loop.is_closed():  # the execution was cut, or it would say so at some later time
            space["_thread_id"] = None
            if space.get("_ssock") is not None:
                loop.close()
            space["_closed"] = True
        self.timers.clear()
        self.by_timer.clear()
        self.due.clear()

    # -- timers ------------------------------------------------------------------------------------------------

    def _more(self) -> Timers:
        made = Timers(self)
        self.timers.append(made)
        made.start()
        return made

    def set_timer(self, timer: Any) -> None:
        """A timer has been made."""
        self.clock.add_timer(id(timer), timer._when)
        free = next((each for each in self.timers if each.timer is None), None)
        if free is None:
            free = self._more()
        self.by_timer[id(timer)] = free
        self.delays[id(timer)] = float(timer._when) - BOOT - self.clock.earliest()
        free.set(timer)

    def cancel_timer(self, timer: Any) -> None:
        """A timer has been cancelled."""
        self.clock.drop_timer(id(timer))
        self.delays.pop(id(timer), None)
        arrival = self.by_timer.pop(id(timer), None)
        if arrival is not None:
            arrival.timer = None

    def may_be_due(self, timer: Any) -> bool:
        """Whether a timer may be the next one that is due."""
        if not self.stands or timer is None:
            return False
        self._note_moves()
        ends = None if not self.waits or self.ready.handles else self._ends_of_others()
        if ends is None:
            return self.clock.may_be_due(id(timer), idle=False)
        return self.clock.may_be_due(id(timer), idle=True, ends=ends)

    def _ends_of_others(self) -> list[float] | None:
        """When the sleeps, limited waits and timers of other threads end, in seconds; None if one can go on now."""
        ends = []
        for task in self.models.runtime.live:
            if task.arrives or task.index == self.thread:
                continue
            if task.sleeping:
                ends.append(task.clock)
            elif task.guard is None or task.guard():
                return None
            elif task.may_expire():
                ends.append(task.deadline or 0.0)
        for queue in event_loops.of_run(self.models).queues:
            if queue is not self:
                ends += map(queue.clock.nominal, queue.by_timer)
        return ends

    def _note_moves(self) -> None:
        """While the loop waits, each other thread that moves may be held up, too."""
        log, tasks = self.models.runtime.log, self.models.runtime.tasks
        if self.waits:
            moved = {entry[0] for entry in log[self.seen :] if not tasks[entry[0]].arrives} - self.moved
            self.moved |= moved
            self.clock.allow_pauses(len(moved))
        self.seen = len(log)

    def be_due(self, timer: Any) -> None:
        """A timer is due."""
        runtime = self.models.runtime
        if runtime.detail:
            runtime.names[self.target] = _WORDS
            step, seconds = StepIndex(len(runtime.log) - 1), self.delays.pop(id(timer))
            runtime.ended = {**runtime.ended, step: seconds}
            runtime.lanes = [*runtime.lanes, (step, runtime.current.index, _timer_in_words(timer, seconds))]
        self.clock.be_due(id(timer), self.waits)
        self.by_timer.pop(id(timer), None)
        self.due.append(timer)

    # -- iterations --------------------------------------------------------------------------------------------

    def run_once(self) -> None:
        """An iteration, as ``BaseEventLoop._run_once``."""
        loop, ready, clock = self.loop, self.ready, self.clock
        if self.models.runtime.solo:
            self._more()  # there is a second thread from now on, so that the steps of all tasks are logged
        events = self._await()
        loop._process_events(events)
        ready.handles += self.due
        models, is_shared = self.models, LOOP_POINTS in self.models.runtime.points
        if events or self.due:  # other threads may add callbacks behind these
            pass_step(models, change(self.target, _WORDS))
        self.due.clear()
        task = models.runtime.current
        task.clock = max(task.clock, clock.earliest())
        for _ in range(len(ready.handles)):
            handle = ready.handles.popleft()
            if is_shared:
                pass_step(models, read(self.target, _WORDS))
            if handle._cancelled:
                continue
            clock.allow_pauses()
            announce(models, handle._callback, handle._args, {})
            if models.runtime.detail:
                models.runtime.enter_lane(_lane_of(handle))
            if loop._debug:
                loop._current_handle = handle
            try:
                handle._run()
            finally:
                if loop._debug:
                    loop._current_handle = None
                models.runtime.enter_lane("")
            del handle

    def _await(self) -> list[Any]:
        """Wait until there is something to do; the registrations of ready descriptors, with their events."""
        models, loop = self.models, self.loop
        runtime = models.runtime
        self.thread = runtime.current.index
        self.waits = not (self.ready.handles or loop._stopping)
        self.stands, self.seen, self.moved = True, len(runtime.log), {self.thread}
        if not (self.waits or self.is_bounded or math.isinf(self.clock.pause)):
            self.is_bounded = any(map(self.clock.needs_longer_pause, self.by_timer))
            if self.is_bounded:
                runtime.assumed.add(f"no event loop is held up for more than {self.clock.pause:g} s before a callback")
        try:
            found = loop._selector.select(None if self.waits else 0)
        finally:
            self.stands = False
        self._note_moves()
        self.clock.iterate(self.waits, max(self.ready.floor, runtime.current.clock))
        return list(found)

    def goes_on(self) -> bool:
        """Whether the loop may go on with the iteration at whose beginning it stands."""
        floor = max(self.ready.floor, self.models.runtime.tasks[self.thread].clock)
        return self.clock.may_iterate(floor)


def _timer_in_words(timer: Any, seconds: float) -> str:
    """A timer that is due, in words."""
    function = timer._callback
    name = getattr(function, "__qualname__", type(function).__name__)
    if name.endswith("_set_result_unless_cancelled"):
        return f"a sleep of {seconds:.3g} s ends"
    if name in ("Timeout._on_timeout", "_release_waiter"):
        return f"a timeout of {seconds:.3g} s expires"
    return f"{name} is due after {seconds:.3g} s"


def _lane_of(handle: Any) -> str:
    """The task that a callback goes on with, in words; "" if it is none of a task."""
    task = getattr(handle._callback, "__self__", None)
    return name_of(task) if event_loops.is_task(task) else ""


# -- putting it in place -----------------------------------------------------------------------------------------------


def _model_of(models: Models, loop: Any) -> LoopModel | None:
    model = vars(loop).get("_mz_model")
    return model if model is not None and model.models is models else None


def _making(models: Models, real: Any, loop: Any, *args: Any, **named: Any) -> Any:
    result = real(loop, *args, **named)
    _adopt(models, loop, is_of_run=True)
    return result


def _adopt(models: Models, loop: Any, *, is_of_run: bool = False) -> None:
    """A loop begins to run, or is made."""
    space = vars(loop)
    ready = space.get("_ready")
    if type(ready) is deque:
        model = LoopModel(models, loop, Ready(models, loop, ready), is_of_run)
        space["_ready"], space["_mz_model"] = model.ready, model
        event_loops.of_run(models).queues.append(model)
        models.undo.append(functools.partial(model.leave, ready))
        for timer in space["_scheduled"]:
            model.set_timer(timer)


event_loops.starting.append(_adopt)


def _run_once(models: Models, real: Any, loop: Any) -> None:
    model = _model_of(models, loop)
    if model is None:
        real(loop)
    else:
        model.run_once()


def _call_at(models: Models, real: Any, loop: Any, when: Any, callback: Any, *args: Any, context: Any = None) -> Any:
    model = _model_of(models, loop)
    timer = real(loop, when, callback, *args, context=context)
    if model is not None:
        loop._scheduled.remove(timer)
        timer._scheduled = False  # otherwise the loop would count it when it is cancelled
        model.set_timer(timer)
    return timer


def _cancel(models: Models, real: Any, handle: Any) -> None:
    model = _model_of(models, handle._loop)
    if model is not None and not handle._cancelled:
        if not model.ready.is_own():
            models.runtime.need_points(LOOP_POINTS)
            pass_step(models, change(model.target, _WORDS))
        model.cancel_timer(handle)
    real(handle)


def _is_open(loop: LoopModel) -> tuple[Target, str]:
    """The location of whether a loop has been closed."""
    return (Kind.LOOP.tag, f"{loop.ready.channel.number} open"), "whether an event loop is closed"


def _close(models: Models, real: Any, loop: Any) -> None:
    model = _model_of(models, loop)
    if model is not None:
        pass_step(models, change(*_is_open(model)))
    real(loop)


def _call_soon_threadsafe(models: Models, real: Any, loop: Any, *args: Any, **named: Any) -> Any:
    model = _model_of(models, loop)
    if model is not None and not model.ready.is_run_here():
        pass_step(models, read(*_is_open(model)))
    return real(loop, *args, **named)


def _time(models: Models, real: Any, loop: Any) -> float:
    model, runtime = _model_of(models, loop), models.runtime
    if model is None or not model.ready.is_own():
        return BOOT + runtime.now()
    caller = str(sys._getframe(2).f_globals.get("__name__"))
    if caller.startswith(event_loops.MODULES):
        return model.clock.look(runtime.current.clock)
    runtime.now()  # a program that looks again and again waits for time to pass
    return model.clock.shown(runtime.current.clock)


def _wake(models: Models, real: Any, loop: Any) -> None:
    model = _model_of(models, loop)
    if model is None:
        real(loop)
        return
    ready, me = model.ready, models.runtime.current.index
    if me in ready.wakes:  # by its last step
        ready.wakes.discard(me)
        return
    pass_step(models, change(ready.channel.target, _WORDS))
    ready.channel.held = 1


def waits_here(models: Models, loop: Any) -> bool:
    """Whether the model of a loop's queue is in place."""
    return _model_of(models, loop) is not None


def has_timers(models: Models, loop: Any) -> bool:
    """Whether timers of a loop are set, so that it does not wait for ever."""
    model = _model_of(models, loop)
    return model is not None and bool(model.by_timer)


def others(loop: Any, keys: Sequence[Any]) -> list[Any]:
    """The registrations of a loop's selector without that of the loop's own socket."""
    own = vars(loop).get("_ssock")
    return [key for key in keys if own is None or key.fd != own.fileno()]


def wait(
    models: Models, loop: Any, channels: Sequence[Channel], is_ready: Callable[[], bool], timeout: float | None
) -> None:
    """Wait until the loop has been woken, has callbacks, or until another channel of its selector is ready. The
    ``timeout`` is 0 if there is something to do in any case."""
    model = _model_of(models, loop)
    assert model is not None
    runtime, target, channel, ready = models.runtime, model.target, model.ready.channel, model.ready
    careful = LOOP_POINTS in runtime.points

    def goes_on() -> bool:
        if not model.goes_on():
            return False
        if timeout is not None or model.due or channel.held > 0:
            return True
        return (not careful and bool(ready.handles)) or is_ready()

    if runtime.detail:
        runtime.names.setdefault(target, _WORDS)
    more = tuple([Access(Op.READ, each.target) for each in channels])
    if channels:
        runtime.assumed.add("data that the program sends itself arrives at once")
    if timeout is not None and not any(model.may_be_due(each.timer) for each in model.timers):
        pass_step(models, change(target, _WORDS), *[read(each.target, each.words) for each in channels])
    else:
        runtime.block(Op.RMW, target, goes_on, waiting_for=LoopWait(_WORDS, models, loop), more=more)
    channel.held = 0


replace_method("asyncio.base_events", "BaseEventLoop.__init__", _making)
replace_method("asyncio.base_events", "BaseEventLoop._run_once", _run_once)
replace_method("asyncio.base_events", "BaseEventLoop.time", _time)
replace_method("asyncio.base_events", "BaseEventLoop.call_at", _call_at)
replace_method("asyncio.base_events", "BaseEventLoop.call_soon_threadsafe", _call_soon_threadsafe)
replace_method("asyncio.base_events", "BaseEventLoop.close", _close)
replace_method("asyncio.events", "Handle.cancel", _cancel)
replace_method("asyncio.events", "TimerHandle.cancel", _cancel)
replace_method("asyncio.selector_events", "BaseSelectorEventLoop._write_to_self", _wake)
