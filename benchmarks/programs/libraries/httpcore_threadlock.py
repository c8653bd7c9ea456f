"""A pool without connections counts its requests."""

# package: httpcore
# include: httpcore, h11
# expect: correct

import httpcore
from together import run


def test():
    pool = httpcore.ConnectionPool(max_connections=1, network_backend=httpcore.MockBackend([]))
    failed = []

    def request():
        try:
            pool.request("GET", "http://host/")
        except httpcore.RemoteProtocolError:
            failed.append(1)

    run(request, request)
    assert failed == [1, 1]
    assert pool.connections == []
