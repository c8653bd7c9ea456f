"""Two threads set different headers."""

# package: urllib3
# include: urllib3
# expect: correct

from together import run
from urllib3 import HTTPHeaderDict


def test():
    headers = HTTPHeaderDict(Accept="*/*")

    def put(name):
        headers[name] = "1"

    run(lambda: put("X-A"), lambda: put("X-B"))
    assert headers["x-a"] == headers["x-b"] == "1"
    assert len(headers) == 3
