"""A dispatcher's thread serves tasks of two threads."""

# package: waitress
# include: waitress
# expect: correct

import threading

from together import run
from waitress.task import ThreadedTaskDispatcher


class Task:
    def __init__(self):
        self.served = threading.Event()

    def service(self):
        self.served.set()

    def cancel(self):
        pass


def test():
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.set_thread_count(1)

    def use():
        task = Task()
        dispatcher.add_task(task)
        task.served.wait()

    run(use, use)
    dispatcher.shutdown()
