"""A counter with labels counts all."""

# package: prometheus_client
# include: prometheus_client
# expect: correct

from prometheus_client import CollectorRegistry, Counter
from together import run


def test():
    registry = CollectorRegistry()
    hits = Counter("hits", "of a page", ["page"], registry=registry)
    run(lambda: hits.labels("a").inc(), lambda: hits.labels("a").inc(2))
    assert registry.get_sample_value("hits_total", {"page": "a"}) == 3
