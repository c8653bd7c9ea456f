"""Correct programs after the classical problems of concurrency, and after everyday uses of locks and pools.

A function each, as in ``textbook.py``: ``mazurka check classics.py::sleeping_barber``.
"""

import functools
import logging
import queue
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor, as_completed


def _run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _count(threads):
    """So many threads, each of which adds one under a lock."""
    lock, n = threading.Lock(), 0

    def work():
        nonlocal n
        with lock:
            n += 1

    _run(*[work] * threads)
    assert n == threads


def six_threads_count():
    _count(6)


def ten_threads_count():
    _count(10)


def twenty_threads_count():
    _count(20)


def fifty_threads_count():
    _count(50)


def _count_in_a_pool(tasks):
    lock, n = threading.Lock(), 0

    def work():
        nonlocal n
        with lock:
            n += 1

    with ThreadPoolExecutor(4) as pool:
        for _ in range(tasks):
            pool.submit(work)
    assert n == tasks


def four_workers_eight_tasks():
    _count_in_a_pool(8)


def four_workers_thirty_tasks():
    _count_in_a_pool(30)


def rendezvous():
    here, there, log = threading.Semaphore(0), threading.Semaphore(0), []

    def first():
        log.append("a1")
        here.release()
        there.acquire()
        log.append("a2")

    def second():
        log.append("b1")
        there.release()
        here.acquire()
        log.append("b2")

    _run(first, second)
    assert set(log[:2]) == {"a1", "b1"}


def readers_and_writers_with_a_turnstile():
    """A writer that waits keeps new readers out."""
    turnstile, room, lock = threading.Lock(), threading.Semaphore(1), threading.Lock()
    readers, page, seen = [0], ["old", "old"], []

    def read():
        with turnstile:
            pass
        with lock:
            readers[0] += 1
            if readers[0] == 1:
                room.acquire()
        seen.append(page[0] == page[1])
        with lock:
            readers[0] -= 1
            if readers[0] == 0:
                room.release()

    def write():
        with turnstile:
            room.acquire()
            page[0] = "new"
            page[1] = "new"
        room.release()

    _run(read, read, write)
    assert seen == [True, True]


class ReadWriteLock:
    """A monitor: many readers, or one writer."""

    def __init__(self):
        self.condition = threading.Condition()
        self.readers = 0
        self.writing = False

    def start_reading(self):
        with self.condition:
            while self.writing:
                self.condition.wait()
            self.readers += 1

    def stop_reading(self):
        with self.condition:
            self.readers -= 1
            if self.readers == 0:
                self.condition.notify_all()

    def start_writing(self):
        with self.condition:
            while self.writing or self.readers:
                self.condition.wait()
            self.writing = True

    def stop_writing(self):
        with self.condition:
            self.writing = False
            self.condition.notify_all()


def readers_and_writers_with_a_monitor():
    lock, value, seen = ReadWriteLock(), [0], []

    def read():
        lock.start_reading()
        seen.append(value[0])
        lock.stop_reading()

    def write():
        lock.start_writing()
        value[0] += 1
        lock.stop_writing()

    _run(read, write, write)
    assert value == [2]
    assert seen[0] in (0, 1, 2)


def philosophers_with_a_waiter():
    """One seat fewer than philosophers."""
    seats, forks, meals = threading.Semaphore(2), [threading.Lock() for _ in range(3)], []

    def dine(seat):
        with seats, forks[seat], forks[(seat + 1) % 3]:
            meals.append(seat)

    _run(lambda: dine(0), lambda: dine(1), lambda: dine(2))
    assert sorted(meals) == [0, 1, 2]


def philosophers_with_a_monitor():
    condition, eating, meals = threading.Condition(), [False] * 3, [0] * 3

    def dine(seat):
        with condition:
            condition.wait_for(lambda: not (eating[seat - 1] or eating[(seat + 1) % 3]))
            eating[seat] = True
        meals[seat] += 1
        with condition:
            eating[seat] = False
            condition.notify_all()

    _run(lambda: dine(0), lambda: dine(1), lambda: dine(2))
    assert meals == [1, 1, 1]


class Latch:
    """Opens once it was counted down to 0."""

    def __init__(self, number):
        self.number = number
        self.condition = threading.Condition()

    def count_down(self):
        with self.condition:
            self.number -= 1
            if self.number == 0:
                self.condition.notify_all()

    def wait(self):
        with self.condition:
            while self.number:
                self.condition.wait()


def latch():
    ready, parts = Latch(2), [None, None]

    def make(number):
        parts[number] = f"part {number}"
        ready.count_down()

    def assemble():
        ready.wait()
        assert parts == ["part 0", "part 1"]

    _run(lambda: make(0), lambda: make(1), assemble)


class Exchanger:
    """Two threads give each other a value."""

    def __init__(self):
        self.condition = threading.Condition()
        self.offered = []

    def exchange(self, value):
        with self.condition:
            self.offered.append(value)
            if len(self.offered) == 2:
                self.condition.notify()
                return self.offered[0]
            while len(self.offered) < 2:
                self.condition.wait()
            return self.offered[1]


def exchanger():
    exchanger, got = Exchanger(), {}

    def trade(name):
        got[name] = exchanger.exchange(f"gift of {name}")

    _run(lambda: trade("ann"), lambda: trade("ben"))
    assert got == {"ann": "gift of ben", "ben": "gift of ann"}


def cyclic_barrier():
    """Two rounds of a computation, each on the results of the round before."""
    gate, cells = threading.Barrier(2), [1, 2]

    def work(own):
        for _ in range(2):
            other = cells[1 - own]
            gate.wait()
            cells[own] += other
            gate.wait()

    _run(lambda: work(0), lambda: work(1))
    assert cells == [6, 6]


def barrier_of_semaphores():
    """Two turnstiles, so that nobody overtakes a round."""
    lock, inside = threading.Lock(), [0]
    first, second, rounds = threading.Semaphore(0), threading.Semaphore(0), []

    def work():
        for number in range(2):
            with lock:
                inside[0] += 1
                if inside[0] == 2:
                    first.release(2)
            first.acquire()
            rounds.append(number)
            with lock:
                inside[0] -= 1
                if inside[0] == 0:
                    second.release(2)
            second.acquire()

    _run(work, work)
    assert rounds == [0, 0, 1, 1]


def water():
    """Molecules of two atoms of hydrogen and one of oxygen."""
    lock, hydrogen, oxygen = threading.Lock(), threading.Semaphore(0), threading.Semaphore(0)
    gate, waiting, bonds = threading.Barrier(3), {"H": 0, "O": 0}, []

    def atom(kind, queue):
        with lock:
            waiting[kind] += 1
            if waiting["H"] >= 2 and waiting["O"] >= 1:
                waiting["H"] -= 2
                waiting["O"] -= 1
                hydrogen.release(2)
                oxygen.release()
        queue.acquire()
        bonds.append(kind)
        gate.wait()

    _run(lambda: atom("H", hydrogen), lambda: atom("O", oxygen), lambda: atom("H", hydrogen))
    assert sorted(bonds) == ["H", "H", "O"]


def sleeping_barber():
    chairs, lock, customers, barber = 1, threading.Lock(), threading.Semaphore(0), threading.Semaphore(0)
    waiting, cut, left = [0], [0], [0]

    def work():
        while True:
            customers.acquire()
            with lock:
                if waiting[0] == 0:
                    return
                waiting[0] -= 1
                cut[0] += 1
            barber.release()

    def visit():
        with lock:
            if waiting[0] == chairs:
                left[0] += 1
                return
            waiting[0] += 1
        customers.release()
        barber.acquire()

    shop = threading.Thread(target=work)
    shop.start()
    _run(visit, visit)
    customers.release()  # closing time
    shop.join()
    assert cut[0] + left[0] == 2
    assert cut[0] >= 1


def cigarette_smokers():
    """An agent puts two things on the table; who has the third takes them."""
    things = ("tobacco", "paper", "matches")
    condition, table, smoked = threading.Condition(), set(), []

    def smoke(own):
        others = set(things) - {own}
        with condition:
            condition.wait_for(lambda: table == others)
            table.clear()
            smoked.append(own)
            condition.notify_all()

    def deal():
        for missing in things:
            with condition:
                condition.wait_for(lambda: not table)
                table.update(set(things) - {missing})
                condition.notify_all()

    _run(deal, *[functools.partial(smoke, thing) for thing in things])
    assert smoked == list(things)


def unisex_bathroom():
    """Persons of one kind at a time, at most two of them."""
    condition, inside = threading.Condition(), []

    def visit(kind):
        with condition:
            condition.wait_for(lambda: len(inside) < 2 and all(other == kind for other in inside))
            inside.append(kind)
        assert set(inside) == {kind}
        with condition:
            inside.remove(kind)
            condition.notify_all()

    _run(lambda: visit("f"), lambda: visit("m"), lambda: visit("f"))
    assert not inside


def throttle():
    """At most two downloads at a time."""
    slots, lock, active, done = threading.BoundedSemaphore(2), threading.Lock(), set(), []

    def download(name):
        with slots:
            with lock:
                active.add(name)
                assert len(active) <= 2
            with lock:
                active.remove(name)
                done.append(name)

    _run(lambda: download("a"), lambda: download("b"), lambda: download("c"))
    assert sorted(done) == ["a", "b", "c"]


class Once:
    """Runs a function at the first call, and lets all others wait until it was run."""

    def __init__(self, function):
        self.function = function
        self.lock = threading.Lock()
        self.done = False

    def __call__(self):
        with self.lock:
            if not self.done:
                self.function()
                self.done = True


def once():
    tables = []
    create = Once(lambda: tables.append("users"))

    def work():
        create()
        assert tables == ["users"]

    _run(work, work, work)


class Settings:
    """Loaded when they are first used."""

    def __init__(self):
        self._lock = threading.Lock()
        self._values = None
        self.loads = 0

    @property
    def values(self):
        if self._values is None:
            with self._lock:
                if self._values is None:
                    self.loads += 1
                    self._values = {"host": "localhost", "port": 80}
        return self._values


def lazy_settings():
    settings, ports = Settings(), []
    _run(*[lambda: ports.append(settings.values["port"])] * 3)
    assert ports == [80, 80, 80]
    assert settings.loads == 1


def lru_cache():
    @functools.lru_cache(maxsize=2)
    def fibonacci(number):
        return number if number < 2 else fibonacci(number - 1) + fibonacci(number - 2)

    _run(lambda: fibonacci(4), lambda: fibonacci(3))
    assert fibonacci(5) == 5


class Account:
    """Its methods call each other under one reentrant lock."""

    def __init__(self, balance):
        self.lock = threading.RLock()
        self.balance = balance

    def deposit(self, amount):
        with self.lock:
            self.balance += amount

    def withdraw(self, amount):
        with self.lock:
            if self.balance < amount:
                return False
            self.deposit(-amount)
            return True


def reentrant_account():
    account, paid = Account(10), []
    _run(
        lambda: paid.append(account.withdraw(8)),
        lambda: paid.append(account.withdraw(8)),
        lambda: account.deposit(1),
    )
    assert sorted(paid) == [False, True]
    assert account.balance == 3


def transfers_in_order_of_the_accounts():
    balances, locks = {"a": 5, "b": 5}, {"a": threading.Lock(), "b": threading.Lock()}

    def transfer(source, target, amount):
        first, second = sorted((source, target))
        with locks[first], locks[second]:
            balances[source] -= amount
            balances[target] += amount

    _run(lambda: transfer("a", "b", 3), lambda: transfer("b", "a", 1), lambda: transfer("a", "b", 1))
    assert balances == {"a": 2, "b": 8}


def logging_threads():
    class Lines(logging.Handler):
        def __init__(self):
            super().__init__()
            self.lines = []

        def emit(self, record):
            self.lines.append(self.format(record))

    handler, logger = Lines(), logging.Logger("worker")
    handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
    logger.addHandler(handler)

    def work(name):
        logger.info("%s starts", name)
        logger.debug("%s is done", name)

    logger.setLevel(logging.INFO)
    _run(lambda: work("a"), lambda: work("b"), lambda: work("c"))
    assert sorted(handler.lines) == ["INFO a starts", "INFO b starts", "INFO c starts"]


def executor_as_completed():
    def length(word):
        if not word:
            raise ValueError("no word")
        return len(word)

    lengths, failed = {}, []
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = {pool.submit(length, word): word for word in ("one", "three", "")}
        for future in as_completed(futures):
            try:
                lengths[futures[future]] = future.result()
            except ValueError:
                failed.append(futures[future])
    assert lengths == {"one": 3, "three": 5}
    assert failed == [""]


def queue_and_task_done():
    jobs, total, lock = queue.Queue(), [0], threading.Lock()

    def work():
        while True:
            job = jobs.get()
            if job is None:
                return
            with lock:
                total[0] += job
            jobs.task_done()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for job in (1, 2, 3):
        jobs.put(job)
    jobs.join()
    assert total == [6]
    for _ in workers:
        jobs.put(None)
    for worker in workers:
        worker.join()


def bounded_pipeline():
    raw, clean, out = queue.Queue(maxsize=1), queue.Queue(maxsize=1), []

    def read():
        for line in (" a ", "b "):
            raw.put(line)
        raw.put(None)

    def strip():
        while (line := raw.get()) is not None:
            clean.put(line.strip())
        clean.put(None)

    def write():
        while (line := clean.get()) is not None:
            out.append(line)

    _run(read, strip, write)
    assert out == ["a", "b"]


class Buffer:
    """A bounded buffer with two conditions on one lock."""

    def __init__(self, size):
        self.size = size
        self.items = deque()
        lock = threading.Lock()
        self.not_full = threading.Condition(lock)
        self.not_empty = threading.Condition(lock)

    def put(self, item):
        with self.not_full:
            while len(self.items) >= self.size:
                self.not_full.wait()
            self.items.append(item)
            self.not_empty.notify()

    def get(self):
        with self.not_empty:
            while not self.items:
                self.not_empty.wait()
            item = self.items.popleft()
            self.not_full.notify()
            return item


def bounded_buffer_of_two_and_two():
    buffer, taken, lock = Buffer(1), [], threading.Lock()

    def take():
        item = buffer.get()
        with lock:
            taken.append(item)

    _run(lambda: buffer.put("a"), lambda: buffer.put("b"), take, take)
    assert sorted(taken) == ["a", "b"]


if __name__ == "__main__":
    for name, program in list(globals().items()):
        if not name.startswith("_") and getattr(program, "__code__", None) and not program.__code__.co_argcount:
            program()
