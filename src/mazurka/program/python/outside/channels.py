"""Channels between threads through the system: pipes and sockets within the process.

The data goes through the real pipe or socket; a channel is the runtime's knowledge of one direction of it: how much has
been sent and not been received, and whether the sender has closed it. Sending, receiving and closing change the
channel, a location of its own; a thread that would wait does so in the runtime, until it can receive. The system is
asked about events outside the model (a child process that writes into a pipe).

Steps that wait are points, like those of queues.
"""

from __future__ import annotations

import gc
import os
import select
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Final

from mazurka.program.protocol import Access
from mazurka.program.python.instrument import sites
from mazurka.program.python.outside import descriptor_numbers
from mazurka.program.python.primitives.run import Models, first_outer_frame
from mazurka.program.python.primitives.steps import StepAccess, note_touches, pass_step
from mazurka.program.python.semantics import definitions
from mazurka.program.runtime.task import Task
from mazurka.trace.event import Op
from mazurka.trace.targets import Kind, Target

_poll: Final = select.poll
IN: Final = select.POLLIN
OUT: Final = select.POLLOUT

#: Milliseconds that data, which has been sent, may take to arrive.
_ARRIVAL: Final = 1000


class Channel:
    """One direction of a pipe or connection, the messages sent to an address, or the connections to one; the
    callbacks of an event loop."""

    __slots__ = ("closed", "held", "kind", "number", "tag")

    def __init__(self, models: Models, kind: str, tag: str = Kind.CHANNEL.tag) -> None:
        self.number = models.number()
        self.kind = kind
        self.tag = tag
        self.held = 0  # bytes, messages or connections not yet received
        self.closed = False  # nothing more will come

    @property
    def target(self) -> Target:
        """The location that sends and receives access."""
        return (self.tag, self.number)

    @property
    def words(self) -> str:
        """The channel in reports."""
        return f"{self.kind} {self.number}"


class End:
    """The end of a channel behind a descriptor of a pipe or socket."""

    __slots__ = ("address", "gets", "owner", "peer", "puts")

    def __init__(self, gets: Channel | None = None, puts: Channel | None = None) -> None:
        self.gets = gets
        self.puts = puts
        self.owner: weakref.ref[Any] | None = None  # the socket object
        self.address: Any = None  # the address that it is bound to, as a key
        self.peer: Any = None  # of an end for messages: the address that they go to by default


class Ends:
    """The ends that a run knows of, by descriptor."""

    def __init__(self, models: Models) -> None:
        self.models = models
        self.by_descriptor: dict[int, End] = {}
        self.by_address: dict[Any, End] = {}  # ends that listen, or receive messages
        self.waiting: dict[Any, list[End]] = {}  # by address: ends of connections that are to be accepted

    def add(self, descriptor: int, end: End) -> End:
        """Note the end of a channel behind a file descriptor."""
        descriptor_numbers.opened(self.models)
        descriptor_numbers.has(self.models, descriptor)
        self.by_descriptor[descriptor] = end
        return end


_ends: Ends | None = None


def hold(models: Models, things: Sequence[Any], by: str) -> None:
    """A call that may wait holds the bytes of its argument."""
    frame = first_outer_frame(sys._getframe(1))
    if frame is not None:
        definitions.hold(models.runtime, things, sites.place_of(frame), by)


def of_run(models: Models) -> Ends:
    """The pipes and sockets of a run; they begin empty in each."""
    global _ends
    if _ends is None or _ends.models is not models:
        _ends = Ends(models)
    return _ends


def end_run(close: Callable[[Any], None]) -> None:
    """Close the ends that a run has left open; ``close`` does so with a socket object."""
    global _ends
    ends, _ends = _ends, None
    if ends is None:
        return
    _disown({descriptor for descriptor, end in ends.by_descriptor.items() if end.owner is None})
    for descriptor, end in ends.by_descriptor.items():
        owner = end.owner() if end.owner is not None else None
        try:
            if owner is not None:
                close(owner)
            elif end.owner is None:
                _close(descriptor)
        except OSError:
            continue


def _disown(descriptors: set[int]) -> None:
    """Connections of `multiprocessing` may outlive the run: take their descriptors away, since at their end they would
    close files that have got the same numbers."""
    module = sys.modules.get("multiprocessing.connection")
    if descriptors and module is not None:
        for each in gc.get_objects():
            if type(each) is module.Connection and each._handle in descriptors:
                each._handle = None


_close: Final = os.close


# -- readiness ----------------------------------------------------------------------------


def really(descriptor: int, events: int, milliseconds: int = 0) -> int:
    """The system's readiness of a descriptor."""
    poll = _poll()
    poll.register(descriptor, events)
    found = poll.poll(milliseconds)
    return found[0][1] if found else 0


def readable(descriptor: int, end: End) -> bool:
    """Whether a read would return at once: there is data, the other end is closed, or the operating system says so."""
    gets = end.gets
    if gets is not None and (gets.held > 0 or gets.closed):
        return True
    return bool(really(descriptor, IN))


def arrives(descriptor: int, end: End) -> None:
    """Wait until the data sent has arrived."""
    gets = end.gets
    if gets is not None and gets.held > 0:
        really(descriptor, IN, _ARRIVAL)


class ChannelWait:
    """The channel that a thread waits for, in words for a report."""

    def __init__(self, text: str) -> None:
        self.text = text

    def describe(self) -> str:
        return self.text

    def holder(self) -> Task | None:
        return None


# -- steps ----------------------------------------------------------------------------


def _note(models: Models, channels: Sequence[Channel], also: Sequence[StepAccess]) -> None:
    note_touches(models, *also)
    if models.runtime.detail:
        found = [*[(each.target, each.words) for each in channels], *[(each.target, each.words) for each in also]]
        for target, words in found:
            models.runtime.names.setdefault(target, words)


def _accesses(op: Op, channels: Sequence[Channel], also: Sequence[StepAccess]) -> tuple[Access, ...]:
    return (*[Access(op, each.target) for each in channels], *[Access(each.op, each.target) for each in also])


def touch(models: Models, op: Op, *channels: Channel | None, also: Sequence[StepAccess] = ()) -> None:
    """Pass a step on channels that never waits, with the step's other accesses."""
    found = [each for each in channels if each is not None]
    if found and not models.runtime.solo:
        _note(models, found, also)
        models.runtime.visit(op, found[0].target, 0, None, _accesses(op, found[1:], also), True)
    elif also:
        pass_step(models, *also)


def wait(
    models: Models,
    op: Op,
    channels: Sequence[Channel],
    ready: Callable[[], bool],
    text: str,
    timeout: float | None,
    also: Sequence[StepAccess] = (),
) -> bool:
    """Wait until ``ready()`` holds, at most ``timeout`` seconds; false if the time ran out."""
    _note(models, channels, also)
    runtime = models.runtime
    if has_children(models):
        return True  # as far as is known here: the wait is a real one, as in all uncontrolled operations
    target = channels[0].target
    if timeout is not None and timeout <= 0:
        if op is Op.READ:
            touch(models, Op.READ, *channels, also=also)
            return ready()
        done = runtime.attempt(op, target, ready, list(_accesses(op, channels[1:], also)))
        if not done and also:
            runtime.widen(_accesses(op, (), also))
        return done
    more = _accesses(op, channels[1:], also)
    return runtime.block(op, target, ready, waiting_for=ChannelWait(text), timeout=timeout, more=more)


def has_children(models: Models) -> bool:
    """Whether other processes may have the other ends."""
    return any(name.startswith(_CHILDREN) for name in models.runtime.uncontrolled)


_CHILDREN: Final = ("os.fork", "os.posix_spawn", "subprocess.", "multiprocessing.process")


# -- pipes ----------------------------------------------------------------------------


def make_pipe(models: Models, descriptors: tuple[int, int]) -> None:
    """Model a new pipe, given its two descriptors as ``os.pipe`` returns them."""
    ends = of_run(models)
    channel = Channel(models, "the pipe")
    reading, writing = descriptors
    ends.add(reading, End(gets=channel))
    ends.add(writing, End(puts=channel))


def receive(
    models: Models,
    descriptor: int,
    end: End,
    perform: Callable[[], Any],
    timeout: float | None,
    also: Sequence[StepAccess] = (),
) -> Any:
    """Receive from an end by ``perform``, and return its result; TimeoutError if no data arrived in time."""
    gets = end.gets
    if gets is None:
        touch(models, Op.READ, also=also)
        return perform()
    words = f"data from {gets.words}"
    done = wait(models, Op.RMW, (gets,), lambda: readable(descriptor, end), words, timeout, also)
    if not done and (timeout is None or timeout > 0):
        raise TimeoutError("timed out")
    arrives(descriptor, end)
    return perform()


def received(end: End, amount: int) -> None:
    """Bytes have left a channel."""
    if end.gets is not None:
        end.gets.held = max(end.gets.held - amount, 0)


def send(
    models: Models,
    descriptor: int,
    end: End,
    perform: Callable[[], int],
    timeout: float | None,
    also: Sequence[StepAccess] = (),
) -> int:
    """Send through an end by ``perform``, which returns how much was sent."""
    puts = end.puts
    if puts is None:
        touch(models, Op.READ, also=also)
        return perform()
    if timeout is None or timeout > 0:
        words = f"room in {puts.words}"
        if not wait(models, Op.RMW, (puts,), lambda: bool(really(descriptor, OUT)), words, timeout, also):
            raise TimeoutError("timed out")
    else:
        touch(models, Op.RMW, puts, also=also)
    amount = perform()
    puts.held += amount
    return amount


def closing(models: Models, descriptor: int, also: Sequence[StepAccess] = ()) -> None:
    """Pass the step of closing a descriptor, with other accesses of it; on return the caller closes it."""
    ends = of_run(models)
    end = ends.by_descriptor.get(descriptor)
    if end is None:
        touch(models, Op.RMW, also=also)
        return
    touch(models, Op.RMW, end.puts, end.gets, also=[*descriptor_numbers.changes(models, descriptor), *also])
    descriptor_numbers.closed(models)
    descriptor_numbers.is_gone(models, descriptor)
    end = ends.by_descriptor.pop(descriptor, end)  # another thread may have closed it meanwhile
    if any(other is end for other in ends.by_descriptor.values()):
        return  # a copy of the descriptor is left
    if end.puts is not None and not any(other.puts is end.puts for other in ends.by_descriptor.values()):
        end.puts.closed = True
    if end.address is not None and ends.by_address.get(end.address) is end:
        del ends.by_address[end.address]
