"""The main thread never gets past the join, since the other one ends the process."""

import os
import threading

held = threading.Lock()


def leave():
    with held:
        os._exit(0)


thread = threading.Thread(target=leave)
thread.start()
thread.join()
raise AssertionError
