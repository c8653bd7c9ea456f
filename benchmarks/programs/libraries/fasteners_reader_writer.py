"""No thread reads while another one writes."""

# package: fasteners
# include: fasteners
# expect: correct

import fasteners
from together import run


def test():
    lock = fasteners.ReaderWriterLock()
    account = {"ann": 1, "bob": 1}

    def pay():
        with lock.write_lock():
            account["ann"] -= 1
            account["bob"] += 1

    seen = []

    def audit():
        with lock.read_lock():
            seen.append(account["ann"] + account["bob"])

    run(pay, audit)
    assert seen == [2]
