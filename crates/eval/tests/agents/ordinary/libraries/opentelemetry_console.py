"""Traces and counts to the console."""

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor

PROVIDER = TracerProvider(resource=Resource.create({"service.name": "ordinary"}))
PROVIDER.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))


def callback():
    with PROVIDER.get_tracer("ordinary").start_as_current_span("work"):
        pass
    PROVIDER.add_span_processor(BatchSpanProcessor(ConsoleSpanExporter()))
    with PROVIDER.get_tracer("ordinary").start_as_current_span("more"):
        pass
    metrics = MeterProvider([PeriodicExportingMetricReader(ConsoleMetricExporter())])
    metrics.get_meter("ordinary").create_counter("calls").add(1)
    metrics.shutdown()
    return PROVIDER.force_flush()
