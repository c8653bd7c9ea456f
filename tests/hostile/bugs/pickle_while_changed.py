"""A list is written to a file while another thread appends to it."""

import io
import pickle
import threading

numbers, file = [1], io.BytesIO()
threads = [
    threading.Thread(target=lambda: pickle.dump(numbers, file)),
    threading.Thread(target=lambda: numbers.append(2)),
]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert pickle.loads(file.getvalue()) == [1, 2]
