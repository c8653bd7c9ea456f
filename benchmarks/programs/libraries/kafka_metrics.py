"""Two threads collect metrics in one sensor."""

# package: kafka-python
# include: kafka
# expect: correct

from kafka.metrics import Metrics
from kafka.metrics.stats import Count
from together import run


def test():
    metrics = Metrics()
    sensor = metrics.sensor("sent")
    name = metrics.metric_name("count", "producer")
    sensor.add(name, Count())

    def use():
        sensor.record(1.0)

    run(use, use)
    assert metrics.metrics[name].value() == 2
