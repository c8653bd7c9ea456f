import logging
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore, Condition, Event

log = logging.getLogger(__name__)


class JobQueue:
    """Runs jobs in a thread until it is closed."""

    def __init__(self):
        self.results = []
        self._jobs = queue.Queue()
        self._thread = threading.Thread(target=self._work, name="jobs", daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._jobs.put(None)
        self._thread.join()

    def add(self, function, *args):
        self._jobs.put((function, args))

    def _work(self):
        while (job := self._jobs.get()) is not None:
            function, args = job
            try:
                self.results.append(function(*args))
            except ArithmeticError as error:
                log.warning("a job failed: %s", error)


class Pool:
    """A pool of connections, which are numbers."""

    def __init__(self, size):
        self._free = list(range(size))
        self._room = BoundedSemaphore(size)
        self._lock = threading.Lock()
        self.most = 0
        self._used = 0

    def __enter__(self):
        self._room.acquire()
        with self._lock:
            self._used += 1
            self.most = max(self.most, self._used)
            return self._free.pop()

    def __exit__(self, *error):
        with self._lock:
            self._used -= 1
            self._free.append(len(self._free))
        self._room.release()


class Gate:
    """`wait` looks without the lock whether it is open, and may miss the notification; `wait_safely` does not."""

    def __init__(self):
        self.is_open = False
        self._changed = Condition()

    def open(self):
        self.is_open = True
        with self._changed:
            self._changed.notify_all()

    def open_safely(self):
        with self._changed:
            self.is_open = True
            self._changed.notify_all()

    def wait(self):
        return self.is_open or self.next_change()

    def next_change(self, seconds=None):
        with self._changed:
            return self._changed.wait(seconds)

    def wait_safely(self):
        with self._changed:
            self._changed.wait_for(lambda: self.is_open)


def squares(numbers):
    with ThreadPoolExecutor(2) as executor:
        return list(executor.map(lambda number: number * number, numbers))


def first_of(*functions):
    """The result of the function that returns first."""
    done, found = Event(), []

    def run(function):
        found.append(function())
        done.set()

    for function in functions:
        threading.Thread(target=run, args=(function,), daemon=True).start()
    done.wait()
    return found[0]
