"""Perfmon logs of any locale, encoding and program, whole and damaged."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perfmon_log import START_S, pdh

from headcount.counters import log
from headcount.counters.log.perfmon import clock
from headcount.counters.log.perfmon.names import LANGUAGES, english
from headcount.counters.recording import Recording
from headcount.errors import InputError

PAGES = r"Memory\Pages/sec"
NAME = "system.windows.paging.pages"


def read(folder: Path, content: bytes) -> Recording:
    path = folder / "log.csv"
    path.write_bytes(content)
    (recording,) = log.read(path)
    return recording


def pages(recording: Recording) -> list[float | None]:
    return [sample.values.get(NAME) for sample in recording.samples]


GERMAN = {
    "Prozessor(_Total)\\Prozessorzeit (%)": [86.5],
    "Arbeitsspeicher\\Verfügbare MB": [512.0],
    "Physikalischer Datenträger(0 C:)\\Mittlere Sek./Übertragung": [0.0125],
    "Physikalischer Datenträger(_Total)\\Zeit (%)": [67.25],
    "Netzwerkschnittstelle(Intel[R] 82574L)\\Gesamtanzahl Bytes/s": [3.5e6],
    "Server\\Nicht-Auslagerungsseitenfehler": [1.0],
    "Serverwarteschlangen(0)\\Warteschlangenlänge": [3.0],
}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "cp850"])
@pytest.mark.parametrize(
    ("delimiter", "comma"), [(",", False), (",", True), (";", True), ("\t", True)]
)
def test_a_german_log_reads_as_an_english_one(
    tmp_path: Path, encoding: str, delimiter: str, comma: bool
) -> None:
    mark = f"(PDH-{'TSV' if delimiter == chr(9) else 'CSV'} 4.0) (Mitteleuropäische Zeit)(-60)"
    text = pdh(GERMAN, mark=mark, delimiter=delimiter, comma=comma)
    recording = read(tmp_path, text.encode(encoding))
    assert recording.unknown == ()
    assert dict(recording.samples[0].values) == {
        "system.cpu.utilization": pytest.approx(0.865),
        "system.linux.memory.available": 512 * 2**20,
        "system.disk.operation_time": 12.5,
        "system.disk.operation_time{system.device=0 C:}": 12.5,
        "system.windows.disk.time": 0.6725,
        "system.network.io": 3.5e6,
        "system.network.io{network.interface.name=Intel[R] 82574L}": 3.5e6,
        "system.windows.server.pool.nonpaged.failures": 1.0,
        "system.windows.server.work_queue": 3.0,
        "system.windows.server.work_queue.longest": 3.0,
    }
    assert recording.samples[0].at_s == START_S


@pytest.mark.parametrize(
    ("local", "name"),
    [
        (("Processeur", "% temps processeur"), ("Processor", "% Processor Time")),
        (("Mémoire", "Pages/s"), ("Memory", "Pages/sec")),
        (
            ("Mémoire", "Pourcentage d\N{RIGHT SINGLE QUOTATION MARK}octets dédiés utilisés"),
            ("Memory", "% Committed Bytes In Use"),
        ),
        (
            ("Disque physique", "Moyenne disque s/transfert"),
            ("PhysicalDisk", "Avg. Disk sec/Transfer"),
        ),
        (("Procesador", "% de tiempo de procesador"), ("Processor", "% Processor Time")),
        (
            ("Disco físico", "Promedio de segundos de disco/lectura"),
            ("PhysicalDisk", "Avg. Disk sec/Read"),
        ),
        (("Sistema", "Longitud de la cola del procesador"), ("System", "Processor Queue Length")),
        (("Memoria", "MByte disponibili"), ("Memory", "Available MBytes")),
        (("Memória", "Bytes disponíveis"), ("Memory", "Available Bytes")),
        (("Processador", "% tempo de processador"), ("Processor", "% Processor Time")),
        (
            ("PhysicalDisk", "Média de disco s/transferência"),
            ("PhysicalDisk", "Avg. Disk sec/Transfer"),
        ),
    ],
)
def test_other_languages_mean_the_same(local: tuple[str, str], name: tuple[str, str]) -> None:
    assert english(*local) == name


def test_every_translation_stands_for_a_known_name() -> None:
    import tomllib  # noqa: PLC0415
    from importlib.resources import files  # noqa: PLC0415

    from headcount.counters.log.perfmon.names import meanings  # noqa: PLC0415

    objects = {name for meaning in meanings() for name in meaning.objects}
    counters = {meaning.counter for meaning in meanings()}
    folder = files("headcount.counters.log.perfmon").joinpath("languages")
    for language in LANGUAGES:
        words = tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
        assert set(words["objects"].values()) <= objects, language
        assert set(words["counters"].values()) <= counters, language


def test_rows_may_be_quoted_in_part(tmp_path: Path) -> None:
    text = pdh({PAGES: [], r"Memory\Page Faults/sec": [], r"Memory\Cache Faults/sec": []})
    text += '"03/02/2026 09:00:00.000",1,,"3"\r\n03/02/2026 09:00:01.000,"4",5,6\r\n'
    first, second = read(tmp_path, text.encode()).samples
    assert sorted(first.values.values()) == [1.0, 3.0]
    assert sorted(second.values.values()) == [4.0, 5.0, 6.0]


def test_bad_samples_are_absent(tmp_path: Path) -> None:
    text = pdh({PAGES: [None, -1.0, 3.0, 0.0]})
    text += '"03/02/2026 09:00:04.000",""\r\n"03/02/2026 09:00:05.000","-1.#IND"\r\n'
    assert pages(read(tmp_path, text.encode())) == [None, None, 3.0, 0.0, None, None]


def test_last_words_of_typeperf_are_not_a_sample(tmp_path: Path) -> None:
    text = "\r\n" + pdh({PAGES: [1.0, 2.0]}, mark="(PDH-CSV 4.0)")
    text += "Exiting, please wait...                         \r\n"
    text += "The command completed successfully.\r\n"
    recording = read(tmp_path, text.encode())
    assert pages(recording) == [1.0, 2.0]
    assert [note for note in recording.notes if "line" in note] == []


def test_other_lines_between_samples_are_counted(tmp_path: Path) -> None:
    lines = pdh({PAGES: [1.0, 2.0]}).splitlines(keepends=True)
    lines.insert(2, "# a comment\r\n")
    recording = read(tmp_path, "".join(lines).encode())
    assert pages(recording) == [1.0, 2.0]
    assert any(note.startswith("Skipped 1 line between") for note in recording.notes)


@pytest.mark.parametrize("cut", range(1, 30))
def test_a_torn_last_line_is_left_out_whole(tmp_path: Path, cut: int) -> None:
    text = pdh({PAGES: [1.0, 2.0], r"Memory\Page Faults/sec": [10.0, 2000.0]}).rstrip("\r\n")
    recording = read(tmp_path, text[:-cut].encode())
    assert pages(recording) == [1.0]
    # Torn within the time, what is left of the line cannot be told from typeperf's last words.
    assert recording.notes in {("The last line is incomplete and was left out.",), ()}


def test_a_last_line_without_a_line_end_is_whole(tmp_path: Path) -> None:
    text = pdh({PAGES: [1.0, 2.0]}).rstrip("\r\n")
    assert pages(read(tmp_path, text.encode())) == [1.0, 2.0]


def test_short_rows_lack_only_the_missing_cells(tmp_path: Path) -> None:
    text = pdh({PAGES: [1.0], r"Memory\Page Faults/sec": [10.0]})
    recording = read(tmp_path, (text + '"03/02/2026 09:00:01.000","5"\r\n').encode())
    assert pages(recording) == [1.0, 5.0]
    assert "system.paging.faults" not in recording.samples[1].values
    assert any("fewer cells" in note for note in recording.notes)


def test_a_second_log_behind_the_first_is_not_mixed_in(tmp_path: Path) -> None:
    text = pdh({PAGES: [1.0]}) + pdh({r"Memory\Available Bytes": [7.0]})
    recording = read(tmp_path, text.encode())
    assert pages(recording) == [1.0]
    assert any("Line 3 is a second header" in note for note in recording.notes)


def test_samples_are_in_order_of_time_though_the_clock_went_back(tmp_path: Path) -> None:
    lines = pdh({PAGES: [1.0, 2.0, 3.0]}).splitlines(keepends=True)
    recording = read(tmp_path, "".join([lines[0], lines[3], lines[1], lines[2]]).encode())
    assert pages(recording) == [1.0, 2.0, 3.0]
    assert any("clock went back 1 time;" in note for note in recording.notes)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (pdh({PAGES: []}), "a header but no samples"),
        ('"(PDH-CSV 4.0)","\\\\A\\Memory\\Pages/sec"\n03/02/2026 09:00:00.0,1,5\n', "line 2 has 3"),
        (
            '"(PDH-CSV 4.0)","\\\\A\\Memory\\Pages/sec"\n"99/99/2026 09:00:00","1"\n',
            "cannot read its times",
        ),
        ('A note on "(PDH-CSV 4.0)" and its kin.\n', "not a known log of counters"),
    ],
)
def test_a_log_that_cannot_be_read_is_refused_with_the_reason(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, content.encode())


@pytest.mark.parametrize(
    ("stamps", "first"),
    [
        (["03/02/2026 09:00:00.123"], 1772442000.123),
        (["02.03.2026 09:00:00"], 1772442000),
        (["2026-03-02 09:00:00"], 1772442000),
        (["2026/03/02T09:00:00"], 1772442000),
        (["3/2/2026 9:00"], 1772442000),
        (["3/2/2026 9:00:00 AM"], 1772442000),
        (["3/2/2026 9:00:00 PM"], 1772442000 + 12 * 3600),
        # Day first: the log's other dates decide.
        (["02/03/2026 09:00:00", "14/03/2026 09:00:00"], 1772442000),
        (["28/02/2026 23:59:59", "01/03/2026 00:00:00"], 1772323199),
        # A day of logging lies between both dates, not a month.
        (["02/03/2026 09:00:00", "03/03/2026 09:00:00"], 1772442000),
        (["03/02/2026 09:00:00", "03/03/2026 09:00:00"], 1772442000),
    ],
)
def test_dates_are_read_in_the_order_the_whole_log_makes_likely(
    stamps: list[str], first: float
) -> None:
    read = clock.Stamps()
    for one in map(clock.fields, stamps):
        assert one is not None
        read.add(one)
    assert read.times(0)[0] == pytest.approx(first)


def test_text_that_is_not_a_time_is_none() -> None:
    for text in ("", "Exiting, please wait...", "03/02/2026", "12.5"):
        assert clock.fields(text) is None


VALUES = st.none() | st.floats(0, 1e18, allow_subnormal=False)


@given(
    table=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=8),
    form=st.sampled_from([(",", False), (";", True), ("\t", False), ("\t", True), (",", True)]),
)
def test_any_values_come_back_from_any_form(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[tuple[float | None, float | None]],
    form: tuple[str, bool],
) -> None:
    delimiter, comma = form
    text = pdh(
        {PAGES: [row[0] for row in table], r"Memory\Cache Faults/sec": [row[1] for row in table]},
        delimiter=delimiter,
        comma=comma,
    )
    recording = read(tmp_path_factory.mktemp("log"), text.encode("utf-16"))
    for sample, row in zip(recording.samples, table, strict=True):
        for name, value in zip((NAME, "system.windows.memory.cache_faults"), row, strict=True):
            expected = None if value is None else float(f"{value:.15g}")
            assert sample.values.get(name) == expected
