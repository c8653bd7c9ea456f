"""No thread is joined, but an exit function looks at what they have left: it comes after all of them, also after those
that only some orders start."""

import atexit
import os
import threading

lock = threading.Lock()
count = 0


def add(number):
    global count
    with lock:
        count += number
        first = count == number
    if first and number == 1:
        threading.Thread(target=add, args=(3,)).start()


def look():
    if count not in (3, 6):
        os._exit(1)


atexit.register(look)
threading.Thread(target=add, args=(1,)).start()
threading.Thread(target=add, args=(2,)).start()
