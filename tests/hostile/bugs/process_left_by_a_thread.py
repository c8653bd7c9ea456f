"""A thread ends the process at once; before that, others may see what it has written."""

import os
import threading

state = {"leaving": False, "seen": False}


def leave():
    state["leaving"] = True
    os._exit(0)


def look():
    if state["leaving"]:
        state["seen"] = True


threading.Thread(target=leave).start()
threading.Thread(target=look).start()
assert not state["seen"]
