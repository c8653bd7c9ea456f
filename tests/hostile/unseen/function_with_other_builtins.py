"""Function with other builtins."""

import threading
import types


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


names = {"len": lambda x: 1}


def get():
    return len([])


a = types.FunctionType(get.__code__, {"__builtins__": names})


def one():
    assert a() == 1


def two():
    names["len"] = lambda x: 2


run(one, two)
