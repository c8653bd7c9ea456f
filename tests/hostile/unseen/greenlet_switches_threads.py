"""Two threads update a number, each in a greenlet of its own."""

import threading

import greenlet

number = 0


def update():
    global number
    seen = number
    greenlet.getcurrent()
    number = seen + 1


def work():
    greenlet.greenlet(update).switch()


threads = [threading.Thread(target=work) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert number == 2
