"""Exposition text: read back as another program wrote it, and distinguished from other text."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from headcount.counters.prometheus import exposition, mapping
from headcount.errors import InputError


@given(st.dictionaries(st.text(min_size=1), st.floats(allow_nan=True), max_size=5))
def test_what_a_program_exposes_is_read_back(exposed: dict[str, float]) -> None:
    registry = CollectorRegistry()
    gauge = Gauge("some_bytes", "Any text", ["device"], registry=registry)
    for device, value in exposed.items():
        gauge.labels(device).set(value)
    text = generate_latest(registry).decode("utf-8")
    found = exposition.parse(text).get("some_bytes", {})
    expected = {(("device", key),): value for key, value in exposed.items() if math.isfinite(value)}
    assert found == expected


def test_unwanted_metrics_are_skipped_unread() -> None:
    text = 'wanted{a="1"} 2\nwanted_too 3\nunwanted{broken 5\n'
    assert dict(exposition.parse(text, {"wanted"})) == {"wanted": {(("a", "1"),): 2.0}}


@pytest.mark.parametrize("torn", ['wanted{a="1', "wanted", "wanted one", 'wanted{a="1"} '])
def test_a_torn_line_is_named(torn: str) -> None:
    with pytest.raises(InputError, match="not Prometheus' text format"):
        exposition.parse(f"wanted 1\n{torn}\n")


def test_a_page_of_another_program_has_no_exporter() -> None:
    assert mapping.exporter_of(exposition.names("<html>\n<body>Hello</body>\n")) is None
    assert mapping.exporter_of(exposition.names("nginx_connections_active 3\n")) is None


def test_a_mapping_that_contradicts_itself_is_refused() -> None:
    term = {"metric": ("some_total",)}
    with pytest.raises(ValueError, match="only shares and ratios have `over`"):
        mapping.Mapped.model_validate({"name": "x", "kind": "share", "of": (term,)})
    with pytest.raises(ValueError, match="`by` is missing"):
        mapping.Mapped.model_validate({"name": "x", "kind": "count", "of": (term,)})


def test_files_of_exporters_name_their_source() -> None:
    folder = Path(mapping.__file__).with_name("exporters")
    for path in folder.glob("*.toml"):
        assert "https://" in path.read_text("utf-8").partition("name =")[0]
