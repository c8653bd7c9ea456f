"""A sink mutes a component after its first error, while a timer removes the sink."""

# package: loguru
# include: loguru
# property: lock-order
# in: loguru/_logger.py
# fails with: waits for Lock

import threading

from loguru import logger


def mute(message):
    logger.disable(message.record["extra"]["component"])


logger.remove()
number = logger.add(mute, level="ERROR", format="{message}", catch=False)
threads = [
    threading.Thread(target=logger.bind(component="disk").error, args=("full",)),
    threading.Timer(0.1, logger.remove, args=(number,)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
