"""A run's series in OpenMetrics: `promtool tsdb create-blocks-from openmetrics` takes it.

Format: https://prometheus.io/docs/specs/om/open_metrics_spec/. Names are OpenTelemetry's with
underscores and the unit appended, as Prometheus translates them from OTLP
(https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/).
"""

import re
from collections.abc import Iterator, Mapping

from headcount.bundle.reader import Bundle
from headcount.report.export.points import Metric, points

UNITS = {"By": "bytes", "s": "seconds", "ms": "milliseconds", "1": "ratio", "%": "percent"}
"""UCUM codes in the words that Prometheus uses."""
_WRONG = re.compile(r"[^a-zA-Z0-9_]")


def text(bundle: Bundle) -> str:
    """The whole exposition, which ends with `# EOF`; every figure is a gauge."""
    labels = of_run(bundle)
    lines = [line for metric in points(bundle) for line in _metric(metric, labels)]
    return "\n".join([*lines, "# EOF"]) + "\n"


def of_run(bundle: Bundle) -> dict[str, str]:
    """The labels that every series of a run has."""
    return {
        "headcount_run": bundle.folder.resolve().name,
        "headcount_workload": bundle.plan.workload.name,
        "headcount_target": bundle.plan.target,
    }


def _metric(metric: Metric, labels: Mapping[str, str]) -> Iterator[str]:
    unit = _unit(metric.unit)
    name = _WRONG.sub("_", metric.name)
    if unit is not None and not name.endswith(f"_{unit}"):
        name = f"{name}_{unit}"
    yield f"# TYPE {name} gauge"
    if unit is not None:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {_escaped(metric.about)}"
    for attributes, found in metric.series.items():
        own = {_WRONG.sub("_", key): value for key, value in attributes}
        sentence = ",".join(
            f'{key}="{_escaped(value)}"' for key, value in {**labels, **own}.items()
        )
        for at_s, value in found:
            yield f"{name}{{{sentence}}} {value!r} {at_s:.3f}"


def _unit(code: str) -> str | None:
    """The unit in a word; None for counts without a unit (`{user}`)."""
    whole, slash, per = code.partition("/")
    word = UNITS.get(whole) if not whole.startswith("{") else None
    if slash and per == "s":
        return f"{word}_per_second" if word else "per_second"
    return word


def _escaped(sentence: str) -> str:
    return sentence.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
