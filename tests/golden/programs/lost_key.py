"""Two threads count words in a dictionary that lacks the word at first."""

import threading

counts = {}


def count(word):
    counts[word] = counts.get(word, 0) + 1


threads = [threading.Thread(target=count, args=("a",)) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert counts == {"a": 2}, counts
