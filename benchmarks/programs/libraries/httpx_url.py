"""Two threads make addresses from one."""

# package: httpx
# include: httpx
# expect: correct

import httpx
from together import run


def test():
    base = httpx.URL("http://host/")
    seen = []
    run(lambda: seen.append(str(base.join("a"))), lambda: seen.append(str(base.join("b"))))
    assert sorted(seen) == ["http://host/a", "http://host/b"]
