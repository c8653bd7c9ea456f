"""Code made by compile reads an item of its dictionary of local variables twice."""

import threading

variables = {"x": 0}
code = compile("seen = x\nassert x == seen", "<made>", "exec")


def change():
    variables["x"] = 1


threads = [threading.Thread(target=change), threading.Thread(target=lambda: exec(code, {}, variables))]
for each in threads:
    each.start()
for each in threads:
    each.join()
