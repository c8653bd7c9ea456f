"""A counter that two threads add to has the sum."""

# package: opentelemetry-sdk
# include: opentelemetry
# expect: correct

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from together import run


def test():
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    counter = provider.get_meter("shop").create_counter("orders")
    run(lambda: counter.add(1), lambda: counter.add(2))
    metrics = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
    assert metrics[0].data.data_points[0].value == 3
