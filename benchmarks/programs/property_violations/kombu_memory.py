"""A thread asks how many messages wait in a queue in memory, which another one deletes over its own connection."""

# package: kombu
# include: kombu
# property: check-then-act
# in: kombu/transport/memory.py
# fails with: KeyError

import threading

from kombu import Connection
from kombu.exceptions import ChannelError


def main():
    with Connection("memory://") as one, Connection("memory://") as other:
        waiting = one.SimpleQueue("orders")
        channel = other.channel()

        def ask():
            try:
                waiting.qsize()
            except ChannelError:
                pass  # as documented: there is no such queue

        threads = [threading.Thread(target=ask), threading.Thread(target=channel.queue_delete, args=("orders",))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


main()
