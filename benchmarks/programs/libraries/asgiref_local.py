"""Two threads keep values of their own in a local of asgiref."""

# package: asgiref
# include: asgiref
# expect: correct

from asgiref.local import Local
from together import run


def test():
    local = Local()

    def use(n):
        def body():
            local.user = n
            assert local.user == n
            del local.user
            assert not hasattr(local, "user")

        return body

    run(use(1), use(2))
