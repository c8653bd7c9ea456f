"""A logger is disabled by its attribute while another thread logs twice."""

import io
import logging
import threading

out = io.StringIO()
log = logging.Logger("log")
log.addHandler(logging.StreamHandler(out))


def write():
    log.error("one")
    log.error("two")


def disable():
    log.disabled = True


threads = [threading.Thread(target=each) for each in (write, disable)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out.getvalue() in ("", "one\ntwo\n"), out.getvalue()
