"""Two threads validate with a validator of their own."""

# package: cerberus
# include: cerberus
# expect: correct

from cerberus import Validator
from together import run

SCHEMA = {"name": {"type": "string", "maxlength": 3}}


def test():
    seen = []
    run(
        lambda: seen.append(Validator(SCHEMA).validate({"name": "ann"})),
        lambda: seen.append(Validator(SCHEMA).validate({"name": "robert"})),
    )
    assert sorted(seen) == [False, True]
