"""Two progress bars made at the same time, where the lock of all bars exists before: 4.33.0 makes it at its first use,
without a lock, so that two bars may have one each."""

import io
import threading

from tqdm import tqdm

tqdm.monitor_interval = 0  # no monitor thread
tqdm.get_lock()


def work():
    tqdm(total=1, file=io.StringIO())


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
