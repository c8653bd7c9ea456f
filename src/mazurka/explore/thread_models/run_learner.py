"""Follows a run through the thread automata, and adds new steps (see automata.py).

Memory is updated along the run, so that each read sees the value of the last write. From the choices of the run the
learner derives the values of a primitive with which a thread could not move.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import product
from typing import Any, Final

from mazurka.explore.thread_models.aliasing import bits
from mazurka.explore.thread_models.automata import ThreadAutomata
from mazurka.explore.thread_models.compressed_runs import Record
from mazurka.explore.thread_models.local_state import LocalState, Transition
from mazurka.explore.thread_models.private_state import MOST, LoopHeadState, ThreadLocalState
from mazurka.explore.thread_models.values import DAEMON, ENDED, FIRST, HELD, Seen
from mazurka.program.memory import is_flusher
from mazurka.program.protocol import OPAQUE, Blocked, Run, Step
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.logged_calls import LoggedCall, logged_call
from mazurka.trace.targets import (
    ASSUMPTION,
    DAEMONS,
    NOTHING,
    OBJECTS,
    STORE,
    WAKE,
    Kind,
    Target,
    kind_of,
    of_kinds,
    wholes_of,
)

#: Operations of every thread, which are never left out.
_LIFE: Final = frozenset({Op.FORK, Op.BEGIN, Op.END, Op.JOIN})

#: Operations before which a thread waits until their target is available.
_TAKING: Final = frozenset({Op.ACQUIRE, Op.JOIN})

#: Operations of primitives that may have to wait, on conditions of their own.
_WAITING: Final = frozenset({Op.ACQUIRE, Op.RMW})

#: Operations of conditions: they change the set of waiting threads.
_QUEUEING: Final = frozenset({Op.WAIT, Op.NOTIFY, Op.NOTIFY_ALL})

#: Kinds, looked up once, since they are compared with that of every access of every run.
_WAKE: Final = Kind.WAKE
_EVENT: Final = Kind.EVENT
_STORE: Final = Kind.STORE
_ARRIVAL: Final = Kind.FLUSHED

#: Kinds of targets that are never left out, besides operations of every thread.
_KEPT: Final = (Kind.CONDITION, _STORE, _ARRIVAL)

_is_wake: Final = of_kinds(_WAKE)
_is_event: Final = of_kinds(_EVENT)
_is_store: Final = of_kinds(_STORE)
_is_arrival: Final = of_kinds(_ARRIVAL)
_is_invoked: Final = of_kinds(Kind.INVOKED)


class RunLearner:
    """Follows one run through the trees."""

    def __init__(self, behaviour: ThreadAutomata, run: Run, record: Record) -> None:
        self.behaviour = behaviour
        self.run = run
        self.record = record
        self.threads = [behaviour.thread(name) for name in run.tasks]
        self.at: list[LocalState | None] = [None] * len(run.tasks)  # None: not begun
        self.memory: dict[int, int] = {}
        self.history: dict[int, list[tuple[int, int]]] = {}  # place -> (step, value written)
        self.touched = [0] * len(run.tasks)  # by task: the objects touched since it came to its local state
        self.seen: list[tuple[int, int]] = []  # the values read so far by the step, on which these may depend
        self.entered = [0] * len(run.tasks)  # by task: the loops entered since it came to its local state
        self.loops: dict[tuple[int, int], int] = {}  # (task, the run's number of a loop) -> ours
        self.private = [ThreadLocalState() for _ in run.tasks]
        self.last: list[tuple[LocalState, Transition] | None] = [None] * len(
            run.tasks
        )  # by task: the local state and transition by which it came to its present one
        self.loop_state_known = [False] * len(run.tasks)  # by task: whether its state was known in its last pass
        self.passed: list[set[Any]] = [set() for _ in run.tasks]  # by task: the states of passes since it moved
        self.stopped: list[list[int]] = [[] for _ in run.tasks]  # by task: steps at which it could not move
        self.stores: dict[str, int] = {}  # by queue: the number of the latest store that reached memory
        self.written: set[Target] = set()
        self.firsts: dict[Any, Any] = {}  # the initial values of locations; objects in them are identified last
        self.contended = _contended_in(run)
        self.event_wakes = {  # the operations that wake waits for events
            access.target for step in run.log if step.more and _is_event(step.target) for access in step.more
        }
        self.unknown: list[tuple[Any, Op]] = []  # unrecorded values that a step writes to locations of its thread alone
        self.queues: dict[int, tuple[int, ...]] = {}  # place of a condition -> the waiting threads, first come first

    def walk(self) -> None:
        """Add all steps of the run to the automata. Cost: linear in the steps."""
        enabled: dict[int, tuple[int, ...]] = {choice.point: choice.enabled for choice in self.run.choices}
        cursor = 0
        self.at[0] = self.behaviour.root(self.threads[0])
        for number, step in enumerate(self.run.log):
            if step.point:
                if cursor == self.record.idle:
                    self.behaviour.expired[self._vector()] = self.threads[step.task]
                    self.behaviour.concerns_all()
                self._note_stopped(number, step.task, enabled.get(cursor, (step.task,)))
                cursor += 1
            if step.op is Op.BEGIN:
                self.at[step.task] = self.behaviour.root(self.threads[step.task])
            if step.op is Op.BRANCH:
                self._pass(step)
            else:
                self._step(number, step)
        self._end()

    def _note_stopped(self, number: int, moved: int, enabled: tuple[int, ...]) -> None:
        for task, moment in enumerate(self.at):
            if moment is not None and task != moved and task not in enabled and not moment.done:
                self.stopped[task].append(number)

    # -- one step -----------------------------------------------------------------------------------------------------

    def _step(self, number: int, step: Step) -> None:
        behaviour, task = self.behaviour, step.task
        moment = self.at[task]
        assert moment is not None
        attempt = any(access.op is Op.REQUEST for access in step.more)
        seen, writes = self._accesses(task, moment, step, attempt)
        seen, writes = self._daemon(step, seen, writes)
        unknown, self.unknown = self.unknown, []
        if self._is_nothing(step, seen, writes):
            for location, op in unknown:
                self.private[task].write(location, op, None, moment.number)
            return
        if moment.site != step.site and moment.moves:
            behaviour.astray += 1
        moment.site, moment.point = step.site, step.point
        taking = step.op in _TAKING and not attempt
        if taking or not moment.looks:
            moment.op = step.op
            behaviour.expects(moment, tuple([place for place, _ in seen]), taking, 0, 0)
        self._refuse(step, moment, seen, attempt)
        if (
            self.stores
            and not step.point
            and any(map(_is_arrival, (step.target, *[access.target for access in step.more])))
        ):
            # It waits until stores have reached memory, all at once, even if it was never held before this step.
            moment.refused.update(product(*[{(place, FIRST), (place, value)} for place, value in seen]))
            moment.refused.discard(seen)
        move = moment.moves.get(seen)
        if move is None:
            move = behaviour.extend(moment, seen, writes, self._started_by(step))
        elif [place for place, _ in move.writes] != [place for place, _ in writes]:
            behaviour.astray += 1
        for place, value in move.writes:
            self.memory[place] = value
            self.history.setdefault(place, []).append((number, value))
        move.to.done = step.op is Op.END
        move.to.keeps = any(access.target == DAEMONS for access in step.more)
        move.to.daemon = move.to.daemon or step.op is Op.BEGIN and seen[-1][1] == DAEMON
        move.to.things |= moment.things
        for location, op in unknown:  # the value may depend on the step's reads
            self.private[task].write(location, op, None, move.to.number)
        self._arrive(task, moment, move)
        if step.op is Op.WRITE and _is_store(step.target):
            self.private[task].since = move.to.number  # since stores are numbered
            self._store(step.target[1], step.target[2])
        elif step.op is Op.WRITE and is_flusher(queue := self.run.tasks[task]):
            self.stores[queue] += 1
            self._await_store(move.to, queue, self.stores[queue] + 1)

    def _daemon(
        self, step: Step, seen: Seen, writes: list[tuple[int, int | None]]
    ) -> tuple[Seen, list[tuple[int, int | None]]]:
        """Add to the start of a thread whether it is a daemon, which the thread finds at its first step: in another
        execution that may be different."""
        if step.op not in (Op.FORK, Op.BEGIN):
            return seen, writes
        place = self._place((Kind.DAEMON.tag, step.target[1]))
        if step.op is Op.FORK:
            is_daemon = self.run.tasks.index(step.target[1]) in self.run.daemons
            return seen, [*writes, (place, DAEMON if is_daemon else FIRST)]
        return (*seen, (place, self.memory.get(place, FIRST))), writes

    def _arrive(self, task: int, moment: LocalState, move: Transition) -> None:
        """Note that a task has made a transition."""
        self.at[task] = move.to
        self.last[task] = (moment, move)
        self.passed[task].clear()
        self.touched[task] = self.entered[task] = 0

    # -- loops --------------------------------------------------------------------------------------------------------

    def _pass(self, step: Step) -> None:
        """Begin a pass of a loop: if its state equals that of an earlier pass, the thread is in the same local
        state."""
        task, moment = step.task, self.at[step.task]
        assert moment is not None
        _, site, entry = step.target
        loop = self.loops.get((task, entry))
        if loop is None:
            loops = self.behaviour.loops
            loop = self.loops[task, entry] = loops.setdefault((moment.number, site, self.entered[task]), len(loops) + 1)
            self.entered[task] += 1
        key = self._state(step.value, task, moment, loop)
        self.loop_state_known[task] = key is not None
        if key is None:
            return
        if key in self.passed[task]:
            self._idles(moment)
        self.passed[task].add(key)
        standing = self._stood(key, LoopHeadState(moment, self.entered[task], self.touched[task]))
        came_by = self.last[task]
        if standing.moment is not moment and came_by is not None:
            self.behaviour.returns(*came_by, standing.moment)
        self.at[task], self.entered[task], self.touched[task] = standing

    def _idles(self, moment: LocalState) -> None:
        """Note that the thread loops for ever, without an effect on others."""
        self.behaviour.idles(moment)

    def _stood(self, key: Any, standing: LoopHeadState) -> LoopHeadState:
        """The position in which the thread was first seen in this state; the present one, if it was not."""
        return self.behaviour.passes.setdefault(key, standing)

    def _state(self, value: Any, task: int, moment: LocalState, loop: int) -> Any:
        """The state on which a thread's next steps depend, besides its next reads; None if it can't be recorded."""
        private = self.private[task]
        if value is None or len(private.holds) > MOST:
            return None
        silent, births, variables = value
        if (silent, births) != private.counts:
            private.counts, private.since = (silent, births), moment.number
        touched, self.touched[task] = self.touched[task], -(loop << 20)  # counted apart: other paths lead here, too
        state = self._key(variables, task, moment)
        holds = frozenset([(place, self._key(held, task, moment)) for place, held in private.holds.items()])
        self.touched[task] = touched
        return (loop, private.since, state, holds)

    def _started_by(self, step: Step) -> int:
        """The thread that a step starts; -1: none. A queue of stores counts as a thread that its first store starts."""
        starts = step.op is Op.FORK or step.op is Op.WRITE and _is_store(step.target)
        if not starts or step.target[1] in self.stores:
            return -1
        return self.behaviour.thread(step.target[1])

    def _store(self, queue: str, number: int) -> None:
        """Note that a store enters a queue, which counts as a thread from the first store on."""
        if queue not in self.stores:
            root = self.behaviour.root(self.behaviour.thread(queue))
            root.daemon = True
            self._await_store(root, queue, number)
            if queue in self.run.tasks:
                self.at[self.run.tasks.index(queue)] = root
        self.stores.setdefault(queue, number - 1)

    def _await_store(self, moment: LocalState, queue: str, number: int) -> None:
        """Note that a queue has no step before the store of this number."""
        if moment.point is None:
            place = self._place((STORE, queue, number))
            moment.op, moment.point = Op.READ, False
            self.behaviour.expects(moment, (place,), False, 1 << place, 0)
            moment.refused.add(((place, FIRST),))

    def _is_nothing(self, step: Step, seen: Seen, writes: list[tuple[int, int | None]]) -> bool:
        """Whether a step is left out: others do not observe it, and none needs to come before it."""
        return not seen and not writes and not step.point and step.op not in _LIFE

    def _refuse(self, step: Step, moment: LocalState, seen: Seen, attempt: bool) -> None:
        """Note the values that the places read now had while the thread could not move.

        Not for plain reads: a thread held in a loop is not held by its next read alone.
        """
        stopped, self.stopped[step.task] = self.stopped[step.task], []
        if (
            moment.call is not None
            or attempt
            or step.point
            and step.op not in _WAITING
            or moment.waits
            and len(seen) == 1
        ):
            return
        for number in stopped:
            held = tuple([(place, self._held_at(place, number)) for place, _ in seen])
            if held != seen:
                moment.refused.add(held)

    def _held_at(self, place: int, number: int) -> int:
        writes = self.history.get(place, [])
        position = bisect_right(writes, (number, -1)) - 1
        return writes[position][1] if position >= 0 else self.behaviour.initial[place]

    def _accesses(
        self, task: int, moment: LocalState, step: Step, attempt: bool
    ) -> tuple[Seen, list[tuple[int, int | None]]]:
        """The reads of a step, with values, and its writes; None stands for an unrecorded value."""
        if _is_invoked(step.target) and (logged := logged_call(step.value)) is not None:
            return self._called(task, moment, step, logged)
        seen = self.seen = []
        writes: list[tuple[int, int | None]] = []
        opaque = step.value == OPAQUE
        read_value = None if attempt or opaque else step.value
        wakes = [access.target for access in step.more if _is_wake(access.target)]
        woken: tuple[int, ...] = ()
        for op, target, value in ((step.op, step.target, read_value), *step.more):
            changes = WRITES[op]
            if not (changes or READS[op]):
                continue
            location = self._location(target, changes, task, moment) if _is_about_object(target) else target
            if changes:
                self.written.add(target)
            elif _is_object(value) and self._is_untouched(target):
                self._began_with(location, value[1])
            kind = kind_of(target)
            if kind is _WAKE:
                location = self._wake(task, target, woken[len(writes) - 1] if step.op in _QUEUEING else -1)
            elif op not in _LIFE and kind not in _KEPT and not self._contended(task, location, target, changes):
                if changes and (opaque or value is None or op is Op.RMW and type(value) is not tuple):
                    self.unknown.append((location, op))
                elif changes:
                    self.private[task].write(location, op, value, moment.number)
                continue
            if opaque and op is not Op.READ:
                self._opaque(location)
            place = self._place(location)
            self._begin(place, location, target)
            # The wake-ups by which an event is set depend on the threads that wait for it.
            if (READS[op] or kind is _EVENT) and all(place != written for written, _ in writes):
                seen.append((place, self.memory[place]))
                self._saw(place, location, op, value)
            if changes:
                if op in _QUEUEING or place in self.queues:
                    woken = self.queues.get(place, ())[: len(wakes)]
                    written: int | None = self._queued(task, place, op, len(wakes))
                    if op is Op.WAIT:
                        writes.append((self._place((WAKE, self.run.tasks[task])), FIRST))
                else:
                    written = self._written(task, moment, place, location, op, value)
                writes.append((place, written))
        self.seen = []
        return tuple(seen), writes

    def _called(
        self, task: int, moment: LocalState, step: Step, logged: LoggedCall
    ) -> tuple[Seen, list[tuple[int, int | None]]]:
        """The reads and writes of a call of a marked object: it sees its result, and writes the object's state."""
        location = self._location(step.target, True, task, moment) if _is_about_object(step.target) else step.target
        self.written.add(step.target)
        if not self._contended(task, location, step.target, True):
            self.private[task].write(location, step.op, ("state", logged.after), moment.number)
            return (), []
        place, abstract = self._place(location), self.behaviour.abstract
        if place not in self.memory:
            self.memory[place] = FIRST
            self._begins_with(place, logged.before)
        self._calls(moment, place, logged)
        return ((place, abstract.result(logged.result)),), [(place, abstract.state(place, logged.after))]

    def _begins_with(self, place: int, state: str) -> None:
        """Note the initial state of a marked object, which is called for the first time in this run."""
        if not self.behaviour.abstract.begin(place, state):
            self.behaviour.astray += 1

    def _calls(self, moment: LocalState, place: int, logged: LoggedCall) -> None:
        """Note that the next step of a thread is a call."""
        call = self.behaviour.abstract.call(place, logged)
        if moment.call is None:
            moment.call = call
        elif moment.call is not call:
            self.behaviour.astray += 1

    def _contended(self, task: int, location: Any, target: Target, writes: bool) -> bool:
        return self.behaviour.contended(location, self.run.tasks[task], writes, target in self.contended)

    def _opaque(self, location: Any) -> None:
        self.behaviour.used_unseen(location)

    def _place(self, location: Any) -> int:
        return self.behaviour.place(location)

    def _begin(self, place: int, location: Any, target: Target) -> None:
        """Note that a place is touched, perhaps for the first time in this run."""
        if place not in self.memory:
            self.memory[place] = self.behaviour.initial[place]
            first = self.run.first.get(target)
            if first is not None:
                self.firsts.setdefault(location, first)

    def _saw(self, place: int, location: Any, op: Op, value: Any) -> None:
        """Note that a step read a place."""
        if op is Op.READ and value is not None and place not in self.history:
            self.firsts.setdefault(location, value)
        elif op is Op.ACQUIRE and self.memory[place] == HELD:
            self.behaviour.astray += 1

    def _written(self, task: int, moment: LocalState, place: int, location: Any, op: Op, value: Any) -> int | None:
        if op is Op.ACQUIRE:
            return HELD
        if op is Op.RELEASE:
            if place not in self.history and self.behaviour.initial[place] != HELD:
                self.behaviour.was_held(location)
            return None if self.behaviour.is_opaque(location) else FIRST
        kind = kind_of(location)
        if op is Op.END or kind is _WAKE or kind is _ARRIVAL:
            return ENDED  # the end of the wait: the waker makes no difference
        if kind is _STORE or self.behaviour.is_opaque(location):
            return None  # the value alone does not determine where it goes
        # The value of an update is the value written only if it is recorded as a key; otherwise it may be the value
        # read.
        if value is not None and (op is Op.WRITE or op is Op.RMW and type(value) is tuple):
            return self.behaviour.written(location, self._key(value, task, moment))
        return None

    def _wake(self, task: int, target: Target, woken: int) -> Target:
        """The place of the wake-up of a thread that waits for a condition: one per thread, for all its waits."""
        if target in self.event_wakes:
            if (moment := self.at[task]) is not None:
                self.private[task].since = moment.number  # since wake-ups are numbered
            return target
        return (WAKE, self.run.tasks[task] if woken < 0 else self.behaviour.threads[woken])

    def _queued(self, task: int, place: int, op: Op, woken: int) -> int:
        """The value of a condition after a step: the threads that wait for it; a thread that gives up waiting leaves by
        another operation."""
        queue, thread = self.queues.get(place, ()), self.threads[task]
        if op is Op.WAIT:
            queue = (*queue, thread)
        elif op in _QUEUEING:
            queue = queue[woken:]
        else:
            queue = tuple([other for other in queue if other != thread])
        self.queues[place] = queue
        return self.behaviour.value(("queue", queue)) if queue else FIRST

    # -- objects ------------------------------------------------------------------------------------------------------

    def _location(self, target: Target, writes: bool, task: int = -1, moment: LocalState | None = None) -> Target:
        """A target with our numbers of objects."""
        if not _is_about_object(target):
            return target
        thing = self._object(target[1], task, moment)
        part = (target[0], *[self._key(rest, task, moment) for rest in target[2:]])
        self._touch(thing, part, writes)
        return (part[0], thing, *part[1:])

    def _touch(self, thing: int, part: Any, writes: bool) -> None:
        self.behaviour.company.touch(thing, part, writes)

    def _key(self, key: Any, task: int = -1, moment: LocalState | None = None) -> Any:
        """The key of a value, or a part of a target, with our numbers of objects. ``task`` and ``moment``: the thread
        whose history determines an object in it."""
        if type(key) is not tuple:
            return key
        if _is_object(key):
            thing = self._object(abs(key[1]), task, moment)
            return ("object", thing if key[1] > 0 else -thing)
        return tuple([self._key(part, task, moment) for part in key])

    def _object(self, number: int, task: int, moment: LocalState | None) -> int:
        """Our number of an object of this run: that of the object after the same history in earlier runs."""
        behaviour, here = self.behaviour, self.record.objects.get(number)
        if moment is not None:
            self._meet(number, task, moment)
        if moment is None:
            if here is None:
                here = self.record.objects[number] = behaviour.new_object()
            return behaviour.find(here)
        key = (moment.number, self.touched[task], *self.seen)
        self.touched[task] += 1
        known = behaviour.touched.get(key)
        if here is None:
            here = known if known is not None else behaviour.new_object()
            self.record.objects[number] = here
        elif known is not None and behaviour.find(known) != behaviour.find(here):
            behaviour.same(behaviour.find(known), behaviour.find(here))
        behaviour.touched[key] = here
        thing = behaviour.find(here)
        moment.things |= 1 << thing
        return thing

    def _is_untouched(self, target: Target) -> bool:
        """Whether a location holds its initial value. Not known for attributes: an attribute that an object lacks may
        come from its class, whose value may have changed."""
        changed = any(whole in self.written for whole in wholes_of(target))
        return kind_of(target) is not Kind.ATTRIBUTE and not changed and target not in self.written

    def _began_with(self, location: Target, number: int) -> None:
        """Identify the object in a location without a write: it holds the same object in all runs."""
        behaviour, here = self.behaviour, self.record.objects.get(abs(number))
        known = behaviour.began_with.get(location)
        if here is None:
            here = self.record.objects[abs(number)] = behaviour.new_object() if known is None else known
        elif known is not None and behaviour.find(known) != behaviour.find(here):
            behaviour.same(behaviour.find(known), behaviour.find(here))
        behaviour.began_with[location] = here

    def _meet(self, number: int, task: int, moment: LocalState) -> None:
        """Note that a task touches an object, perhaps one that it has made: a pass that makes an object differs from
        the one before."""
        private = self.private[task]
        if number not in private.mine:
            private.mine.add(number)
            private.since = moment.number

    # -- the end ------------------------------------------------------------------------------------------------------

    def _end(self) -> None:
        behaviour, run = self.behaviour, self.run
        for blocked in run.blocked:
            moment = self.at[blocked.task]
            if moment is None or moment.done:
                continue
            if blocked.repeats is not None and self.loop_state_known[blocked.task]:
                continue  # its next step is known, or will be
            moment.doomed = moment.doomed or blocked.target == ASSUMPTION
            moment.leaves = moment.leaves or blocked.target == NOTHING
            if moment.point is None or blocked.repeats is not None:
                self._expect(moment, blocked)
            if run.idle or run.tasks[blocked.task] == self.record.refused or blocked.target == ASSUMPTION:
                moment.refused.add(tuple([(place, self._holds(place)) for place in moment.looks]))
        for location, value in self.firsts.items():
            behaviour.saw_first(location, self._key(value))
        behaviour.unsure = behaviour.unsure or run.limited or bool(run.truncated or run.untracked or run.uncontrolled)
        if run.truncated:
            for moment in self.at:
                if moment is not None and moment.point is None:
                    moment.done = True  # no run will show a further step
        behaviour.company.meet(bits([behaviour.find(thing) for thing in set(self.record.objects.values())]))
        if run.divergence is None and not run.settled:
            behaviour.ended.setdefault(self._vector(), self.record)

    def _holds(self, place: int) -> int:
        return self.memory.get(place, self.behaviour.initial[place])

    def _expect(self, moment: LocalState, blocked: Blocked) -> None:
        """Note the operation before which a thread was stopped: it has never gone on from there, or it is held in a
        loop until a location changes that the loop reads."""
        behaviour = self.behaviour
        if moment.point is None:
            moment.op, moment.site, moment.point = blocked.op, blocked.site, blocked.point
        looks, read, written = [], 0, 0
        woken = () if blocked.wake is None else (blocked.wake,)
        for target in dict.fromkeys((blocked.target, *(blocked.repeats or ()), *woken)):
            writes = WRITES[blocked.op] and target == blocked.target
            if target == blocked.target:  # the first target of the next step
                location = self._location(target, writes, blocked.task, moment)
            else:
                location = self._location(target, writes)
            if _is_wake(target) and target not in self.event_wakes:
                location = (WAKE, self.run.tasks[blocked.task])
            if (
                blocked.op in _LIFE
                or _is_wake(target)
                or kind_of(target) in _KEPT
                or self._contended(blocked.task, location, target, writes)
            ):
                place = behaviour.place(location)
                if READS[blocked.op]:
                    looks.append(place)
                    read |= 1 << place
                if writes:
                    written |= 1 << place
        taking = blocked.op in _TAKING and blocked.repeats is None
        behaviour.expects(moment, tuple(looks), taking, read, written)

    def _vector(self) -> tuple[int, ...]:
        """The local state of each thread, by its number."""
        found = [-1] * len(self.behaviour.threads)
        for moment in self.at:
            if moment is not None:
                found[moment.thread] = moment.number
        while found[-1] < 0:
            found.pop()
        return tuple(found)


def _is_about_object(target: Target) -> bool:
    return len(target) > 1 and type(target[1]) is int and target[1] >= OBJECTS


def _is_object(key: Any) -> bool:
    """Whether a value's key stands for an object."""
    return (
        type(key) is tuple and len(key) == 2 and key[0] == "object" and type(key[1]) is int and abs(key[1]) >= OBJECTS
    )


def _contended_in(run: Run) -> set[Target]:
    """The locations that several threads access in one run, one of them writing."""
    found: set[Target] = set()
    known: dict[Target, tuple[int, bool]] = {}
    touched = [(step.task, step.op, step.target) for step in run.log]
    touched += [(step.task, access.op, access.target) for step in run.log for access in step.more]
    touched += [(blocked.task, blocked.op, blocked.target) for blocked in run.blocked]
    for task, op, target in touched:
        if target not in found and (READS[op] or WRITES[op]):
            only, written = known.get(target, (task, False))
            written = written or WRITES[op]
            if only != task and written:
                found.add(target)
            known[target] = (task if only == task else -1, written)
    return found
