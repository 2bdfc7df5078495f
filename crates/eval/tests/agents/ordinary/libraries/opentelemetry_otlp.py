"""Sends traces to a collector that the case does not allow."""

NEEDS = ["opentelemetry.exporter.otlp.proto.http"]
REFUSED = "localhost:4318"
ALONE = True

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

PROVIDER = TracerProvider()
PROVIDER.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(timeout=1)))


def callback():
    with PROVIDER.get_tracer("ordinary").start_as_current_span("work"):
        pass
