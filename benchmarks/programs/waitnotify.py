"""JM-WaitNotify: two producers and two consumers around a counter of at most two. No bug."""

import sys
import threading


def run(*bodies):
    threads = [threading.Thread(target=body) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Buffer:
    def __init__(self):
        self.count = 0
        self.monitor = threading.Condition()


def program():
    buffer = Buffer()

    def produce():
        with buffer.monitor:
            while buffer.count == 2:
                buffer.monitor.wait()
            buffer.count += 1
            buffer.monitor.notify()

    def consume():
        with buffer.monitor:
            while buffer.count == 0:
                buffer.monitor.wait()
            buffer.count -= 1
            buffer.monitor.notify()

    run(produce, produce, consume, consume)
    return buffer.count


if __name__ == "__main__":
    assert program() == 0
