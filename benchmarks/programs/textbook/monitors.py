"""Correct programs with monitors, queues and shared structures as people write them in classes of their own.

A function each, as in ``textbook.py``: ``mazurka check monitors.py::blocking_queue``. Here loops that wait have tests
that call methods, returns within them, timeouts, and several conditions on one lock.
"""

import functools
import io
import logging
import queue
import threading
import time
from collections import OrderedDict, deque
from concurrent.futures import ThreadPoolExecutor, as_completed


def _run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class BlockingQueue:
    """Its loops call methods, read properties, and leave by ``return`` once it is closed."""

    def __init__(self, size):
        self._size = size
        self._items = deque()
        self._changed = threading.Condition()
        self._closed = False

    @property
    def full(self):
        return len(self._items) >= self._size

    def empty(self):
        return not self._items

    def put(self, item):
        with self._changed:
            while self.full:
                self._changed.wait()
            self._items.append(item)
            self._changed.notify_all()

    def get(self):
        with self._changed:
            while self.empty():
                if self._closed:
                    return None
                self._changed.wait()
            item = self._items.popleft()
            self._changed.notify_all()
            return item

    def close(self):
        with self._changed:
            self._closed = True
            self._changed.notify_all()


def blocking_queue():
    """Two producers and two consumers of an item each."""
    items, taken, lock = BlockingQueue(1), [], threading.Lock()

    def produce(number):
        items.put(number)

    def consume():
        item = items.get()
        with lock:
            taken.append(item)

    _run(lambda: produce(1), lambda: produce(2), consume, consume)
    assert sorted(taken) == [1, 2]


def closed_queue():
    """Workers that end when the queue is closed and empty."""
    jobs, done, lock = BlockingQueue(2), [0], threading.Lock()

    def work():
        while (job := jobs.get()) is not None:
            with lock:
                done[0] += job

    def feed():
        for job in (1, 2, 3):
            jobs.put(job)
        jobs.close()

    _run(feed, work, work)
    assert done == [6]


class TwoConditions:
    """A bounded buffer with two conditions on one lock, as in the documentation of most languages."""

    def __init__(self, size):
        self.size = size
        self.items = []
        self.lock = threading.Lock()
        self.not_full = threading.Condition(self.lock)
        self.not_empty = threading.Condition(self.lock)

    def put(self, item):
        with self.lock:
            while len(self.items) == self.size:
                self.not_full.wait()
            self.items.append(item)
            self.not_empty.notify()

    def get(self):
        with self.lock:
            while not self.items:
                self.not_empty.wait()
            item = self.items.pop(0)
            self.not_full.notify()
            return item


def buffer_with_two_conditions():
    buffer, taken = TwoConditions(1), []

    def put(items):
        for item in items:
            buffer.put(item)

    def take():
        for _ in range(2):
            taken.append(buffer.get())

    _run(lambda: put("ab"), lambda: put("cd"), take, take)
    assert sorted(taken) == ["a", "b", "c", "d"]


class GenerationBarrier:
    """A barrier that can be used again."""

    def __init__(self, parties):
        self.parties = parties
        self.waiting = 0
        self.generation = 0
        self.condition = threading.Condition()

    def wait(self):
        with self.condition:
            generation = self.generation
            self.waiting += 1
            if self.waiting == self.parties:
                self.waiting = 0
                self.generation += 1
                self.condition.notify_all()
                return
            while generation == self.generation:
                self.condition.wait()


def barrier_of_a_condition():
    gate, data, seen = GenerationBarrier(3), [0] * 3, [0] * 3

    def work(number):
        data[number] = number + 1
        gate.wait()
        seen[number] = sum(data)

    _run(*[functools.partial(work, number) for number in range(3)])
    assert seen == [6, 6, 6]


class FairReadWriteLock:
    """Writers that wait keep new readers out; two conditions on one lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.may_read = threading.Condition(self.lock)
        self.may_write = threading.Condition(self.lock)
        self.readers = self.waiting = 0
        self.writing = False

    def acquire_read(self):
        with self.lock:
            while self.writing or self.waiting:
                self.may_read.wait()
            self.readers += 1

    def release_read(self):
        with self.lock:
            self.readers -= 1
            if not self.readers:
                self.may_write.notify()

    def acquire_write(self):
        with self.lock:
            self.waiting += 1
            while self.writing or self.readers:
                self.may_write.wait()
            self.waiting -= 1
            self.writing = True

    def release_write(self):
        with self.lock:
            self.writing = False
            self.may_write.notify()
            self.may_read.notify_all()


def fair_readers_and_writers():
    lock, page, seen = FairReadWriteLock(), [0, 0], []

    def read():
        lock.acquire_read()
        seen.append(page[0] == page[1])
        lock.release_read()

    def write():
        lock.acquire_write()
        page[0] += 1
        page[1] += 1
        lock.release_write()

    _run(read, read, write)
    assert seen == [True, True]
    assert page == [1, 1]


class CountDown:
    """A latch whose method of waiting has a limit, and a test in a method."""

    def __init__(self, number):
        self.number = number
        self.condition = threading.Condition()

    def is_open(self):
        return self.number <= 0

    def count_down(self):
        with self.condition:
            self.number -= 1
            if self.is_open():
                self.condition.notify_all()

    def wait(self, timeout=None):
        with self.condition:
            while not self.is_open():
                self.condition.wait(timeout)


def count_down_latch():
    """Three threads count down, two wait."""
    latch, parts, seen = CountDown(3), [0] * 3, [0] * 2

    def make(number):
        parts[number] = 1
        latch.count_down()

    def assemble(number):
        latch.wait()
        seen[number] = sum(parts)

    _run(*[functools.partial(make, each) for each in range(3)], lambda: assemble(0), lambda: assemble(1))
    assert seen == [3, 3]


class Promise:
    """A value to come, with a limit on how long to wait for it."""

    def __init__(self):
        self.condition = threading.Condition()
        self.done = False
        self.value = None

    def set(self, value):
        with self.condition:
            self.value = value
            self.done = True
            self.condition.notify_all()

    def get(self, timeout):
        with self.condition:
            if not self.done:
                self.condition.wait(timeout)
            if not self.done:
                raise TimeoutError
            return self.value


def promise():
    made, got = Promise(), []

    def ask():
        got.append(made.get(timeout=5))

    _run(lambda: made.set(42), ask, ask, ask)
    assert got == [42, 42, 42]


class SemaphoreOfACondition:
    """A counting semaphore, with a loop that is left in the middle."""

    def __init__(self, permits):
        self.permits = permits
        self.condition = threading.Condition()

    def acquire(self):
        with self.condition:
            while True:
                if self.permits > 0:
                    self.permits -= 1
                    return
                self.condition.wait()

    def release(self):
        with self.condition:
            self.permits += 1
            self.condition.notify()


def semaphore_of_a_condition():
    free, lock, inside, most = SemaphoreOfACondition(2), threading.Lock(), [0], [0]

    def visit():
        free.acquire()
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        with lock:
            inside[0] -= 1
        free.release()

    _run(visit, visit, visit)
    assert most[0] <= 2


def turns():
    """Three threads take turns, twice."""
    condition, turn, said = threading.Condition(), [0], []

    def speak(own):
        for _ in range(2):
            with condition:
                while turn[0] % 3 != own:
                    condition.wait()
                said.append(own)
                turn[0] += 1
                condition.notify_all()

    _run(*[functools.partial(speak, own) for own in range(3)])
    assert said == [0, 1, 2, 0, 1, 2]


def queue_of_two_and_two():
    """Two producers of two jobs each, two consumers that each take two."""
    jobs, total, lock = queue.Queue(), [0], threading.Lock()

    def produce(first):
        jobs.put(first)
        jobs.put(first + 1)

    def consume():
        for _ in range(2):
            job = jobs.get()
            with lock:
                total[0] += job

    _run(lambda: produce(1), lambda: produce(3), consume, consume)
    assert total == [10]


class Stack:
    def __init__(self):
        self._lock = threading.Lock()
        self._items = []

    def push(self, item):
        with self._lock:
            self._items.append(item)

    def pop(self):
        with self._lock:
            return self._items.pop() if self._items else None


def stack_with_a_lock():
    """Three threads push and pop."""
    stack, popped, lock = Stack(), [], threading.Lock()

    def work(number):
        stack.push(number)
        item = stack.pop()
        with lock:
            popped.append(item)

    _run(lambda: work(1), lambda: work(2), lambda: work(3))
    assert sorted(popped) == [1, 2, 3]


def set_with_a_lock():
    """Membership, insertion and removal under one lock."""
    members, lock, seen = set(), threading.Lock(), []

    def work(name):
        with lock:
            members.add(name)
        with lock:
            seen.append(name in members)
        with lock:
            members.discard(name)

    _run(lambda: work("a"), lambda: work("b"), lambda: work("c"))
    assert all(seen)
    assert not members


class LeastRecentlyUsed:
    def __init__(self, size):
        self.size, self.lock, self.items = size, threading.Lock(), OrderedDict()

    def get(self, key, make):
        with self.lock:
            if key in self.items:
                self.items.move_to_end(key)
                return self.items[key]
            value = self.items[key] = make(key)
            if len(self.items) > self.size:
                self.items.popitem(last=False)
            return value


def cache_that_evicts():
    cache, got = LeastRecentlyUsed(2), {}

    def ask(name, keys):
        got[name] = [cache.get(key, str.upper) for key in keys]

    _run(lambda: ask(1, "ab"), lambda: ask(2, "bc"), lambda: ask(3, "ca"))
    assert got == {1: ["A", "B"], 2: ["B", "C"], 3: ["C", "A"]}


def logging_into_one_stream():
    stream, logger = io.StringIO(), logging.Logger("worker", logging.INFO)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)

    def work(name):
        logger.info("%s begins", name)
        logger.info("%s ends", name)

    _run(lambda: work("a"), lambda: work("b"), lambda: work("c"))
    assert len(stream.getvalue().splitlines()) == 6


def stop_flag():
    stop, count = threading.Event(), [0]

    def work():
        while not stop.wait(0.01):
            count[0] += 1

    worker = threading.Thread(target=work)
    worker.start()
    time.sleep(0.03)
    stop.set()
    worker.join()
    assert count[0] >= 0


def first_result():
    """Four tasks, taken as they are done."""
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(pow, number, 2) for number in range(4)]
        results = {future.result() for future in as_completed(futures)}
    assert results == {0, 1, 4, 9}


class Topic:
    """Each subscriber has a queue of its own, to which publishers put under one lock."""

    def __init__(self):
        self.lock, self.queues = threading.Lock(), []

    def subscribe(self):
        mine = queue.Queue()
        with self.lock:
            self.queues.append(mine)
        return mine

    def publish(self, message):
        with self.lock:
            for each in self.queues:
                each.put(message)


def publishers_and_subscribers():
    topic, got = Topic(), {}
    inboxes = {name: topic.subscribe() for name in "ab"}

    def listen(name):
        got[name] = sorted(inboxes[name].get() for _ in range(2))

    _run(lambda: topic.publish(1), lambda: topic.publish(2), lambda: listen("a"), lambda: listen("b"))
    assert got == {"a": [1, 2], "b": [1, 2]}


class Bank:
    """Transfers wait until there is enough money; each account has its lock."""

    def __init__(self, balance):
        self.balance = balance
        self.enough = threading.Condition()

    def deposit(self, amount):
        with self.enough:
            self.balance += amount
            self.enough.notify_all()

    def can_pay(self, amount):
        return self.balance >= amount

    def withdraw(self, amount):
        with self.enough:
            self.enough.wait_for(lambda: self.can_pay(amount))
            self.balance -= amount


def savings():
    account = Bank(0)
    _run(
        lambda: account.withdraw(10),
        lambda: account.withdraw(5),
        lambda: account.deposit(8),
        lambda: account.deposit(7),
    )
    assert account.balance == 0


class Resources:
    """Several units at once, or none."""

    def __init__(self, units):
        self.free = units
        self.returned = threading.Condition()

    def take(self, units):
        with self.returned:
            while not self.free >= units:
                self.returned.wait(timeout=60)
            self.free -= units

    def give_back(self, units):
        with self.returned:
            self.free += units
            self.returned.notify_all()


def units_of_a_resource():
    resources = Resources(3)

    def use(units):
        resources.take(units)
        resources.give_back(units)

    _run(lambda: use(2), lambda: use(2), lambda: use(1))
    assert resources.free == 3


def one_lane_bridge():
    """Cars of one direction at a time, with tests in functions."""
    condition, cars, crossed = threading.Condition(), {"east": 0, "west": 0}, []

    def is_free(direction):
        return not any(number for other, number in cars.items() if other != direction)

    def cross(direction):
        with condition:
            while not is_free(direction):
                condition.wait()
            cars[direction] += 1
        crossed.append(direction)
        with condition:
            cars[direction] -= 1
            condition.notify_all()

    _run(lambda: cross("east"), lambda: cross("west"), lambda: cross("east"))
    assert sorted(crossed) == ["east", "east", "west"]


if __name__ == "__main__":
    for name, program in list(globals().items()):
        if not name.startswith("_") and getattr(program, "__code__", None) and not program.__code__.co_argcount:
            program()
