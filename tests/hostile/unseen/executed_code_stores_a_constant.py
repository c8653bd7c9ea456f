"""Code without a dictionary stores a global that the module takes for a constant."""

import threading

x = 0
code = compile("global x\nx = 1", "<made>", "exec")


def look():
    assert x == 0


def change():
    exec(code)


threads = [threading.Thread(target=each) for each in (look, change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
