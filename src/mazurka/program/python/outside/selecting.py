"""Waiting for several descriptors at once: `select`, and the selectors over it.

Looking whether descriptors are ready reads their channels. A descriptor without a channel of the run is always ready if
it is a file; otherwise it leads out of the process, and waiting for it is counted as uncontrolled.
"""

from __future__ import annotations

import select
import selectors
from collections.abc import Mapping, Sequence
from typing import Any, Final

from mazurka.program.python.instrument.own import contextlib
from mazurka.program.python.outside import descriptor_numbers, loops
from mazurka.program.python.outside.channels import IN, OUT, Channel, has_children, of_run, readable, really, wait
from mazurka.program.python.outside.replacing import replace_function, replace_method
from mazurka.program.python.primitives.event_loops import running_loop
from mazurka.program.python.primitives.run import Models, count_uncontrolled, count_untracked, here
from mazurka.program.python.primitives.steps import change, pass_step, read
from mazurka.program.python.semantics.objects import number
from mazurka.trace.event import Op
from mazurka.trace.targets import OBJECT, Target

_PRI: Final = select.POLLPRI


def _descriptor(thing: Any) -> int:
    return thing if isinstance(thing, int) else int(thing.fileno())


def are_known(models: Models, descriptors: Sequence[int]) -> bool:
    """Whether all descriptors are ends of modelled pipes and sockets that no child process shares."""
    if has_children(models):
        return False
    known = of_run(models).by_descriptor
    return all(each in known for each in descriptors)


def _ready(models: Models, wanted: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The descriptors that are ready, each with its events."""
    ends = of_run(models).by_descriptor
    found = []
    for descriptor, events in wanted:
        end = ends.get(descriptor)
        ready = really(descriptor, events)
        if end is not None and events & IN and readable(descriptor, end):
            ready |= IN
        if ready:
            found.append((descriptor, ready))
    return found


def _channels(models: Models, wanted: Sequence[tuple[int, int]]) -> list[Channel]:
    """The channels of descriptors that are waited for."""
    ends = of_run(models).by_descriptor
    channels: dict[str, Channel] = {}
    for descriptor, events in wanted:
        end = ends.get(descriptor)
        if end is not None:
            for channel in (end.gets if events & IN else None, end.puts if events & OUT else None):
                if channel is not None:
                    channels[channel.number] = channel
    return list(channels.values())


def wait_for(models: Models, wanted: Sequence[tuple[int, int]], timeout: float | None) -> list[tuple[int, int]]:
    """The descriptors that are ready, each with its events, once one is ready or the time has run out."""
    channels = _channels(models, wanted)
    if not channels:
        if timeout and not _ready(models, wanted):
            models.runtime.sleep(timeout)
        return _ready(models, wanted)
    wait(models, Op.READ, channels, lambda: bool(_ready(models, wanted)), "one of several descriptors", timeout)
    return _ready(models, wanted)


def _is_ours(models: Models, wanted: Sequence[tuple[int, int]], name: str) -> bool:
    """Whether only threads of the program can end a wait; otherwise it is counted as uncontrolled."""
    if are_known(models, [descriptor for descriptor, _ in wanted]):
        return True
    count_uncontrolled(models.runtime, name)
    return False


# -- select.select ----------------------------------------------------------------------------


def _select(models: Models, real: Any, rlist: Any, wlist: Any, xlist: Any, timeout: float | None = None, /) -> Any:
    rlist, wlist, xlist = list(rlist), list(wlist), list(xlist)
    events: dict[int, int] = {}
    for things, event in ((rlist, IN), (wlist, OUT), (xlist, _PRI)):
        for thing in things:
            events[_descriptor(thing)] = events.get(_descriptor(thing), 0) | event
    if not _is_ours(models, list(events.items()), "select.select"):
        return real(rlist, wlist, xlist, timeout)
    if not events:
        models.runtime.sleep(timeout or 0.0)
        return [], [], []
    ready = dict(wait_for(models, list(events.items()), timeout))
    if any(found & select.POLLNVAL for found in ready.values()):
        return real(rlist, wlist, xlist, 0)  # a descriptor was closed: the function itself raises the error
    hung_up = select.POLLHUP | select.POLLERR
    return (
        [thing for thing in rlist if ready.get(_descriptor(thing), 0) & (IN | hung_up)],
        [thing for thing in wlist if ready.get(_descriptor(thing), 0) & (OUT | select.POLLERR)],
        [thing for thing in xlist if ready.get(_descriptor(thing), 0) & _PRI],
    )


replace_function(select, "select", _select)


# -- select.poll ----------------------------------------------------------------------------


def _state(thing: Poll | Epoll) -> tuple[Target, str]:
    """The location of the set of descriptors that an object waits for."""
    return (OBJECT, number(thing)), f"the descriptors of {'an epoll' if isinstance(thing, Epoll) else 'a poll'} object"


def _change(thing: Poll | Epoll) -> None:
    models = here()
    if models is not None:
        pass_step(models, change(*_state(thing)))


def _look(thing: Poll | Epoll) -> None:
    models = here()
    if models is not None:
        pass_step(models, read(*_state(thing)))


class Poll:
    """Stands in for the object that ``select.poll()`` returns in a run."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._events: dict[int, int] = {}
        self._is_polling = False

    def register(self, fd: Any, eventmask: int = IN | _PRI | OUT, /) -> None:
        """As ``select.poll``; a step on the object."""
        _change(self)
        self._real.register(fd, eventmask)
        self._events[_descriptor(fd)] = eventmask

    def modify(self, fd: Any, eventmask: int, /) -> None:
        """As ``select.poll``; a step on the object."""
        _change(self)
        self._real.modify(fd, eventmask)
        self._events[_descriptor(fd)] = eventmask

    def unregister(self, fd: Any, /) -> None:
        """As ``select.poll``; a step on the object."""
        _change(self)
        self._real.unregister(fd)
        self._events.pop(_descriptor(fd), None)

    def poll(self, timeout: float | None = None, /) -> list[tuple[int, int]]:
        """As ``select.poll``: only one thread at a time, as in CPython."""
        _change(self)
        if self._is_polling:
            raise RuntimeError("concurrent poll() invocation")
        self._is_polling = True
        try:
            found = self._poll(timeout)
        finally:
            _change(self)
            self._is_polling = False
        return found

    def _poll(self, timeout: float | None) -> list[tuple[int, int]]:
        models = here()
        wanted = list(self._events.items())
        if models is None or not wanted or not _is_ours(models, wanted, "select.poll"):
            found: list[tuple[int, int]] = self._real.poll(timeout)
            return found
        return wait_for(models, wanted, None if timeout is None or timeout < 0 else timeout / 1000)


def _poll(models: Models, real: Any) -> Poll:
    return Poll(real())


replace_function(select, "poll", _poll)


def _closes() -> None:
    """The descriptor of an object of `select` is closed."""
    if (models := here()) is not None:
        descriptor_numbers.closed(models)


class Epoll:
    """Stands in for a ``select.epoll`` that a run makes; ready descriptors are returned again and again until they are
    handled."""

    def __init__(self, real: Any) -> None:
        self._real = real
        self._events: dict[int, int] = {}

    def register(self, fd: Any, eventmask: int = IN | _PRI | OUT) -> None:
        """As ``select.epoll``; a step on the object."""
        _change(self)
        self._real.register(fd, eventmask)
        self._events[_descriptor(fd)] = eventmask

    def modify(self, fd: Any, eventmask: int) -> None:
        """As ``select.epoll``; a step on the object."""
        _change(self)
        self._real.modify(fd, eventmask)
        self._events[_descriptor(fd)] = eventmask

    def unregister(self, fd: Any) -> None:
        """As ``select.epoll``; a step on the object."""
        _change(self)
        self._real.unregister(fd)
        self._events.pop(_descriptor(fd), None)

    def poll(self, timeout: float | None = None, maxevents: int = -1) -> list[tuple[int, int]]:
        """As ``select.epoll``; waits in virtual time if all descriptors are modelled, otherwise it is uncontrolled."""
        _look(self)
        models = here()
        wanted = [(descriptor, events & _KNOWN) for descriptor, events in self._events.items()]
        if models is None or not wanted or not _is_ours(models, wanted, "select.epoll"):
            found: list[tuple[int, int]] = self._real.poll(timeout, maxevents)
            return found
        ready = wait_for(models, wanted, None if timeout is None or timeout < 0 else timeout)
        return ready if maxevents < 0 else ready[:maxevents]

    def fileno(self) -> int:
        """As ``select.epoll``; a step on the object, which may be closed."""
        _look(self)
        return int(self._real.fileno())

    @property
    def closed(self) -> bool:
        """As ``select.epoll``; a step on the object."""
        _look(self)
        return bool(self._real.closed)

    def close(self) -> None:
        """As ``select.epoll``; a step on the object."""
        _change(self)
        _closes()
        self._real.close()

    def __enter__(self) -> Epoll:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


#: The events that `epoll` and `poll` have in common.
_KNOWN: Final = IN | OUT | _PRI


def _epoll(models: Models, real: Any, *args: Any, **named: Any) -> Epoll:
    descriptor_numbers.changing(models)
    made = Epoll(real(*args, **named))
    descriptor_numbers.opened(models)
    return made


replace_function(select, "epoll", _epoll)


# -- selectors ----------------------------------------------------------------------------

_EVENTS: Final = {selectors.EVENT_READ: IN, selectors.EVENT_WRITE: OUT}


def _select_keys(models: Models, real: Any, selector: Any, timeout: float | None = None) -> Any:
    pass_step(models, read(*_keys(selector)))
    keys = list(selector.get_map().values())
    loop = running_loop()
    if loop is not None and vars(loop).get("_selector") is selector and loops.waits_here(models, loop):
        found = _wait_of_loop(models, loop, loops.others(loop, keys), timeout)
        return real(selector, timeout) if found is None else found
    wanted = _wanted(keys)
    if not wanted or not are_known(models, [descriptor for descriptor, _ in wanted]):
        count_uncontrolled(models.runtime, f"selectors.{type(selector).__name__}.select")
        return real(selector, timeout)
    return _found(keys, dict(wait_for(models, wanted, None if timeout is None else max(timeout, 0.0))))


def _wanted(keys: Sequence[Any]) -> list[tuple[int, int]]:
    return [(key.fd, sum(event for flag, event in _EVENTS.items() if key.events & flag)) for key in keys]


def _found(keys: Sequence[Any], ready: Mapping[int, int]) -> list[tuple[Any, int]]:
    """The registrations of descriptors that are ready, each with its events."""
    found = []
    for key in keys:
        got = ready.get(key.fd, 0)
        events = selectors.EVENT_READ if got & ~OUT else 0
        events |= selectors.EVENT_WRITE if got & ~IN else 0
        if events & key.events:
            found.append((key, events & key.events))
    return found


def _wait_of_loop(models: Models, loop: Any, keys: Sequence[Any], timeout: float | None) -> list[Any] | None:
    """The ready registrations of an event loop, once there is one or the loop has been woken; None if the wait has to
    be a real one."""
    wanted, is_endless = _wanted(keys), timeout is None and not loops.has_timers(models, loop)
    if is_endless and vars(loop).get("_signal_handlers"):
        count_uncontrolled(models.runtime, "an event loop that waits for signals")
        return None
    if wanted and not are_known(models, [descriptor for descriptor, _ in wanted]):
        ready = _ready(models, wanted)
        if ready or is_endless or not models.runtime.solo:
            count_uncontrolled(models.runtime, "an event loop that waits for data from outside the process")
        if is_endless and not ready:
            return None
    loops.wait(models, loop, _channels(models, wanted), lambda: bool(_ready(models, wanted)), timeout)
    return _found(keys, dict(_ready(models, wanted)))


def _keys(selector: Any) -> tuple[Target, str]:
    """The location of a selector's registrations."""
    return (OBJECT, number(selector)), f"the registrations of a {type(selector).__name__}"


#: Selectors, by identity -> the thread that is changing the registrations.
_changing: dict[int, int] = {}


def _look_up(models: Models, real: Any, selector: Any, thing: Any) -> Any:
    """A selector asks an object for its descriptor, which one that is closed has not, and then looks for its
    registration."""
    changes = _changing.get(id(selector)) == models.runtime.current.index
    with contextlib.suppress(Exception):  # the method itself raises it
        descriptor_numbers.number_of(models, thing, (change if changes else read)(*_keys(selector)))
    return real(selector, thing)


def _changing_keys(models: Models, real: Any, selector: Any, *args: Any, **named: Any) -> Any:
    """Stands for a method that changes the registrations: it is Python code, during which another thread may change
    them, too."""
    me = models.runtime.current.index
    if models.runtime.solo or _changing.get(id(selector)) == me:
        return real(selector, *args, **named)
    pass_step(models, change(*_keys(selector)))
    if id(selector) in _changing:
        count_untracked(models.runtime, "a selector that two threads change at the same time")
    _changing[id(selector)] = me
    try:
        pass_step(models, change(*_keys(selector)))
        return real(selector, *args, **named)
    finally:
        _changing.pop(id(selector), None)


def _looking_at_keys(models: Models, real: Any, selector: Any, *args: Any) -> Any:
    pass_step(models, read(*_keys(selector)))
    return real(selector, *args)


def _making(models: Models, real: Any, selector: Any, *args: Any) -> Any:
    descriptor_numbers.changing(models)
    done = real(selector, *args)
    descriptor_numbers.opened(models)
    return done


replace_method("selectors", "EpollSelector.__init__", _making)
replace_method("selectors", "_BaseSelectorImpl._fileobj_lookup", _look_up)
replace_method("selectors", "EpollSelector.fileno", _looking_at_keys)
for _class in ("EpollSelector", "PollSelector", "SelectSelector"):
    for _name in ("register", "unregister", "modify", "close"):
        replace_method("selectors", f"{_class}.{_name}", _changing_keys)
    for _name in ("get_key", "get_map"):
        replace_method("selectors", f"{_class}.{_name}", _looking_at_keys)
    replace_method("selectors", f"{_class}.select", _select_keys)
