"""A scrape sees as many observations in the count as in the sum."""

# package: prometheus_client
# include: prometheus_client
# expect: bug
# shows: return self._value

from prometheus_client import CollectorRegistry, Summary
from together import run


def test():
    registry = CollectorRegistry()
    latency = Summary("latency", "of requests", registry=registry)
    seen = {}

    def scrape():
        for metric in registry.collect():
            for sample in metric.samples:
                seen[sample.name] = sample.value

    run(lambda: latency.observe(1.0), scrape)
    assert seen["latency_count"] == seen["latency_sum"], seen
