"""Two threads stop a worker, which waits for one message only. After reports about clients that are closed twice."""

import queue
import threading

inbox = queue.Queue()
state = ["running"]


def work():
    inbox.get()
    inbox.task_done()


def stop():
    if state[0] == "running":
        inbox.put("stop")
        state[0] = "stopped"


threads = [threading.Thread(target=each) for each in (work, stop, stop)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert inbox.empty()
