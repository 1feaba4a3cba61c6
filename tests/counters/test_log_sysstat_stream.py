"""sadf's JSON, read a sample at a time."""

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.log import pieces
from headcount.counters.log.sysstat import stream

VALUES = st.recursive(
    st.none() | st.integers() | st.text() | st.just('"statistics": [{'),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SAMPLES = st.lists(st.dictionaries(st.text(max_size=8), VALUES, max_size=3), max_size=5)
HOSTS = st.lists(st.tuples(SAMPLES, VALUES, VALUES), max_size=3)


def read(text: str, *, torn: bool = False) -> tuple[list[Any], dict[int, list[Any]]]:
    taken: dict[int, list[Any]] = {}
    hosts = stream.hosts(
        io.StringIO(text), lambda number, one: taken.setdefault(number, []).extend(one), torn=torn
    )
    return list(hosts), taken


@given(HOSTS, st.integers(1, 200), st.sampled_from([None, 1]))
def test_it_reads_what_json_reads_however_the_text_is_cut(hosts, chunk, indent) -> None:
    written = [{"name": a, "statistics": samples, "rest": b} for samples, a, b in hosts]
    text = json.dumps({"sysstat": {"hosts": written}}, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_CHUNK", chunk)
        found, taken = read(text)
    assert found == [{**one, "statistics": []} for one in written]
    assert [taken.get(number, []) for number in range(len(hosts))] == [one[0] for one in hosts]


@pytest.mark.parametrize("end", ["", ",", ",\n"])
def test_a_torn_text_gives_the_samples_before(end: str) -> None:
    text = '{"sysstat": {"hosts": [{"nodename": "a", "statistics": [{"x": 1}, {"x": 2}'
    found, taken = read(text + end, torn=True)
    assert (found[0]["nodename"], taken) == ("a", {0: [{"x": 1}, {"x": 2}]})
    found, taken = read(text[:-1], torn=True)  # without the last sample's bracket
    assert taken == {0: [{"x": 1}, {"x": 2}]}
    with pytest.raises(ValueError, match="Expecting"):
        read(text + end)
