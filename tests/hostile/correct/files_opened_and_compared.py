"""Files opened and compared."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


lock = threading.Lock()
sizes = []


def work(name):
    with open(name, "w") as f:
        f.write("abc")
    with open(name) as f:
        text = f.read()
    with lock:
        sizes.append(len(text))


def one():
    work("a")


def two():
    work("b")


run(one, two)
assert sizes == [3, 3]
