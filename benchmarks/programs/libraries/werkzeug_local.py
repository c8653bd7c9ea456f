"""A proxy shows each thread its own object."""

# package: Werkzeug
# include: werkzeug
# expect: correct

from together import run
from werkzeug.local import Local


def test():
    local = Local()
    user = local("user")
    seen = []

    def work(name):
        local.user = name
        seen.append(str(user))

    run(lambda: work("a"), lambda: work("b"))
    assert sorted(seen) == ["a", "b"]
