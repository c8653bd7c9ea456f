"""Two threads send counts through one client."""

# package: statsd
# include: statsd
# expect: correct

import statsd.client.base
from together import run


class Client(statsd.client.base.StatsClientBase):
    _prefix = None
    _maxudpsize = 512

    def __init__(self):
        self.sent = []

    def _send(self, data):
        self.sent.append(data)


def test():
    client = Client()
    run(lambda: client.incr("a"), lambda: client.gauge("b", 2))
    assert sorted(client.sent) == ["a:1|c", "b:2|g"]
