"""Other threads do not see a value that a thread attaches to its context."""

# package: opentelemetry-api
# include: opentelemetry
# expect: correct

from opentelemetry import context
from together import run


def test():
    seen = []

    def work(user):
        token = context.attach(context.set_value("user", user))
        seen.append(context.get_value("user"))
        context.detach(token)

    run(lambda: work("a"), lambda: work("b"))
    assert sorted(seen) == ["a", "b"]
