"""Two timeouts fire at the same time: their effects race, though neither is short."""

import threading

first, second = threading.Event(), threading.Event()
number = 0


def count(event):
    global number
    event.wait(0.2)
    seen = number
    number = seen + 1


threads = [threading.Thread(target=count, args=(each,)) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert number == 2
