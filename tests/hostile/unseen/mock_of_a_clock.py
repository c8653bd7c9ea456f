"""A mock stands for a function of `time`: it counts its calls in Python, and loses one."""

import threading
import time
from unittest import mock

with mock.patch("time.sleep") as fake:
    threads = [threading.Thread(target=lambda: time.sleep(1)) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
assert fake.call_count == 2
