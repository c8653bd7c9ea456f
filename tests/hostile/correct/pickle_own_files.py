"""Two threads write files of their own."""

import io
import pickle
import threading

written = []


def write():
    file = io.BytesIO()
    pickle.dump([1], file)
    written.append(file.getvalue())


threads = [threading.Thread(target=write) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert [pickle.loads(each) for each in written] == [[1], [1]]
