"""A validator of attrs looks for the value in a dictionary from which another thread removes it."""

import threading

import attr

options = {"red": 1}


@attr.s
class Paint:
    color = attr.ib(validator=attr.validators.optional(attr.validators.in_(options)))


def remove():
    options.pop("red", None)


thread = threading.Thread(target=remove)
thread.start()
Paint("red")
thread.join()
