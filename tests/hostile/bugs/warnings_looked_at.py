"""A thread looks at the recorded warnings while another issues one."""

import threading
import warnings


def warn():
    warnings.warn("too late", stacklevel=1)


def look():
    assert not recorded


with warnings.catch_warnings(record=True) as recorded:
    warnings.simplefilter("always")
    threads = [threading.Thread(target=each) for each in (warn, look)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
