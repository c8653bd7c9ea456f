"""Main ends at once; until the process does, two daemons go on, of which one may see what the other has written."""

import threading

stock = {"apples": 3}


def sell():
    stock["apples"] -= 3


def advertise():
    if stock["apples"]:
        assert stock["apples"] > 0


for each in (sell, advertise):
    threading.Thread(target=each, daemon=True).start()
