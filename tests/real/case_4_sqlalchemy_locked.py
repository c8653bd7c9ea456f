"""The same checkouts under the program's own lock, since no release has one: correct."""

import threading

from sqlalchemy.pool import AssertionPool


class Connection:
    """A database connection that does nothing."""

    def rollback(self):
        pass

    def close(self):
        pass


pool = AssertionPool(Connection)
checked_out = []
lock = threading.Lock()


def work():
    try:
        with lock:
            connection = pool.connect()
    except AssertionError:
        return  # the pool says that somebody else has it
    checked_out.append(connection)


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(checked_out) == 1, f"{len(checked_out)} connections checked out at once"
