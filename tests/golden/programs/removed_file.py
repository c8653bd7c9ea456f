"""A file is read if it exists, while another thread removes it."""

import os
import threading
from pathlib import Path

state = Path("state")
state.write_text("1")


def read():
    if state.exists():
        state.read_text()


threads = [threading.Thread(target=read), threading.Thread(target=os.remove, args=(state,))]
for each in threads:
    each.start()
for each in threads:
    each.join()
