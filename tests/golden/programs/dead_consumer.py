"""A consumer ends at a missing setting, and main waits for the end of its tasks for ever."""

import queue
import threading

jobs = queue.Queue()
settings = {}


def consume():
    while True:
        jobs.get()
        try:
            settings["size"]
        except KeyError:
            return
        jobs.task_done()


def main():
    threading.Thread(target=consume, daemon=True).start()
    jobs.put("job")
    settings["size"] = 2
    jobs.join()


main()
