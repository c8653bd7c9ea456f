"""A wrapper tries how many arguments a function takes; another call finds out first. After a library for parsers."""

import threading


def trimmed(function):
    limit, found = 0, False

    def call(*arguments):
        nonlocal limit, found
        while True:
            try:
                result = function(*arguments[limit:])
                found = True
                return result
            except TypeError:
                if found or limit == len(arguments):
                    raise
                limit += 1

    return call


number = trimmed(lambda text: int(text, 10))


def parse(text):
    assert number("file", 1, text) == int(text)


threads = [threading.Thread(target=parse, args=(text,)) for text in ("1", "2")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
