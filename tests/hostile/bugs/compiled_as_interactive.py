"""A function that is compiled as if it were typed in loses updates."""

import threading

space = {"counts": {"all": 0}}
exec(compile("def add():\n    counts['all'] = counts['all'] + 1\n", "typed", "single"), space)
threads = [threading.Thread(target=space["add"]) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["counts"]["all"] == 2
