"""Logs of Prometheus: answers of range queries made of known pages, and pages in a row."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from exporter import exporting
from headcount.counters import log
from headcount.counters.log import prometheus
from headcount.counters.prometheus import exposition, mapping, values
from headcount.errors import InputError

PAGES = Path(__file__).with_name("pages")
BEGAN_S = 1_795_310_000.0
BUSY = "system.cpu.utilization"


def windows(moment: int) -> str:
    return PAGES.joinpath(f"windows_exporter_{moment}.txt").read_text("utf-8")


def matrix(texts: dict[float, str], instance: str) -> dict[str, Any]:
    """What a Prometheus that had read these pages would answer."""
    series: dict[tuple[str, exposition.Labels], list[list[Any]]] = {}
    for at_s, text in texts.items():
        for name, found in exposition.parse(text).items():
            for labels, value in found.items():
                series.setdefault((name, labels), []).append([at_s, repr(value)])
    result = [
        {
            "metric": {"__name__": name, "instance": instance, "job": "any", **dict(labels)},
            "values": points,
        }
        for (name, labels), points in series.items()
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def saved(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "saved"
    path.write_text(text, "utf-8")
    return path


def test_a_range_of_windows(tmp_path: Path) -> None:
    answer = matrix({BEGAN_S: windows(0), BEGAN_S + 10: windows(1)}, "fs1:9182")
    (recording,) = log.read(saved(tmp_path, json.dumps(answer)))
    assert (recording.host, recording.system) == ("FS1", "windows")
    assert recording.format == "Prometheus, windows_exporter"
    assert [sample.at_s for sample in recording.samples] == [BEGAN_S, BEGAN_S + 10]
    assert BUSY not in recording.samples[0].values
    assert recording.samples[1].values[BUSY] == pytest.approx(13 / 40)
    assert recording.samples[1].values["system.disk.operation_time"] == pytest.approx(17 / 3.5)
    assert "windows_cpu_logical_processor" in recording.unknown
    assert recording.notes == ()


def test_several_answers_of_several_machines(tmp_path: Path) -> None:
    texts = {BEGAN_S: windows(0), BEGAN_S + 10: windows(1)}
    nameless = {at: text.replace("windows_os_hostname", "other") for at, text in texts.items()}
    answers = [matrix(nameless, "fs1:9182"), matrix(nameless, "fs2:9182")]
    path = saved(tmp_path, "\n".join(json.dumps(each, indent=1) for each in answers))
    assert [one.host for one in log.read(path)] == ["fs1:9182", "fs2:9182"]


def test_a_step_that_is_too_short_repeats_nothing(tmp_path: Path) -> None:
    texts = {BEGAN_S + n: windows(0 if n < 10 else 1) for n in range(0, 20, 2)}
    (recording,) = log.read(saved(tmp_path, json.dumps(matrix(texts, "fs1:9182"))))
    assert len(recording.samples) == 2
    assert recording.samples[1].values[BUSY] == pytest.approx(13 / 40)
    assert recording.samples[1].values["system.cpu.context_switches"] == pytest.approx(15_500)
    assert "8 of 10 points repeat the previous one" in recording.notes[0]


def test_series_without_a_name_are_reported(tmp_path: Path) -> None:
    answer = matrix({BEGAN_S: windows(0)}, "fs1:9182")
    answer["data"]["result"].append({"metric": {"instance": "fs1"}, "values": [[BEGAN_S, "1"]]})
    (recording,) = log.read(saved(tmp_path, json.dumps(answer)))
    assert recording.notes[0].startswith("skipped series without a name: 1;")


def test_pages_of_the_real_node_exporter(tmp_path: Path) -> None:
    with exporting() as exporter:
        texts = []
        for _ in range(3):
            texts.append((time.time(), exporter.text()))
            time.sleep(0.1)
    path = saved(tmp_path, "".join(f"# headcount page {at:.3f}\n{text}" for at, text in texts))
    (recording,) = log.read(path)
    assert recording.format == "Prometheus, node_exporter"
    assert len(recording.samples) == 3
    known = mapping.exporter_of(exposition.names(texts[0][1]))
    assert known is not None
    one, other = (exposition.parse(text) for _, text in texts[1:])
    its_s = (values.clock(known, other) or 0) - (values.clock(known, one) or 0)
    assert recording.samples[2].values == values.values(known, one, other, its_s)
    assert "node_boot_time_seconds" in recording.unknown


def test_a_torn_page_costs_that_page(tmp_path: Path) -> None:
    text = f"# headcount page {BEGAN_S}\n{windows(0)}# headcount page {BEGAN_S + 10}\n{windows(1)}"
    text += f"# headcount page {BEGAN_S + 20}\n{windows(1)[:900]}"
    (recording,) = log.read(saved(tmp_path, text))
    assert len(recording.samples) == 2
    assert recording.notes == ("skipped unreadable pages: 1",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"status":"error","errorType":"bad_data","error":"parse error"}',
            "refused the query: pa",
        ),
        (
            '{"status":"success","data":{"resultType":"vector","result":[]}}',
            "for one moment; query a range",
        ),
        (
            '{"status":"success","data":{"resultType":"matrix","result":[',
            "is not a complete response",
        ),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', "has no metrics of"),
        ("# HELP node_load1 1m load average.\nnode_load1 0.3\n", 'line "# headcount page SECONDS"'),
        ("# headcount page 1\nnginx_connections_active 3\n", "has no metrics of"),
    ],
)
def test_unreadable_answers_are_refused_with_the_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        log.read(saved(tmp_path, text))
    assert message in str(caught.value)


def test_other_files_are_left_to_other_readers() -> None:
    assert not prometheus.recognises(Path("x.json"), b'{"sysstat": {"hosts": []}}')
    assert not prometheus.recognises(Path("x.csv"), b'"(PDH-CSV 4.0)","\\\\FS1\\x"')
