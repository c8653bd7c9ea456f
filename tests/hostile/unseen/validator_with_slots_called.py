"""An object of a library keeps a dictionary of the program in a slot, and looks into it when it is called."""

import threading

import attr

options = {"red": 1}
check = attr.validators.in_(options)
field = attr.ib()


def remove():
    options.pop("red", None)


thread = threading.Thread(target=remove)
thread.start()
check(None, field, "red")
thread.join()
