"""Methods of lists in C are one step each."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


items = []
run(*[lambda n=n: items.append(n) for n in range(3)])
assert sorted(items) == [0, 1, 2]
