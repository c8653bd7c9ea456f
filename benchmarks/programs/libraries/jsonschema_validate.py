"""Two threads validate with one validator."""

# package: jsonschema
# include: jsonschema, referencing
# expect: correct

from jsonschema import Draft202012Validator
from together import run


def test():
    schema = {"type": "object", "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}}
    validator = Draft202012Validator(schema)

    def use(value, valid):
        def body():
            assert validator.is_valid({"n": value}) == valid

        return body

    run(use(1, True), use("x", False))
