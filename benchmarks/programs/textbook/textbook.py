"""Sixteen correct programs of textbooks on concurrency, a function each: `mazurka check textbook.py::semaphore`."""

import functools
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress


def _run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def locked_counter():
    lock, counts = threading.Lock(), [0]

    def work():
        for _ in range(2):
            with lock:
                counts[0] += 1

    _run(work, work, work)
    assert counts == [6]


def reentrant_counter():
    class Counter:
        def __init__(self):
            self.lock, self.number = threading.RLock(), 0

        def add(self):
            with self.lock:
                self.number += 1

        def add_twice(self):
            with self.lock:
                self.add()
                self.add()

    counter = Counter()
    _run(counter.add_twice, counter.add_twice, counter.add)
    assert counter.number == 5


def bounded_buffer():
    condition, items, taken = threading.Condition(), [], []

    def put():
        for item in range(2):
            with condition:
                while items:
                    condition.wait()
                items.append(item)
                condition.notify_all()

    def get():
        for _ in range(2):
            with condition:
                while not items:
                    condition.wait()
                taken.append(items.pop())
                condition.notify_all()

    _run(put, get)
    assert taken == [0, 1]


def two_producers_and_consumers():
    jobs, taken, lock = queue.Queue(), [], threading.Lock()

    def produce():
        jobs.put(1)

    def consume():
        job = jobs.get()
        with lock:
            taken.append(job)

    _run(produce, produce, consume, consume)
    assert taken == [1, 1]


def semaphore():
    free, lock, inside, most = threading.Semaphore(2), threading.Lock(), [0], [0]

    def visit():
        with free:
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            with lock:
                inside[0] -= 1

    _run(visit, visit, visit)
    assert most[0] <= 2


def barrier():
    gate, data, seen = threading.Barrier(2), [0, 0], []

    def work(number):
        data[number] = 1
        gate.wait()
        seen.append(sum(data))

    _run(lambda: work(0), lambda: work(1))
    assert seen == [2, 2]


def double_checked_singleton():
    lock, made = threading.Lock(), []
    found = []

    def get():
        if not made:
            with lock:
                if not made:
                    made.append(object())
        found.append(made[0])

    _run(get, get, get)
    assert len(set(map(id, found))) == 1


def readers_and_a_writer():
    lock, room, readers, page, seen = threading.Lock(), threading.Lock(), [0], ["old", "old"], []

    def read():
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
        with room:
            page[0] = "new"
            page[1] = "new"

    _run(read, read, write)
    assert all(seen)


def philosophers():
    forks, meals = [threading.Lock() for _ in range(3)], [0, 0, 0]

    def dine(seat):
        first, second = sorted((seat, (seat + 1) % 3))
        with forks[first], forks[second]:
            meals[seat] += 1

    _run(lambda: dine(0), lambda: dine(1), lambda: dine(2))
    assert meals == [1, 1, 1]


def event_handover():
    ready, box, seen = threading.Event(), [], []

    def give():
        box.append("parcel")
        ready.set()

    def take():
        ready.wait()
        seen.append(box[0])

    _run(give, take, take)
    assert seen == ["parcel", "parcel"]


def pool_of_pure_tasks():
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda number: number * number, range(4))) == [0, 1, 4, 9]


def pool_with_a_lock():
    lock, total = threading.Lock(), [0]

    def add(number):
        with lock:
            total[0] += number

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(add, range(4)))
    assert total == [6]


def cached_function():
    calls, lock = [0], threading.Lock()

    @functools.lru_cache(maxsize=None)
    def square(number):
        with lock:
            calls[0] += 1
        return number * number

    results = []
    _run(lambda: results.append(square(3)), lambda: results.append(square(3)))
    assert results == [9, 9]
    assert 1 <= calls[0] <= 2


def pipeline():
    first, second, out = queue.Queue(), queue.Queue(), []

    def double():
        while (item := first.get()) is not None:
            second.put(2 * item)
        second.put(None)

    def collect():
        while (item := second.get()) is not None:
            out.append(item)

    def feed():
        for item in (1, 2, None):
            first.put(item)

    _run(feed, double, collect)
    assert out == [2, 4]


def word_count():
    counts, lock = {}, threading.Lock()

    def count(words):
        for word in words:
            with lock:
                counts[word] = counts.get(word, 0) + 1

    _run(lambda: count("ab"), lambda: count("bc"), lambda: count("ca"))
    assert counts == {"a": 2, "b": 2, "c": 2}


def polite_retry():
    lock, done = threading.Lock(), []

    def work(name):
        if lock.acquire(blocking=False):
            with suppress(ValueError):
                done.append(name)
            lock.release()

    _run(lambda: work("a"), lambda: work("b"))
    assert done


PROGRAMS = (
    locked_counter,
    reentrant_counter,
    bounded_buffer,
    two_producers_and_consumers,
    semaphore,
    barrier,
    double_checked_singleton,
    readers_and_a_writer,
    philosophers,
    event_handover,
    pool_of_pure_tasks,
    pool_with_a_lock,
    cached_function,
    pipeline,
    word_count,
    polite_retry,
)

if __name__ == "__main__":
    for program in PROGRAMS:
        program()
