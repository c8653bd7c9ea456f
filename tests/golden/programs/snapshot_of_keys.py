"""The keys of a cache are copied, and one of them is gone when it is looked up. After a report about linecache."""

import threading

lines = {"a.py": 1, "b.py": 2}


def check():
    for name in list(lines):
        if lines[name] == 0:
            del lines[name]


threads = [threading.Thread(target=check), threading.Thread(target=lines.clear)]
for each in threads:
    each.start()
for each in threads:
    each.join()
