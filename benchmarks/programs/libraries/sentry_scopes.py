"""Tags of a scope are those of its thread."""

# package: sentry-sdk
# include: sentry_sdk
# expect: correct

import sentry_sdk
from together import run


def test():
    seen = []

    def work(user):
        with sentry_sdk.new_scope() as scope:
            scope.set_tag("user", user)
            seen.append(sentry_sdk.get_current_scope()._tags["user"])

    run(lambda: work("a"), lambda: work("b"))
    assert sorted(seen) == ["a", "b"]
