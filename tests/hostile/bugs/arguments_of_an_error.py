"""The arguments of an error are replaced while another thread looks at them."""

import threading

err = ValueError(0)


def write():
    err.args = (1,)
    err.args = (2,)


def look():
    assert err.args != (1,)


threads = [threading.Thread(target=each) for each in (write, look)]
for each in threads:
    each.start()
for each in threads:
    each.join()
