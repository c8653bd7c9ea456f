"""Two threads put cookies into one jar of a session, and read them."""

# package: requests
# include: requests
# expect: correct

from requests import Session
from together import run


def test():
    session = Session()

    def use(name):
        def body():
            session.cookies.set(name, "1", domain="example.org", path="/")
            assert session.cookies.get(name, domain="example.org") == "1"

        return body

    run(use("a"), use("b"))
    assert sorted(session.cookies.keys()) == ["a", "b"]
