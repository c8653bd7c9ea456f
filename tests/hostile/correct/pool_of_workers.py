"""Workers take jobs from a queue until there is none, and their results are kept under a lock."""

import queue
import threading


class Pool:
    def __init__(self, workers):
        self.jobs = queue.Queue()
        self.results = []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.work, daemon=True) for _ in range(workers)]
        for each in self.threads:
            each.start()

    def work(self):
        while True:
            job = self.jobs.get()
            try:
                if job is None:
                    return
                function, argument = job
                result = function(argument)
                with self.lock:
                    self.results.append(result)
            finally:
                self.jobs.task_done()

    def close(self):
        for _ in self.threads:
            self.jobs.put(None)
        for each in self.threads:
            each.join()


pool = Pool(2)
for n in range(3):
    pool.jobs.put((lambda n: n * n, n))
pool.close()
assert sorted(pool.results) == [0, 1, 4]
