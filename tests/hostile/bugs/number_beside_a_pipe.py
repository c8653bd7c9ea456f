"""A file that one thread opens gets another number while a pipe of the other is open."""

import os
import threading

numbers = {}


def piped():
    reading, writing = os.pipe()
    numbers["pipe"] = reading
    os.close(reading)
    os.close(writing)


def opened():
    number = os.open(os.devnull, os.O_RDONLY)
    numbers["file"] = number
    os.close(number)


threads = [threading.Thread(target=piped), threading.Thread(target=opened)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert numbers["file"] <= numbers["pipe"], numbers
