"""The variables of a function's closure are inspected while another thread changes one of them."""

import inspect
import threading


def made():
    count = 0

    def ask():
        return count

    def grow():
        nonlocal count
        count += 1
        count += 1

    return ask, grow


ask, grow = made()
seen = []


def inspect_it():
    seen.append(inspect.getclosurevars(ask).nonlocals["count"])


threads = [threading.Thread(target=each) for each in (inspect_it, grow)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen != [1]
