"""The list of a logger's handlers is emptied, past its methods, while another thread logs."""

import io
import logging
import threading

out = io.StringIO()
log = logging.Logger("log")
log.addHandler(logging.StreamHandler(out))
threads = [threading.Thread(target=log.error, args=("lost",)), threading.Thread(target=log.handlers.clear)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert out.getvalue() == "lost\n"
