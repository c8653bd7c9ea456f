"""Two threads send requests through one client."""

# package: httpx
# include: httpx
# expect: correct

import httpx
from together import run


def test():
    client = httpx.Client(transport=httpx.MockTransport(lambda request: httpx.Response(204)))
    seen = []
    run(
        lambda: seen.append(client.get("http://host/a").status_code),
        lambda: seen.append(client.get("http://host/b").status_code),
    )
    assert seen == [204, 204]
