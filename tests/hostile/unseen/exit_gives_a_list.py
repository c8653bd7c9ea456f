"""Exit gives a list."""

import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


shared = []


class A:
    def __enter__(self):
        pass

    def __exit__(self, *e):
        return shared


def one():
    try:
        with A():
            raise KeyError
    except KeyError:
        pass
    else:
        assert False


def two():
    shared.append(1)


run(one, two)
