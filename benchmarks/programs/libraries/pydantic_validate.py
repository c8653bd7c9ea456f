"""Two threads validate with one model, in Rust."""

# package: pydantic
# include: pydantic
# expect: correct

import pydantic
from together import run


class Point(pydantic.BaseModel):
    x: int
    y: int = 0


def test():
    seen = []
    run(lambda: seen.append(Point(x="1").x), lambda: seen.append(Point.model_validate({"x": 2}).x))
    assert sorted(seen) == [1, 2]
