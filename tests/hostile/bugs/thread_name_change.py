"""Thread name change."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


t = threading.Thread(target=lambda: names.append(threading.current_thread().name), name="x")
names = []
t.start()
t.name = "y"
t.join()
assert names == ["x"]
