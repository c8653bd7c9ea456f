"""Code that is made once and run twice in one dictionary reads a variable that it stores."""

import threading

space = {"x": 0}
code = compile("x = x + 1", "<made>", "exec")
threads = [threading.Thread(target=exec, args=(code, space)), threading.Thread(target=lambda: eval(code, space))]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert space["x"] == 2
