"""Sessions are looked through while one is added."""

import threading

sessions = {"anna": 1, "bert": 2}


def total():
    number = 0
    for name in sessions:
        number += sessions[name]
    return number


def login():
    sessions["carl"] = 3


threads = [threading.Thread(target=total), threading.Thread(target=login)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
