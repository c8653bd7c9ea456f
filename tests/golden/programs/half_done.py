"""A name is taken out of one table, and a moment later out of the other."""

import threading

numbers = {"anna": 1}
names = ["anna"]


def remove():
    del numbers["anna"]
    names.remove("anna")


def show():
    for name in names:
        print(numbers[name])


threads = [threading.Thread(target=remove), threading.Thread(target=show)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
