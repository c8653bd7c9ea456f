"""A thread ignores some warnings while another one works, and no code in C issues any."""

import threading
import warnings


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


done = []


def quieten():
    warnings.filterwarnings("ignore", message="old")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
    done.append("a")


def work():
    done.append("b")


run(quieten, work)
assert sorted(done) == ["a", "b"]
