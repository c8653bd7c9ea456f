"""Small traces, drawn at random, and the executions that they prove possible: every reordering tried, by definition.

The definition is that of :mod:`mazurka.causal.model` (patent, Definition 2), carried out one event at a time. Targets
are named so that it needs no classification: ``l...`` locks, ``s...`` synchronising variables, ``g...`` conditions,
others data.
"""

from __future__ import annotations

import random
from typing import Any

from mazurka.causal.history import INITIAL
from mazurka.causal.question import Before, Question, Sees
from mazurka.program.protocol import Step
from mazurka.trace.event import READS, WRITES, Op


def random_log(rng: random.Random, length: int, threads: int, valued: bool, branching: bool) -> list[Step]:
    """A run of up to ``length`` steps: reads, writes, locks (re-entrant, perhaps never given back), fork, join, an
    atomic counter."""
    return _Recorder(rng, threads, valued, branching).run(length)


class _Recorder:
    def __init__(self, rng: random.Random, threads: int, valued: bool, branching: bool) -> None:
        self.rng = rng
        self.threads = threads
        self.valued = valued
        self.branching = branching
        self.log: list[Step] = []
        self.memory: dict[str, int] = {}
        self.held: dict[str, list[int]] = {}
        self.forked = {t for t in range(threads) if t == 0 or rng.random() < 0.7}
        self.begun = set(self.forked)
        self.parked: dict[int, bool] = {}  # by thread: whether it has been notified
        self.ended: set[int] = set()
        self.signalling = rng.random() < 0.2
        self.given_up: dict[int, str] = {}  # by waiting thread: its lock

    def run(self, length: int) -> list[Step]:
        for _ in range(10 * length):
            if len(self.log) >= length or not self.begun - self.ended:
                break
            t = self.rng.randrange(self.threads)
            if t in self.begun - self.ended:
                self._act(t)
            elif t not in self.forked:
                self._emit(self.rng.choice(sorted(self.begun - self.ended)), Op.FORK, ("thread", str(t)))
                self.forked.add(t)
            elif t not in self.begun:
                self._emit(t, Op.BEGIN, ("thread", str(t)))
                self.begun.add(t)
        return self.log

    def _emit(self, t: int, op: Op, target: Any, value: int | None = None) -> None:
        self.log.append(Step(t, op, target, 0, True, value if self.valued else None))

    def _act(self, t: int) -> None:
        rng = self.rng
        if not self.parked.get(t, True):
            return
        if t in self.given_up and not self._take_back(t):
            return
        self.parked.pop(t, None)
        x, lock = rng.choice("xy"), rng.choice(("l", "lm"))
        match 14 + rng.randrange(2) if self.signalling and rng.random() < 0.4 else rng.randrange(16):
            case 0 | 1 | 2 | 3:
                self._emit(t, Op.READ, x, self.memory.get(x, 0))
            case 4 | 5 | 6 | 7:
                self.memory[x] = rng.randrange(2)
                self._emit(t, Op.WRITE, x, self.memory[x])
            case 8 | 9:
                if set(self.held.setdefault(lock, [])) <= {t}:
                    self.held[lock].append(t)
                    self._emit(t, Op.ACQUIRE, lock)
            case 10 | 11:
                if self.held.get(lock, [])[-1:] == [t]:
                    self.held[lock].pop()
                    self._emit(t, Op.RELEASE, lock)
            case 14:
                self._wait(t)
            case 15:
                self._notify(t)
            case 12:
                self._emit(t, *((Op.BRANCH, ("branch",)) if self.branching else (Op.RMW, "s")))
            case _:
                self._end_or_join(t)

    def _wait(self, t: int) -> None:
        """With a lock given up, if the thread has one just once, or can: after the wait, or before it."""
        if not self.held.get("l") and self.rng.random() < 0.5:
            self.held["l"] = [t]
            self._emit(t, Op.ACQUIRE, "l")
        locks = [lock for lock, owners in self.held.items() if owners == [t]]
        does = [(Op.WAIT, "g"), *((Op.RELEASE, lock) for lock in locks[:1])]
        for op, target in does[:: self.rng.choice((1, -1))]:
            self._emit(t, op, target)
        for lock in locks[:1]:
            self.held[lock].clear()
            self.given_up[t] = lock
        self.parked[t] = False

    def _take_back(self, t: int) -> bool:
        """Who is woken takes back its lock before it does anything else."""
        owners = self.held[self.given_up[t]]
        if not owners:
            owners.append(t)
            self._emit(t, Op.ACQUIRE, self.given_up.pop(t))
        return False

    def _notify(self, t: int) -> None:
        everybody = self.rng.random() < 0.3
        self._emit(t, Op.NOTIFY_ALL if everybody else Op.NOTIFY, "g")
        sleeping = [waiter for waiter, notified in self.parked.items() if not notified]
        self.parked |= dict.fromkeys(sleeping if everybody else sleeping[:1], True)

    def _end_or_join(self, t: int) -> None:
        if self.rng.random() < 0.3 and not any(t in owners for owners in self.held.values()):
            self._emit(t, Op.END, ("thread", str(t)))
            self.ended.add(t)
        elif self.ended:
            self._emit(t, Op.JOIN, ("thread", str(self.rng.choice(sorted(self.ended)))))


class Reorderings:
    """All executions that a log (one access per step) proves possible."""

    def __init__(self, log: list[Step], branches: bool) -> None:
        self.log = log
        self.rows: dict[int, list[int]] = {}
        self.sources: dict[int, int] = {}
        self.guards: dict[int, int] = {}  # how many of its thread's steps must have read as in the log
        self.initial: dict[Any, Any] = {}
        last: dict[Any, int] = {}
        branch: dict[int, int] = {}
        for i, step in enumerate(log):
            row = self.rows.setdefault(step.task, [])
            if step.op is Op.BRANCH or not branches:
                branch[step.task] = len(row)
            self.guards[i] = branch.get(step.task, 0)
            row.append(i)
            if READS[step.op]:
                self.sources[i] = last.get(step.target, INITIAL)
                if self.sources[i] == INITIAL and step.value is not None:
                    self.initial[step.target] = step.value
            if WRITES[step.op]:
                last[step.target] = i
        self._read_waits()

    def _read_waits(self) -> None:
        """By wake-up: its wait and its notification; by notification of one: waits it must not meet; by wait: those
        that must not have parked before it."""
        self.wakes: dict[int, tuple[int, int]] = {}
        self.alone: dict[int, list[int]] = {}
        self.first: dict[int, list[int]] = {}
        parks = dict(self._park(row, k) for row in self.rows.values() for k, i in enumerate(row) if self._waits(i))
        next_of = {w: wake for w, wake in parks.items() if wake >= 0}
        waits = sorted(parks)
        parked: list[int] = []
        for i, step in enumerate(self.log):
            parked = [w for w in parked if next_of.get(w, len(self.log)) > i]
            if i in parks:
                parked.append(i)
            elif step.op in (Op.NOTIFY, Op.NOTIFY_ALL) and parked:
                woken = parked if step.op is Op.NOTIFY_ALL else [next((w for w in parked if w in next_of), parked[0])]
                parked = [w for w in parked if w not in woken]
                self.wakes |= {next_of[w]: (w, i) for w in woken if w in next_of}
                if step.op is Op.NOTIFY:
                    self.alone[i] = [w for w in waits if w not in parked and w != woken[0]]
                    for w in parked:
                        self.first.setdefault(woken[0], []).append(w)
        self.next_of, self.parks = next_of, parks

    def _waits(self, i: int) -> bool:
        return self.log[i].op is Op.WAIT

    def _park(self, row: list[int], k: int) -> tuple[int, int]:
        """The step with which a thread parks that waits with its k-th step, and the one with which it goes on (-1: it
        does not)."""

        def does(n: int) -> tuple[Any, Any]:
            return (self.log[row[n]].op, self.log[row[n]].target) if 0 <= n < len(row) else (None, None)

        for park, first in ((k, k + 1), (k - 1, k - 1)):
            (op, lock), wake = does(first), k + 1
            while park == k and does(wake) == (Op.RELEASE, lock):
                wake += 1
            if op is Op.RELEASE and does(wake) in ((None, None), (Op.ACQUIRE, lock)):
                return row[park], row[wake] if wake < len(row) else -1
        return row[k], row[k + 1] if k + 1 < len(row) else -1

    def answers(self, question: Question) -> bool:
        """Whether one of the reorderings answers the question."""
        threads = sorted(self.rows)
        start = (tuple(0 for _ in threads), (), tuple(len(self.rows[t]) for t in threads))
        seen = {start}
        stack: list[Any] = [start]
        while stack:
            state = stack.pop()
            if self._is_goal(state, threads, question):
                return True
            for number, t in enumerate(threads):
                after = self._step(state, threads, number, t, question)
                if after is not None and after not in seen:
                    seen.add(after)
                    stack.append(after)
        return False

    def objection(self, order: tuple[int, ...], question: Question) -> str:
        """The objection to an order of steps as an answer ("" if there is none)."""
        threads = sorted(self.rows)
        state: Any = (tuple(0 for _ in threads), (), tuple(len(self.rows[t]) for t in threads))
        for i in order:
            number = threads.index(self.log[i].task)
            row = self.rows[self.log[i].task]
            if state[0][number] >= len(row) or row[state[0][number]] != i:
                return f"step {i} does not come next in its thread"
            state = self._step(state, threads, number, self.log[i].task, question)
            if state is None:
                return f"step {i} is not possible"
        return "" if self._is_goal(state, threads, question) else "that is not what was asked for"

    def _done(self, at: tuple[int, ...], threads: list[int], i: int) -> bool:
        t = self.log[i].task
        return at[threads.index(t)] > self.rows[t].index(i)

    def _is_goal(self, state: Any, threads: list[int], question: Question) -> bool:
        at, _, _ = state
        wanted = [*question.happen, *(i for pair in _pairs(question) for i in pair), *(s.read for s in _seen(question))]
        return (
            all(self._done(at, threads, i) for i in wanted)
            and all(self._comes_next(state, threads, i) for i in question.next)
            and all(self._is_reached(state, threads, i) for i in question.blocked)
        )

    def _comes_next(self, state: Any, threads: list[int], i: int) -> bool:
        """Whether its thread stands before it and is sure to do it, once locks let it."""
        at, step = state[0], self.log[i]
        if not self._is_reached(state, threads, i):
            return False
        if i in self.wakes and not self._done(at, threads, self.wakes[i][1]):
            return False
        if step.op in (Op.BEGIN, Op.JOIN) and self.sources[i] != INITIAL:
            return self._done(at, threads, self.sources[i])
        return True

    def _is_reached(self, state: Any, threads: list[int], i: int) -> bool:
        """Whether its thread stands before it and is sure to do it, once it can."""
        at, _, faithful = state
        step = self.log[i]
        number = threads.index(step.task)
        if at[number] >= len(self.rows[step.task]) or self.rows[step.task][at[number]] != i:
            return False
        return bool(faithful[number] >= self.guards[i])

    def _step(self, state: Any, threads: list[int], number: int, t: int, question: Question) -> Any:
        """The state after the next step of a thread, or None. ``memory`` is (target, writer, whether its value is the
        logged one); ``faithful``: how many steps of each thread read as logged (all, until one does not)."""
        at, memory, faithful = state
        if at[number] >= len(self.rows[t]):
            return None
        i = self.rows[t][at[number]]
        step = self.log[i]
        if i in (*question.next, *question.never, *question.blocked) or not self._comes_next(state, threads, i):
            return None
        for a, b in _pairs(question):
            if i == b and (a == b or not self._done(at, threads, a)):
                return None
        held = {target: (source, kept) for target, source, kept in memory}
        if not self._may_wait_or_notify(at, threads, held, i):
            return None
        name = str(step.target)
        if name.startswith("l"):
            held, possible = self._lock(held, step, i)
            if not possible:
                return None
        elif not name.startswith("g") and step.op not in (Op.FORK, Op.JOIN, Op.BEGIN, Op.END, Op.BRANCH):
            source, kept = held.get(step.target, (INITIAL, True))
            if READS[step.op]:
                if not self._may_read(i, source, kept, question):
                    return None
                if not self._gives(i, source, kept) and faithful[number] > at[number]:
                    faithful = (*faithful[:number], at[number], *faithful[number + 1 :])
            if WRITES[step.op]:
                held[step.target] = (i, faithful[number] > at[number])
        at = (*at[:number], at[number] + 1, *at[number + 1 :])
        return at, tuple(sorted((target, *rest) for target, rest in held.items())), faithful

    def _may_wait_or_notify(self, at: Any, threads: list[int], held: dict[Any, Any], i: int) -> bool:
        """Also remembers, under "lost", waits that began after their notification."""
        if i in self.wakes and f"lost {self.wakes[i][0]}" in held:
            return False
        if i in self.parks:
            wake = self.next_of.get(i)
            if wake in self.wakes and self._done(at, threads, self.wakes[wake][1]):
                held[f"lost {i}"] = (0, True)
            return not any(self._done(at, threads, other) for other in self.first.get(i, ()))
        return all(
            not self._done(at, threads, w) or w in self.next_of and self._done(at, threads, self.next_of[w])
            for w in self.alone.get(i, ())
        )

    def _lock(self, held: dict[Any, Any], step: Step, i: int) -> tuple[dict[Any, Any], bool]:
        """Locks are kept in memory as (owner, depth)."""
        owner, depth = held.get(step.target, (step.task, 0))
        if depth and owner != step.task:
            return held, False
        held[step.target] = (step.task, depth + (1 if step.op is Op.ACQUIRE else -1))
        if held[step.target][1] == 0:
            del held[step.target]
        return held, True

    def _may_read(self, i: int, source: int, kept: bool, question: Question) -> bool:
        if str(self.log[i].target).startswith("s"):
            return source == self.sources[i]
        return all(each.read != i or (source in each.sources and kept) for each in _seen(question))

    def _gives(self, i: int, source: int, kept: bool) -> bool:
        """Whether a read that takes its value from ``source`` has the same value as in the log."""
        logged, value = self.sources[i], self.log[i].value
        if source == logged:
            return kept or str(self.log[i].target).startswith("s")
        if value is None:
            return False
        return kept and (self.initial.get(self.log[i].target) if source == INITIAL else self.log[source].value) == value


def _pairs(question: Question) -> list[tuple[int, int]]:
    return [(each.first, each.second) for each in question.constraints if isinstance(each, Before)]


def _seen(question: Question) -> list[Sees]:
    return [each for each in question.constraints if isinstance(each, Sees)]


def random_questions(rng: random.Random, log: list[Step]) -> list[Question]:
    """One or two of each kind of question, and combinations."""
    steps = range(len(log))
    a, b, c = (rng.choice(steps) for _ in range(3))
    questions = [
        Question(next=(a, b)),
        Question(constraints=(Before(a, b),)),
        Question(constraints=(Before(a, b), Before(b, c))),
        Question(happen=(a,), next=(b,)),
        Question(next=(a,), constraints=(Before(b, c),)),
        rng.choice((Question(happen=(a,), never=(b,)), Question(next=(a,), never=(b, c)))),
        rng.choice((Question(blocked=(a, b)), Question(happen=(c,), blocked=(a,)))),
    ]
    reads = [i for i in steps if log[i].op is Op.READ]
    for r in rng.sample(reads, min(3, len(reads))):
        writes = [i for i in steps if log[i].op is Op.WRITE and log[i].target == log[r].target]
        seen = (Sees(r, log[r].target, (rng.choice([INITIAL, *writes]),)),)
        questions += [
            Question(constraints=seen),
            Question((a,), constraints=seen),
            Question((), (b,), constraints=seen),
        ]
    return questions


def random_knot(rng: random.Random, length: int, threads: int) -> tuple[list[Step], Question]:
    """A run in which all values are equal, and the question whether half of its reads can have these sources, drawn at
    random: little follows from little, so it needs search."""
    log = [
        Step(rng.randrange(threads), rng.choice((Op.READ, Op.WRITE)), rng.choice("xy"), 0, True, 0)
        for _ in range(length)
    ]
    writes = {x: [i for i, step in enumerate(log) if step.target == x and step.op is Op.WRITE] for x in "xy"}
    sees = [
        Sees(i, step.target, (rng.choice(writes[str(step.target)]),))
        for i, step in enumerate(log)
        if step.op is Op.READ and writes[str(step.target)] and rng.random() < 0.5
    ]
    return log, Question(happen=tuple({step.task: i for i, step in enumerate(log)}.values()), constraints=tuple(sees))


def random_puzzle(rng: random.Random, locks: int, clauses: int) -> tuple[list[Step], Question]:
    """Two threads for each lock, a section each, and orders asked for that make some combinations of which of the two
    comes first a circle: a satisfiability problem, three locks to a clause."""
    log = [
        Step(2 * lock + side, op, f"l{lock}", 0, True)
        for lock in range(locks)
        for side in (0, 1)
        for op in (Op.ACQUIRE, Op.RELEASE)
    ]
    before = []
    for _ in range(clauses):
        circle = [(lock, rng.randrange(2)) for lock in rng.sample(range(locks), 3)]
        for (lock, side), (other, first) in zip(circle, (*circle[1:], circle[0]), strict=True):
            # the section that comes second is entered before the next lock's first section is left
            before.append(Before(4 * lock + 2 * (1 - side), 4 * other + 2 * first + 1))
    return log, Question(constraints=tuple(before))
