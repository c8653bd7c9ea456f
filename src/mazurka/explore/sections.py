"""Critical sections as single events, so that those which commute need not be executed in both orders.

Definition. A *section* is what a thread does from the acquire of a lock to its release. A lock *makes sections atomic*
if in no execution (i) a section holds another lock, waits, starts or ends a thread, or hands its lock on, (ii) a thread
tests the lock, takes it with a limit, or never gives it back, (iii) another thread may access a location of a section
at any moment of it: two conflicting accesses of two threads are in sections of the same lock, or are ordered by
anything but locks of this kind. Then a section can be moved together (Lipton: Reduction, CACM 18(12), 1975): its
acquire is a right mover, its release a left mover, its accesses are both. So an execution in which no thread stops
inside of one reaches the same failures and final states, in which no such lock is ever seen taken. A section is then
one event whose accesses are those of all its steps, without the lock.

A step outside of these that only inserts an item into a dictionary, appends to a list, or writes to a file, is a
section of its own.

Two accesses *commute* if both add to an integer without showing it (``n += 1``), or both insert or remove items of a
dictionary or a set whose order nobody looks at, or append to a list, likewise, or write to a file that nobody reads. So
two sections that only count are in no order.

How it is used. :meth:`Sections.merged` makes of an execution one with sections as single events, from which a search
takes its conflicts (races.py). All else knows only the execution as it was. The knowledge of locks that do not make
sections atomic, of threads that add, and of dictionaries that are looked at grows with the executions of a search; if
an execution contradicts what was assumed, the search begins again. That no such execution is missed is argued in
docs/explanation/sections.md.

Additions are shown to searches, which know reads and writes only, by a location for each thread: a section that adds
writes its thread's one, and one that reads or writes the sum reads or writes all of them. What sections access, and
what is accessed outside of them, has different names: by (iii) such accesses have an order without that.

Cost: two passes over the steps, a microsecond each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from mazurka.explore.merged_run import MergedRun, accesses_of, event_of, is_of_content, permits_of
from mazurka.explore.semaphores import Semaphores
from mazurka.explore.strategy import JournalRecord
from mazurka.program.protocol import Access, Run
from mazurka.program.runtime.lazy_run import Entry
from mazurka.trace.event import READS, WRITES, Op
from mazurka.trace.fingerprints import fingerprint_of_name
from mazurka.trace.targets import Kind, Target, is_only_content, of_kinds

_is_lock: Final = of_kinds(Kind.LOCK)
#: Locations whose content is in an order: keys of a dictionary, elements, what was written to a file or to its buffer.
_is_ordered: Final = of_kinds(Kind.STRUCTURE, Kind.FILE, Kind.OPEN_FILE)
_is_file: Final = of_kinds(Kind.FILE, Kind.OPEN_FILE)
#: Stands for the order in all files: it is not known which open file has which names, and what is still in its buffer.
_FILES: Final = ("files",)
_is_item: Final = of_kinds(Kind.ITEM)
#: Begins what stands for the order in what steps at a place in the source add.
_PLACE: Final = "place"


class _Section(NamedTuple):
    """The steps from ``first`` to ``last``, both inclusive, of a thread that holds ``lock``.

    A step that only adds, outside of all others, is a section of its own: it needs no lock to be indivisible. Instead
    of one it has the place in the source where it adds, which is the same in all executions; or it is one that writes
    to a file."""

    first: int
    last: int
    lock: Target

    @property
    def is_step(self) -> bool:
        return self.first == self.last


class _Touched(NamedTuple):
    """What a section accesses: the locations that it only adds to, and its other accesses, with whether the order of
    what is added to the location is looked at."""

    added: list[Target]
    others: list[tuple[Op, Target, bool]]

    def commutes(self, other: _Touched) -> bool:
        """Whether neither accesses what the other writes, unless both only add to it."""
        return self._spares(other) and other._spares(self)

    def _spares(self, other: _Touched) -> bool:
        written = {*self.added, *[name for op, name, _ in self.others if WRITES[op]]}
        return written.isdisjoint([name for _, name, _ in other.others])


class Sections:
    """What the executions of a search have shown about locks and locations, each by its fingerprint.

    Only locks are considered of which the first execution of a search has two sections that commute, or would if they
    were of different threads: nothing is gained by others, and each that turns out not to make its sections atomic
    costs a new beginning. Likewise the orders in what steps add.
    """

    def __init__(self, finals: bool = False, semaphores: Semaphores | None = None) -> None:
        self._finals = finals  # whether code outside of the program sees the order of keys, and files
        self._semaphores = semaphores  # those that sections may give permits back to; None: none
        self._chosen: set[int] | None = None  # the locks and orders that are considered; None: not chosen yet
        self._not_atomic: set[int] = set()  # locks
        self._looked_at: set[int] = set()  # orders: of what sections of a lock, or steps at a place, add; of files
        self._adding: dict[int, set[str]] = {}  # by location: the threads that add to it (_stable)
        self._found: list[_Section] = []  # the sections of the last execution

    # -- knowledge ----------------------------------------------------------------------------------------------------

    def begin_again(self, earlier: Sections) -> None:
        """A search begins, or begins again: keep what is known, and choose locks anew."""
        self._not_atomic, self._looked_at, self._adding = earlier._not_atomic, earlier._looked_at, earlier._adding
        self._chosen, self._found = None, []

    def record(self) -> JournalRecord:
        """The knowledge as a journal record."""
        adding = {str(target): sorted(threads) for target, threads in self._adding.items()}
        chosen = None if self._chosen is None else sorted(self._chosen)
        return ("sections", json.dumps([chosen, sorted(self._not_atomic), sorted(self._looked_at), adding]))

    def recall(self, record: JournalRecord) -> bool:
        """Take over a record, if it is one of these; returns whether it is."""
        if record[0] != "sections":
            return False
        chosen, locks, looked_at, adding = json.loads(record[1])
        self._chosen = None if chosen is None else set(chosen)
        self._not_atomic, self._looked_at = set(locks), set(looked_at)
        self._adding = {int(target): set(threads) for target, threads in adding.items()}
        return True

    def foresee(self, run: Run) -> None:
        """Learn from an execution before the search, in which threads may have stopped in sections."""
        if self._chosen is None:
            self._learn(run, alone=False)

    def learn(self, run: Run) -> bool:
        """Learn from an execution of the search; returns whether the search has to begin again, since it contradicts
        what earlier ones have shown."""
        before = self._size()
        self._learn(run, alone=True)
        if self._chosen is not None:
            return self._size() != before
        self._chosen = self._worthwhile(run)
        self._found = [each for each in self._found if self._is_considered(each.lock)]
        return False

    def _learn(self, run: Run, alone: bool) -> None:
        if self._chosen is not None and self._chosen <= self._not_atomic | self._looked_at:
            self._found = []
            return  # no lock is considered, as with most programs; none will be before the search begins again
        sections = self._sections(run, alone)
        self._found = sorted([*sections, *self._added_alone(run, sections)])
        if run.untracked or run.uncontrolled:  # who knows what it does under which lock
            self._except(each.lock for each in self._found)
            self._found = []
        if self._found:
            self._check(run, self._found)
            self._learn_additions(run, self._found)
            self._found = [each for each in self._found if self._is_considered(each.lock)]

    def _size(self) -> tuple[int, int, int]:
        return len(self._not_atomic), len(self._looked_at), sum(map(len, self._adding.values()))

    def _is_considered(self, lock: Target) -> bool:
        printed = fingerprint_of_name(lock)
        if printed in self._not_atomic or printed in self._looked_at:
            return False
        return self._chosen is None or printed in self._chosen

    def _except(self, locks: Iterable[Target]) -> None:
        self._not_atomic.update(map(fingerprint_of_name, locks))

    def _worthwhile(self, run: Run) -> set[int]:
        """The locks with two sections that commute, if of different threads: that one thread executes all of them
        here need not be so in other executions. All, if an operation of a semaphore may become part of a section."""
        if self._semaphores is not None and self._semaphores.has_semaphores(run):
            return {fingerprint_of_name(each.lock) for each in self._found}
        earlier: dict[Target, dict[Target, list[_Touched]]] = {}
        chosen = set[Target]()
        for section in self._found:
            touched = self._touched(run, section)
            place = touched.added[0] if section.is_step and touched.added else section.lock
            by_lock = earlier.setdefault(place, {})
            for lock, others in by_lock.items():
                if lock in chosen and section.lock in chosen:
                    continue  # each pair is compared but once, or else a thousand sections would take minutes
                if any(touched.commutes(other) for other in others):
                    chosen.update((section.lock, lock))
            mine = by_lock.setdefault(section.lock, [])
            if not mine or touched != mine[-1]:  # as most sections that do not commute
                mine.append(touched)
        return set(map(fingerprint_of_name, chosen))

    def _is_release(self, run: Run, number: int) -> bool:
        return self._semaphores is not None and self._semaphores.is_release(run, number)

    # -- finding sections ---------------------------------------------------------------------------------------------

    def _sections(self, run: Run, alone: bool) -> list[_Section]:
        """The sections of locks that make them atomic, by first step. Those of a lock that does not are left out."""
        found: list[_Section] = []
        held: dict[int, list[tuple[int, Target]]] = {}  # by thread: the locks that it holds, and since which step
        for number, entry in enumerate(run.entries()):
            task, op, target, _, point, _, more = entry
            is_of_lock = _is_lock(target) and self._is_considered(target)
            if not (is_of_lock or held or more):
                continue
            mine = held.get(task, [])
            if alone and len(held) > (task in held):
                self._except(lock for other, locks in held.items() if other != task for _, lock in locks)
            if is_of_lock and op is Op.ACQUIRE and point and not more and target not in run.unseen:
                self._except(lock for _, lock in mine)
                held[task] = [*mine, (number, target)]
            elif is_of_lock and op is Op.RELEASE and not more and mine and mine[-1][1] == target:
                found.append(_Section(mine.pop()[0], number, target))
                if not mine:
                    del held[task]
            else:
                self._except(each for _, each in accesses_of(entry) if _is_lock(each) and self._is_considered(each))
                if mine and not (is_of_content(entry) or self._is_release(run, number)):
                    self._except(lock for _, lock in mine)
        self._except(lock for locks in held.values() for _, lock in locks)
        return [each for each in found if self._is_considered(each.lock)]

    def _added_alone(self, run: Run, sections: list[_Section]) -> list[_Section]:
        """The steps outside of these sections that only add."""
        entries = run.entries()
        inside = {number for section in sections for number in _inner(run, section)}
        found: list[_Section] = []
        for number in [~each for each in run.additions if each < 0 and ~each not in inside]:
            if entries[number][4] and is_of_content(entries[number]):
                added = {_FILES if _is_file(each) else each for each in _added(run, number, is_step=True)}
                if len(added) == 1:
                    order = _FILES if _FILES in added else (_PLACE, entries[number][3])
                    if self._is_considered(order):
                        found.append(_Section(number, number, order))
        return found

    # -- the discipline -----------------------------------------------------------------------------------------------

    def _check(self, run: Run, sections: list[_Section]) -> None:
        """Look for accesses that another thread might make in the midst of a section."""
        entries = run.entries()
        lock_at: dict[int, Target] = {}
        inside: set[Target] = set()
        unordered = {section.lock for section in sections}  # nothing is ordered by these
        for section in sections:
            if section.is_step:
                unordered.update(_added(run, section.first, is_step=True))
                continue
            for number in _inner(run, section):
                lock_at[number] = section.lock
                if self._is_release(run, number):
                    continue  # it moves like the release of the lock
                inside.update([target for _, target in accesses_of(entries[number])])
        clocks = [[0] * len(run.tasks) for _ in run.tasks]
        synchronised: dict[Target, list[list[int]]] = {}  # by target: the clocks of its writes, and of all accesses
        accessed: dict[Target, dict[tuple[int, Target | None, bool], int]] = {}
        for number, entry in enumerate(entries):
            task, lock = entry[0], lock_at.get(number)
            clock = clocks[task]
            for op, target in accesses_of(entry):
                if target in inside:
                    writes = WRITES[op]
                    past = accessed.setdefault(target, {})
                    for (other, their_lock, wrote), when in past.items():
                        if other != task and (writes or wrote) and when >= clock[other]:
                            if lock is None or lock != their_lock:
                                self._except(each for each in (lock, their_lock) if each is not None)
                    past[task, lock, writes] = clock[task]
                elif target not in unordered and (entry[4] or not is_only_content(target)):
                    if self._semaphores is not None and self._semaphores.is_private(target):
                        continue  # it orders nothing
                    how = op if self._semaphores is None else self._semaphores.op_of(run, number, op, target)
                    _synchronise(clock, task, how, synchronised.setdefault(target, [[], []]))

    def _learn_additions(self, run: Run, sections: list[_Section]) -> None:
        entries = run.entries()
        inserted: dict[Target, set[Target]] = {}  # locations whose content is in an order, and names of the order
        lists: set[Target] = set()
        for section in sections:
            if self._is_considered(section.lock):
                for number in _inner(run, section):
                    for target in _added(run, number, section.is_step):
                        name = _name_of(target, section)
                        self._adding.setdefault(_stable(name), set()).update(run.tasks)  # others may, too
                        if _is_ordered(target):
                            if target == entries[number][2] and not _is_file(target):
                                lists.add(target)  # a step that adds a key is on that key
                            inserted.setdefault(target, set()).add(_order_of(target, section))
        if not inserted:
            return
        has_files = any(_FILES in orders for orders in inserted.values())
        for number, entry in enumerate(entries):
            for _, target in accesses_of(entry):
                orders = {_FILES} if has_files and _is_file(target) else inserted.get(target, set())
                if orders and (self._finals or self._is_look(run, number, target, target in lists)):
                    self._looked_at.update(map(fingerprint_of_name, orders))

    def _is_look(self, run: Run, number: int, target: Target, is_list: bool) -> bool:
        """Whether a step that accesses a location shows the order of what is there."""
        if number in (run.counted if is_list else run.unordered) or target in _added(run, number):
            return False
        key = run.entries()[number][2]
        return is_list or not (_is_item(key) and key[1] == target[1])

    def beginnings(self, run: Run) -> dict[int, Target]:
        """The points of the execution that was last learnt from with which sections of locks begin, and the locks."""
        locks = {section.first: section.lock for section in self._found if not section.is_step}
        points = [number for number, entry in enumerate(run.entries()) if entry[4]] if locks else []
        return {point: locks[number] for point, number in enumerate(points) if number in locks}

    # -- merging ------------------------------------------------------------------------------------------------------

    def merged(self, run: Run) -> Run:
        """The execution that was last learnt from, with its sections as single events."""
        if not self._found and not self._chosen:
            return run
        entries, sections = run.entries(), iter(self._found)
        steps: list[Entry] = []
        starts: list[int] = []
        spans: list[tuple[int, int]] = []
        section = next(sections, None)
        number = points = 0
        while number < len(entries):
            entry, first = entries[number], number
            if entry[4]:
                starts.append(points)
            if section is not None and section.first == number:
                inner = entries[number + 1 : section.last + 1]
                passed = 1 + sum([1 for each in inner if each[4]])
                points += passed
                steps.append(self._event(run, section, passed))
                number, section = section.last + 1, next(sections, None)
            else:
                points += entry[4]
                steps.append(self._with_added(entry))
                number += 1
            spans.append((first, number))
        events = {start: event for event, start in enumerate(starts)}
        choices = [(events[point], chosen, enabled) for point, chosen, enabled in run.decisions() if point in events]
        made = MergedRun(run.tasks, steps, choices)
        made.blocked, made.starts, made.spans = run.blocked, starts, spans
        return made

    def _event(self, run: Run, section: _Section, passed: int) -> Entry:
        """The event that a section is."""
        task, _, _, site, _, _, _ = run.entries()[section.first]
        return event_of(task, passed, self._touched_by(run, section), site=site if section.is_step else None)

    def _with_added(self, entry: Entry) -> Entry:
        """A step outside of sections, which conflicts with what threads add to its locations."""
        more = [
            Access(op, part)
            for op, target in accesses_of(entry)
            if _is_ordered(target)
            for part in self._parts_of(target)
        ]
        return (*entry[:6], (*entry[6], *more)) if more else entry

    def _parts_of(self, name: Target) -> list[Target]:
        """The locations that stand for what each thread adds to one of this name."""
        return [(*name, "added by", each) for each in sorted(self._adding.get(_stable(name), ()))]

    def _touched_by(self, run: Run, section: _Section) -> Iterable[tuple[Op, Target]]:
        """The accesses of a section at points, each once, with a location for what each thread adds to another one."""
        thread, touched = run.tasks[run.entries()[section.first][0]], self._touched(run, section)
        accesses: dict[tuple[Op, Target], None] = dict.fromkeys(
            [(Op.WRITE, (*name, "added by", thread)) for name in touched.added]
        )
        for op, name, is_looked_at in touched.others:
            accesses[op, name] = None
            if not is_looked_at:
                accesses.update(dict.fromkeys([(op, each) for each in self._parts_of(name)]))
        return accesses

    def _touched(self, run: Run, section: _Section) -> _Touched:
        """What a section accesses at points, by names that hold for all executions."""
        entries = run.entries()
        touched = _Touched([], [])
        for number in _inner(run, section):
            if not entries[number][4]:
                continue  # no other thread accesses what it does
            if self._is_release(run, number):
                touched.others.append((Op.READ, permits_of(entries[number][2]), True))
                continue
            added = _added(run, number, section.is_step)
            for op, target in accesses_of(entries[number]):
                name = _name_of(target, section)
                is_looked_at = fingerprint_of_name(_order_of(target, section)) in self._looked_at
                if target in added and not is_looked_at:
                    touched.added.append(name)
                else:
                    touched.others.append((op, name, is_looked_at))
        return touched


def _name_of(target: Target, section: _Section) -> Target:
    """A name for a location of a section that holds for all executions. Objects are numbered as threads meet them, and
    threads meet those under a lock in any order; so all that sections of one lock access are taken for one."""
    if section.is_step:
        return target  # as for all steps outside of sections
    lock = section.lock
    if len(target) > 1 and type(target[1]) is int:
        return (lock, target[0], *[each if _is_stable(each) else None for each in target[2:]])
    return (lock, *target)


def _order_of(target: Target, section: _Section) -> Target:
    """A name for the order in which sections add to a location."""
    if _is_file(target):
        return _FILES
    return section.lock if section.is_step else _name_of(target, section)


def _stable(name: Target) -> int:
    """A key for a location that has the same name in all executions: without the number of an object."""
    return fingerprint_of_name((name[0],) if len(name) > 1 and type(name[1]) is int else name)


def _is_stable(part: Any) -> bool:
    """Whether an attribute or a key is the same in all executions: not what stands for an object, nor its id()."""
    return type(part) in (str, bool, bytes, type(None)) or (type(part) is int and abs(part) < 1 << 32)


def _inner(run: Run, section: _Section) -> list[int]:
    """The steps between the acquire and the release, or the one step."""
    if section.is_step:
        return [section.first]
    entries, steps = run.entries(), range(section.first + 1, section.last)
    return [number for number in steps if entries[number][0] == entries[section.first][0]]


def _added(run: Run, number: int, is_step: bool = False) -> list[Target]:
    """The locations that a step of a section only adds to; a step without a lock is no whole sum."""
    entries = run.entries()
    task, op, target = entries[number][:3]
    ordered = [each for _, each in accesses_of(entries[number]) if _is_ordered(each)]
    if is_step:
        is_sum = False
    elif number in run.additions:  # the first step of a sum
        following = entries[number + 1]
        is_sum = _is_of(following, task, target) and WRITES[following[1]]
    else:
        is_sum = number - 1 in run.additions and _is_of(entries[number - 1], task, target) and WRITES[op]
    if is_sum:
        return [target, *ordered]
    return ordered if ~number in run.additions else []


def _is_of(entry: Entry, task: int, target: Target) -> bool:
    return entry[0] == task and entry[2] == target


def _synchronise(clock: list[int], task: int, op: Op, known: list[list[int]]) -> None:
    """A thread passes an operation that is ordered with those of others on the same target."""
    writes = WRITES[op]
    if not (writes or READS[op]):
        return
    earlier = known[1] if writes else known[0]
    if earlier:
        clock[:] = map(max, clock, earlier)
    clock[task] += 1
    known[1] = list(map(max, known[1], clock)) if known[1] else clock.copy()
    if writes:
        known[0] = list(map(max, known[0], clock)) if known[0] else clock.copy()
