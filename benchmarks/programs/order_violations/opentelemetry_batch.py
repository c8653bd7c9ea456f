"""Spans end while a batch of earlier ones is exported."""

# package: opentelemetry-sdk
# include: opentelemetry.sdk
# shows: Event.is_set(), which then returns True and not False before
# comes of it: the wake-up for a full batch is cleared, so the batch waits until the next delay is over
# reference: open-telemetry/opentelemetry-python#5400

import time

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult


class Exporter(SpanExporter):
    def export(self, spans):
        return SpanExportResult.SUCCESS


def main():
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Exporter(), max_export_batch_size=1, schedule_delay_millis=60_000))
    tracer = provider.get_tracer("service")
    for name in ("one", "two"):
        tracer.start_span(name).end()
        time.sleep(0.1)
    provider.shutdown()


main()
