"""Two progress bars are made at the same time (tqdm #323, #481)."""

# package: tqdm
# include: tqdm
# property: uninitialised-use
# in: tqdm/_tqdm.py
# fails with: AttributeError: 'tqdm' object has no attribute 'pos'
# found by: check
# release: tqdm==4.19.4

import io
import threading

from tqdm import tqdm

tqdm.monitor_interval = 0  # no monitor thread


def work():
    tqdm(total=1, file=io.StringIO())


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
