"""A property is computed under a lock of its class, and needs one of the user's. After a report about functools."""

import threading

of_the_class, files = threading.RLock(), threading.RLock()


class Data:
    def size(self):
        with of_the_class:
            return self.compute()

    def compute(self):
        with files:
            return 1


def read(data):
    with files:
        return data.size()


data = Data()
threads = [threading.Thread(target=data.size), threading.Thread(target=read, args=(data,))]
for each in threads:
    each.start()
for each in threads:
    each.join()
