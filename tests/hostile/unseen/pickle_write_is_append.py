"""The file of `pickle.dump` is an object with a list's `append` for its `write`."""

import pickle
import threading

got = []


class File:
    write = got.append


threads = [threading.Thread(target=pickle.dump, args=(each, File())) for each in (1, 2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got == [pickle.dumps(1), pickle.dumps(2)]
