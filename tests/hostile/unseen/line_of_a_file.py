"""`linecache` opens a file as imports do."""

import linecache
import threading

seen = []


def first():
    seen.append(linecache.getline("made_here.txt", 1))


def second():
    with open("made_here.txt", "w") as out:
        out.write("a")


threads = [threading.Thread(target=each) for each in (first, second)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert seen == [""]
