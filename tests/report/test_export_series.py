"""A run's seconds as OpenMetrics and OTLP, read by others' parsers."""

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from export_bundle import exported_bundle
from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from prometheus_client.openmetrics import parser
from report_bundle import bundle_of
from report_factory import content

from headcount.bundle import reader
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.report.export import answer_json, openmetrics, otlp
from headcount.report.export.points import attributes_of, points
from headcount.schemas import SCHEMAS

CPU = "system.cpu.utilization"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return reader.load(exported_bundle(tmp_path_factory.mktemp("series")))


def series(bundle: Bundle) -> list[dict[str, Any]]:
    lines = (bundle.folder / "series.ndjson").read_text().splitlines()
    return [json.loads(line) for line in lines]


def begun_s(bundle: Bundle) -> float:
    first = json.loads((bundle.folder / "events.ndjson").read_text().splitlines()[0])
    return datetime.fromisoformat(first["at"]).timestamp() - float(first["t_s"])


def expected(bundle: Bundle) -> dict[int, float]:
    """CPU of the server's machine, by ms since 1970."""
    start_s = begun_s(bundle)
    return {
        round((start_s + second["t_s"]) * 1000): second["counters"]["sut"][CPU]
        for second in series(bundle)
        if CPU in second["counters"].get("sut", {})
    }


def test_prometheus_reads_what_was_sampled(bundle: Bundle) -> None:
    text = openmetrics.text(bundle)
    families = {family.name: family for family in parser.text_string_to_metric_families(text)}
    found = {
        round(float(sample.timestamp) * 1000): sample.value
        for sample in families["system_cpu_utilization_ratio"].samples
        if sample.labels["headcount_side"] == "sut" and "cpu_mode" not in sample.labels
    }
    assert found == expected(bundle)
    assert families["headcount_users"].type == "gauge"


def promtool(*arguments: str | Path) -> str:
    return subprocess.run(
        ["promtool", "tsdb", *arguments], capture_output=True, text=True, check=True
    ).stdout


def test_a_database_of_prometheus_holds_every_sample(bundle: Bundle, tmp_path: Path) -> None:
    exported, database = tmp_path / "run.prom", tmp_path / "database"
    exported.write_text(openmetrics.text(bundle))
    promtool("create-blocks-from", "openmetrics", exported, database)
    (database / "wal").mkdir()  # without it there is nothing to dump, says promtool
    dumped = promtool("dump", database).splitlines()
    assert len(dumped) == sum(
        not line.startswith("#") for line in exported.read_text().splitlines()
    )
    found = {}
    for line in dumped:
        sample = re.fullmatch(r"\{(.*)\} (\S+) (\d+)", line)
        assert sample is not None, line
        labels = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample[1]))
        whole = labels.get("headcount_side") == "sut" and "cpu_mode" not in labels
        if whole and labels["__name__"] == "system_cpu_utilization_ratio":
            found[int(sample[3])] = float(sample[2])
    assert found == pytest.approx(expected(bundle), rel=1e-12)


def test_opentelemetry_reads_what_was_sampled(bundle: Bundle) -> None:
    found = {}
    for line in otlp.text(bundle).splitlines():
        request = json_format.Parse(line, ExportMetricsServiceRequest())
        for metric in request.resource_metrics[0].scope_metrics[0].metrics:
            if metric.name != CPU:
                continue
            for point in metric.gauge.data_points:
                keys = {each.key: each.value.string_value for each in point.attributes}
                if keys == {"headcount.side": "sut"}:
                    found[point.time_unix_nano // 1_000_000] = point.as_double
    assert found == expected(bundle)


def test_a_request_of_a_long_run_is_less_than_receivers_take(tmp_path: Path) -> None:
    folder = bundle_of(content(), tmp_path / "run")
    disks = {f"system.disk.utilization{{system.device=disk-{n:03}}}": 0.5 for n in range(40)}
    second = {"seconds": 1.0, "level": 1, "phase": "steady", "users": 4, "p95_ms": 2.5}
    second |= {"scenarios": {}, "counters": {"sut": disks}}
    seconds = [json.dumps({"t_s": float(at), **second}) for at in range(1, 601)]
    (folder / "series.ndjson").write_text("\n".join(seconds) + "\n", "utf-8")
    lines = otlp.text(reader.load(folder)).splitlines()
    assert max(len(line) for line in lines) < 4 << 20
    points = [
        (metric.name, point.time_unix_nano, *(one.value.string_value for one in point.attributes))
        for line in lines
        for metric in json_format.Parse(line, ExportMetricsServiceRequest())
        .resource_metrics[0]
        .scope_metrics[0]
        .metrics
        for point in metric.gauge.data_points
    ]
    assert len(points) == len(set(points)) == 600 * (len(disks) + 3)  # users, level, p95


def test_the_seconds_of_a_resumed_run_have_their_own_times(tmp_path: Path) -> None:
    folder = bundle_of(content(), tmp_path / "run")
    events = [
        ("10:00:00", 0.0, "level-start"),
        ("10:00:03", 3.0, "interrupted"),
        ("12:00:00", 3.0, "resumed"),
        ("12:01:00", 4.5, "level-start"),
        ("12:01:02", 6.5, "level-start"),
        ("13:00:00", 7.0, "resumed"),
    ]
    lines = [
        json.dumps({"at": f"2026-11-20T{at}+00:00", "t_s": t_s, "event": event})
        for at, t_s, event in events
    ]
    (folder / "events.ndjson").write_text("\n".join(lines) + "\n", "utf-8")
    second = {"seconds": 1.0, "level": 1, "phase": "steady", "users": 4, "p95_ms": None}
    second |= {"scenarios": {}, "counters": {}}
    at = (1.0, 3.0, 5.0, 7.0, 8.0)
    seconds = [json.dumps({"t_s": t_s, **second}) for t_s in at]
    (folder / "series.ndjson").write_text("\n".join(seconds) + "\n", "utf-8")
    (users,) = [one for one in points(reader.load(folder)) if one.name == "headcount.users"]
    (found,) = users.series.values()
    times = [datetime.fromtimestamp(at_s, UTC).strftime("%H:%M:%S.%f")[:10] for at_s, _ in found]
    assert times == ["10:00:01.0", "10:00:03.0", "12:01:00.5", "12:01:02.5", "13:00:01.0"]


def test_an_instance_is_an_attribute_of_its_own() -> None:
    name = "system.disk.io{disk.io.direction=read,system.device=dm-0}"
    assert attributes_of(name) == (
        "system.disk.io",
        {"disk.io.direction": "read", "system.device": "dm-0"},
    )
    assert attributes_of("system.disk.utilization{system.device=a=b,c}") == (
        "system.disk.utilization",
        {"system.device": "a=b,c"},
    )
    assert attributes_of(CPU) == (CPU, {})


def test_json_is_what_its_schema_says(bundle: Bundle) -> None:
    schema = SCHEMAS["export"]()
    made = json.loads(answer_json.text(bundle))
    jsonschema.validate(made, schema)
    assert made["verdict"]["sentence"] == bundle.verdict.sentence  # type: ignore[union-attr]


def test_a_run_without_seconds_is_an_error(bundle: Bundle, tmp_path: Path) -> None:
    for path in bundle.folder.iterdir():
        if path.name not in ("series.ndjson", "series.parquet"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="no seconds"):
        openmetrics.text(reader.load(tmp_path))
