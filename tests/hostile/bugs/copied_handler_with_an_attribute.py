"""A handler of logs is copied while a thread stores an attribute for which its class has a default."""

import copy
import logging
import threading


class Handler(logging.Handler):
    sent = 0


handler = Handler()


def look():
    assert copy.copy(handler).sent == copy.copy(handler).sent


def change():
    handler.sent = 1


threads = [threading.Thread(target=look), threading.Thread(target=change)]
for each in threads:
    each.start()
for each in threads:
    each.join()
