"""A thread sends a signal, while another one disconnects the receiver."""

# package: blinker
# include: blinker
# property: callback-after-unsubscribe
# in: blinker/base.py
# fails with:

import threading

from blinker import Signal

saved = Signal()


def receiver(sender):
    pass


saved.connect(receiver)
threads = [
    threading.Thread(target=saved.send, args=(None,)),
    threading.Thread(target=saved.disconnect, args=(receiver,)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
