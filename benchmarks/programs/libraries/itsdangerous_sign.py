"""Two threads sign and check with one serializer."""

# package: itsdangerous
# include: itsdangerous
# expect: correct

from itsdangerous import URLSafeSerializer
from together import run


def test():
    serializer = URLSafeSerializer("secret")
    seen = []

    def round_trip(value):
        seen.append(serializer.loads(serializer.dumps(value)))

    run(lambda: round_trip("a"), lambda: round_trip("b"))
    assert sorted(seen) == ["a", "b"]
