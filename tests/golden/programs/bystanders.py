"""A count gets lost; two of the four threads have nothing to do with it."""

import threading

lock = threading.Lock()
done = 0
steps = []


def work():
    global done
    done = done + 1


def watch():
    for _ in range(5):
        with lock:
            steps.append("looked")


bodies = (watch, work, work, watch)
threads = [threading.Thread(target=body, name=f"{body.__name__}-{number}") for number, body in enumerate(bodies)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert done == 2, f"{done} of 2 done"
