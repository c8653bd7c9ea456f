"""A pool of connections: it is possible that one is given to a client after it has been closed."""

import threading


class Connection:
    def __init__(self, number):
        self.number = number

    def query(self):
        return self.number

    def close(self):
        pass


class Pool:
    def __init__(self, size):
        self.lock = threading.Lock()
        self.idle = [Connection(number) for number in range(size)]

    def take(self):
        with self.lock:
            return self.idle.pop()

    def give_back(self, connection):
        with self.lock:
            self.idle.append(connection)

    def shrink(self):
        connection = self.idle[-1]  # the lock is acquired too late
        connection.close()
        with self.lock:
            if connection in self.idle:
                self.idle.remove(connection)


def serve(pool):
    connection = pool.take()
    connection.query()
    pool.give_back(connection)


def main():
    pool = Pool(2)
    threads = [threading.Thread(target=serve, args=(pool,)), threading.Thread(target=pool.shrink)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
