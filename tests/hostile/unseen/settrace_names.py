"""A function that traces threads is called in each of them."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = []


def trace(frame, event, arg):
    names.append(threading.current_thread().name)


threading.settrace(trace)
run(lambda: None, lambda: None)
threading.settrace(None)
assert names == sorted(names)
