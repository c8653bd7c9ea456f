"""Each thread makes its own code, from another text once the first has been there; all change one list."""

import threading

counts, texts = [0], ["v = counts[0]\ncounts[0] = v + 1\n"]


def run():
    exec(compile(texts[0], "<generated>", "exec"), {"counts": counts})
    texts[0] += "# later\n"


threads = [threading.Thread(target=run) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert counts == [2]
