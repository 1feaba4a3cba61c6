"""docs/file-copy.md: its figures are the workload's, its sentences those of the report."""

import re

from pages import codes, text

from headcount import workloads
from headcount.bundle.verdict import Cost, Plateau, Verdict
from headcount.report.groups import stress_point
from headcount.report.html.groups import TITLE

PAGE = text("file-copy.md")
WORKLOAD = workloads.load("file-copy")


def ladder(*plateaus: Plateau) -> Verdict:
    return Verdict(
        kind="ladder",
        outcome="passed",
        sentence="",
        broke_first=None,
        capacity=None,
        score=None,
        plateaus=list(plateaus),
        flags=[],
        cost=Cost(levels=4, operations=1, seconds=1.0),
    )


def plateau(figure: str, stress_users: int | None) -> Plateau:
    values = {
        "figure": figure,
        "flattened": stress_users is not None,
        "users": None,
        "above_users": None,
        "value_per_s": None,
        "interval_per_s": None,
        "most_users": 400,
        "most_per_s": 1.0,
        "stress_users": stress_users,
        "sentence": "",
    }
    return Plateau.model_validate(values)


def test_every_sentence_about_the_stress_point_is_explained() -> None:
    explained = codes(PAGE)
    both = ladder(plateau("scenarios", 360), plateau("bytes", 300))
    for verdict in (both, ladder(plateau("scenarios", None)), ladder()):
        assert stress_point(verdict) in explained


def test_the_section_of_the_report_has_the_title_on_the_page() -> None:
    (title,) = re.findall(r"as \*(.+?)\* in the report", PAGE.replace("\n", " "))
    assert title == TITLE


def test_the_figures_of_the_data_set() -> None:
    library = WORKLOAD.library
    assert library is not None
    assert f"a share holds {library.bytes / 1e6:.0f} MB" in PAGE
    assert f"uploads up to {library.upload_bytes / 1e6:.2f} MB" in PAGE
    classes = {each.name: each.files for each in library.classes}
    assert f"{classes['text']} of each of the six" in PAGE
    assert f"{classes['office']} of them are ours" in PAGE


def test_the_worked_example_is_right() -> None:
    total = sum(scenario.weight for scenario in WORKLOAD.scenarios)
    large = sum(s.weight for s in WORKLOAD.scenarios if s.name.endswith("-1m")) / total
    moved = (1 - large) * 65536 + large * (1 << 20)
    wait_s = (1 - large) * 1 + large * 5
    page = " ".join(PAGE.split())
    assert (
        f"moves {moved / 1e3:.0f} KB on average: 64 KiB in {1 - large:.0%} of all cases, and 1 MiB "
        f"in {large:.0%}"
    ) in page
    assert f"**{600 * moved / 1e6:.0f} MB/s**" in PAGE
    assert f"so {wait_s:.2f} s on average" in PAGE
    assert f"each {1 + wait_s:.2f} s: **{600 * moved / (1 + wait_s) / 1e6:.0f} MB/s**" in page
    assert f"**{39e6 / 600 / 1e3:.0f} KB/s per motor**" in PAGE
    assert f"a mean response time of {600 * moved / 39e6 - 1:.1f} s" in PAGE
