"""Spans of two threads are exported in batches, at the latest by the shutdown."""

# package: opentelemetry-sdk
# include: opentelemetry
# expect: correct

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from together import run


def test():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("shop")

    def work(name):
        with tracer.start_as_current_span(name):
            pass

    run(lambda: work("a"), lambda: work("b"))
    provider.shutdown()
    assert sorted(span.name for span in exporter.get_finished_spans()) == ["a", "b"]
