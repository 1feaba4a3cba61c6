"""What the experiment with shares says, on a result whose costs are known."""

import io

import pytest
from rich.console import Console

import shares_file
from headcount.analyse import shares as analysis
from headcount.bundle.shares import SharesPoint
from headcount.report.terminal import shares as report

STUDY = "here; NT 4.0, 1998:"
EXPECTED = {
    "A share": ("1.00 kB", "about 250 bytes paged"),
    "A connection (TCP, session and its first net use)": (
        "700 kB",
        "about 500 bytes paged and 500 nonpaged",
    ),
    "Each share, once more for each connection,": ("2.00 kB", "not given"),
    "A further net use (connection to a share)": (
        "7.30 kB",
        "about 100 bytes paged and 8 nonpaged",
    ),
    "The first open file of a connection, beside what each costs,": ("77.0 kB", "not given"),
    "An open file": ("3.20 kB", "not given"),
}
MICRO = "4.00 \N{MICRO SIGN}s"
TENTH, LITTLE = "100 \N{MICRO SIGN}s", "0.200 \N{MICRO SIGN}s"
SENTENCES = [
    *(
        f"{what} costs {size} [{size}, {size}] {STUDY} {old}."
        for what, (size, old) in EXPECTED.items()
    ),
    "The server's CPU time of a logon: 5.00 ms [5.00 ms, 5.00 ms].",
    f"Each share adds to the CPU time of a logon: {MICRO} [{MICRO}, {MICRO}].",
    f"The server's CPU time of a further net use: {TENTH} [{TENTH}, {TENTH}].",
    f"Each share adds to the CPU time of a further net use: {LITTLE} [{LITTLE}, {LITTLE}].",
]


def shown(width: int = 100, encoding: str = "utf-8") -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    console = Console(file=stream, width=width, highlight=False, soft_wrap=True)
    report.show(shares_file.shares_result(), console)
    stream.flush()
    return raw.getvalue().decode(encoding)


def test_each_cost_is_given_beside_that_of_the_study() -> None:
    assert shares_file.shares_result().sentences == SENTENCES
    for sentence in SENTENCES:
        assert sentence in shown()


def test_a_cost_that_may_be_zero_is_called_not_measurable() -> None:
    kernel = next(fit for fit in shares_file.shares_result().fits if fit.of == "kernel")
    cost = next(cost for cost in kernel.costs if cost.name == "net_use")
    assert cost.low < 0 < cost.high
    assert not cost.measurable
    assert analysis.amount(cost, "bytes").startswith("not measurable [-")
    assert "not measurable" in shown()


def test_the_table_has_a_row_for_each_kind_of_point() -> None:
    text = shown()
    held = {(p.shares, p.connections, p.net_uses, p.open_files) for p in shares_file.points()}
    rows = [
        tuple(int(word.replace(",", "")) for word in line.split()[:4])
        for line in text.splitlines()
        if len(line.split()) >= 8 and line.split()[3].replace(",", "").isdigit()
    ]
    assert rows == sorted(held)
    largest = ["1,000", "20", "1", "100"]
    (row,) = (words for words in map(str.split, text.splitlines()) if words[:4] == largest)
    assert row[4:7] == ["23", "67.9", "MB"]
    assert shares_file.held_bytes(1000, 20, 1, 100) == pytest.approx(67.94e6)


def test_scope_omissions_and_doubts_are_in_the_report() -> None:
    text = shown()
    for line in (*analysis.COUNTED, *analysis.NOT_COUNTED):
        assert line in text
    assert "Left out: 1,000 shares, 400 connections, 1 net use, 0 open files: memory ran" in text
    assert "1 share: 120 users [110, 131]" in text
    assert "Doubt: one was left out" in text
    assert "Doubt, of 1 share: other programs used 1 of 2 CPUs" in text
    assert "from 8 starts of the server" in text


def test_a_plain_terminal_gets_plain_characters() -> None:
    assert "u" in shown(encoding="ascii")


def test_too_few_points_are_a_doubt_and_no_fit() -> None:
    few: list[SharesPoint] = shares_file.points()[:4]
    fits, doubts = analysis.fits(few)
    assert fits == []
    assert "too few points" in doubts[0]
    assert analysis.sentences(fits) == []


def test_kernels_without_figures_have_no_costs() -> None:
    silent = [point.model_copy(update={"kernel_bytes": None}) for point in shares_file.points()]
    fits, _ = analysis.fits(silent)
    assert [fit.of for fit in fits] == ["processes", "logon-cpu", "net-use-cpu"]
