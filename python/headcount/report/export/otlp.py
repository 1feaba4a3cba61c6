"""A run's series in OTLP JSON, which collectors read from files and accept over HTTP.

Format: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding, message
ExportMetricsServiceRequest of opentelemetry-proto 1.x.
"""

import json
from typing import Any

from headcount.bundle.reader import Bundle
from headcount.report.export.openmetrics import of_run
from headcount.report.export.points import Metric, points

NS_PER_S = 1_000_000_000
POINTS = 5_000
"""Points per request, which keep it far below the 4 MiB that receivers accept by default."""


def text(bundle: Bundle) -> str:
    """Requests, one per line, as the file receiver of OpenTelemetry's collector reads them."""
    version = bundle.environment.headcount if bundle.environment else ""
    resource = {"attributes": _attributes({"service.name": "headcount", **_dotted(bundle)})}
    scope = {"name": "headcount", "version": version}
    lines = []
    batch: list[dict[str, Any]] = []
    held = 0
    for metric in points(bundle):
        found = _points(metric)
        at = 0
        while at < len(found):  # a long run has more points of one metric than a request takes
            part = found[at : at + POINTS - held]
            batch.append(_metric(metric, part))
            at, held = at + len(part), held + len(part)
            if held == POINTS:
                lines.append(_request(resource, scope, batch))
                batch, held = [], 0
    if batch:
        lines.append(_request(resource, scope, batch))
    return "".join(f"{line}\n" for line in lines)


def _dotted(bundle: Bundle) -> dict[str, str]:
    return {key.replace("_", ".", 1): value for key, value in of_run(bundle).items()}


def _request(resource: Any, scope: Any, metrics: list[dict[str, Any]]) -> str:
    scoped = [{"scope": scope, "metrics": metrics}]
    return json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": scoped}]})


def _points(metric: Metric) -> list[dict[str, Any]]:
    """The points of a metric."""
    return [
        {
            "attributes": _attributes(dict(attributes)),
            # Integers of 64 bits are strings in this encoding.
            "timeUnixNano": str(round(at_s * 1000) * (NS_PER_S // 1000)),
            "asDouble": value,
        }
        for attributes, series in metric.series.items()
        for at_s, value in series
    ]


def _metric(metric: Metric, found: list[dict[str, Any]]) -> dict[str, Any]:
    """A gauge with some of the metric's points."""
    head = {"name": metric.name, "unit": metric.unit, "description": metric.about}
    return {**head, "gauge": {"dataPoints": found}}


def _attributes(values: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
