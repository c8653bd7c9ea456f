"""A thread goes through the keys of a dictionary that locks itself, while another adds one."""

# package: expiringdict
# include: expiringdict
# expect: bug
# shows: OrderedDict.__setitem__

from expiringdict import ExpiringDict
from together import run


def test():
    sessions = ExpiringDict(max_len=10, max_age_seconds=60)
    sessions["a"] = 1
    sessions["b"] = 2

    def add():
        sessions["c"] = 3

    seen = []

    def report():
        for key in sessions.keys():
            seen.append(key.upper())

    run(add, report)
    assert seen[:2] == ["A", "B"]
