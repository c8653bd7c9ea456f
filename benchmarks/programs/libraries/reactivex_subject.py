"""A subject hands every value to its observer."""

# package: reactivex
# include: reactivex
# expect: correct

from reactivex.subject import Subject
from together import run


def test():
    subject = Subject()
    seen = []
    subject.subscribe(seen.append)
    run(lambda: subject.on_next(1), lambda: subject.on_next(2))
    assert sorted(seen) == [1, 2]
