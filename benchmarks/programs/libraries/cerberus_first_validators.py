"""The first two validators of a process are made by two threads."""

# package: cerberus
# include: cerberus
# expect: bug
# shows: types_mapping

from cerberus import Validator
from together import run


def is_short(field, value, error):
    if len(value) > 3:
        error(field, "too long")


def test():
    seen = []

    def work():
        seen.append(Validator({"name": {"check_with": is_short}}).validate({"name": "ann"}))

    run(work, work)
    assert seen == [True, True]
