"""A thread logs while the listener of the queue is stopped."""

# package: CPython
# include: logging
# shows: SimpleQueue.get(), which then returns None and not LogRecord before
# comes of it: the record comes after the sentinel and is never written
# reference: the docs of QueueListener.stop say that records may be left on the queue

import logging
import logging.handlers
import queue
import threading
import time


def main():
    records = queue.SimpleQueue()
    listener = logging.handlers.QueueListener(records, logging.NullHandler())
    logger = logging.Logger("service")
    logger.addHandler(logging.handlers.QueueHandler(records))
    listener.start()
    thread = threading.Thread(target=logger.info, args=("ready",))
    thread.start()
    time.sleep(0.1)
    listener.stop()
    thread.join()


main()
