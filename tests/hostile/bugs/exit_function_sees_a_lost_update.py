"""The exit function ends the process with an error where two threads that no one joins have lost an update."""

import atexit
import os
import threading

count = 0


def add():
    global count
    count += 1


def start():
    threading.Thread(target=add).start()
    add()


def look():
    if count != 2:
        os._exit(3)


atexit.register(look)
threading.Thread(target=start).start()
