"""A function that profiles threads is called in each of them."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = []


def prof(frame, event, arg):
    names.append(threading.current_thread().name)


threading.setprofile(prof)
run(lambda: None, lambda: None)
threading.setprofile(None)
assert names == sorted(names)
