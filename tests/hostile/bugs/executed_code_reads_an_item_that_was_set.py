"""Code made by compile reads an item that another thread has set before it was run."""

import threading

space = {"x": 0}
code = compile("assert x == 5", "<made>", "exec")


def change():
    space["x"] = 5


threads = [threading.Thread(target=change), threading.Thread(target=lambda: exec(code, space))]
for each in threads:
    each.start()
for each in threads:
    each.join()
