"""A thread lists the entries while another adds one: there are two or three."""

# package: expiringdict
# include: expiringdict
# expect: correct

from expiringdict import ExpiringDict
from together import run


def test():
    sessions = ExpiringDict(max_len=10, max_age_seconds=60)
    sessions["a"] = 1
    sessions["b"] = 2

    def add():
        sessions["c"] = 3

    listed = []
    run(add, lambda: listed.extend(sessions.items()))
    assert listed in ([("a", 1), ("b", 2)], [("a", 1), ("b", 2), ("c", 3)]), listed
