"""Two threads load with one schema."""

# package: marshmallow
# include: marshmallow
# expect: correct

from marshmallow import Schema, fields
from together import run


class User(Schema):
    name = fields.String(required=True)


def test():
    schema = User()
    seen = []
    run(
        lambda: seen.append(schema.load({"name": "a"})["name"]), lambda: seen.append(schema.dump({"name": "b"})["name"])
    )
    assert sorted(seen) == ["a", "b"]
