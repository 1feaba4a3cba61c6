"""What documents derive, recomputed: each verdict follows from the figures and nothing else."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from headcount.analyse.published import reference
from headcount.analyse.published.check import Check, checks, recompute, verdict_on
from headcount.analyse.published.library import document, documents
from headcount.analyse.published.model import Document

ROOT = Path(__file__).parents[2]
WRONG = {
    "nt4-file-server-1998": "ratio transmit-goal response-bound capacity data-set",
    "fsct-2010": "hardware-96",
    "exchange-tuning": "autopilot-2000 greatest-gains",
    "pc-server-330-1997": "gigabyte row-325 one-price-325 one-price-proliant-800 mixes-web "
    "segments-app suite alike trademark",
    "sas-1998": "pci pci-2 transfer-formula dimms slowest ultra-ide graph",
}
AMBIGUOUS = {
    "nt4-file-server-1998": "saving disk-count motors-per-client motors-little cpu-below",
    "fsct-2010": "dual-gigabit spindles",
    "exchange-tuning": "average-goal",
    "pc-server-330-1997": "one-price-dec-800 one-price-dec-1000a increments bytes-and-requests",
    "sas-1998": "latency-fastest work-drive half-memory cable",
}
UNKNOWN = {
    "nt4-file-server-1998": "interrupts users",
    "fsct-2010": "testbed-b",
    "pc-server-330-1997": "ziff-davis",
    "sas-1998": "raid-5 raid-0",
}
RIGHT: dict[str, dict[str, Any]] = {
    "ratio": {"transmit_ratio": 4},
    "transmit-goal": {"transmit_figure_4_pct": 80},
    "response-bound": {"response_bound": "at most"},
    "capacity": {"raid_sets": 13},
    "data-set": {"static_gb": 250},
    "hardware-96": {"hardware_unchanged": False},
    "autopilot-2000": {"autopilot_2000_pct": 22},
    "gigabyte": {"gb_thousands": 1},
    "mixes-web": {"web_mixes": 16},
    "segments-app": {"app_segments": 4},
    "suite": {"suite_in_disclosure": "SYS_60.TST"},
    "alike": {"configurations_alike_but_processor": False},
    "trademark": {"trademark_owner": "Intel Corporation"},
    "pci": {"pci_cycle_ns": Decimal("30.3")},
    "pci-2": {"pci_2_cycle_ns": Decimal("15.15")},
    "transfer-formula": {"sector_unit": "bytes"},
    "dimms": {"dimm_large_kb": 128 * 1024},
    "graph": {"slowest_on_graph_second": False},
    "ultra-ide": {"ultra_ide_slower_pct": Decimal("26.9")},
}
"""The right figure in place of the wrong one, of claims that one figure of the text makes wrong."""
FOUND = {
    "interrupts": {
        "interrupts_four_adapters_per_s": 10_000,
        "interrupts_one_adapter_per_s": 3000,
        "two_tier_mb_s": 30,
        "flat_mb_s": 39,
    },
    "users": {"users_of_the_load": 10_000},
    "testbed-b": {"testbed_b_table_users": 6500, "testbed_b_table_cpu": 11},
    "ziff-davis": {
        "app_tps_330": 115,
        "app_tps_hp": 100,
        "web_kb_s_330": 122,
        "web_kb_s_hp": 100,
        "disk_kb_s_330": 130,
        "disk_kb_s_hp": 100,
    },
    "raid-5": {"raid_5_s": 144, "raid_5_base_s": 100},
    "raid-0": {"raid_0_s": 64, "raid_0_base_s": 100},
}
"""Invented figures for what is not printed, with which the claim would hold."""
FACTORS = [Decimal(text) for text in ("0.5", "0.9", "1.5", "2", "0.01", "100")]


def every() -> Iterator[Any]:
    for found in documents():
        for check in checks(found):
            yield pytest.param(found, check, id=f"{found.id}:{check.id}")


def ids(verdict: str) -> dict[str, list[str]]:
    by: dict[str, list[str]] = {}
    for one in recompute():
        if one.verdict == verdict:
            by.setdefault(one.source, []).append(one.check.id)
    return by


def ids_by_source(names: dict[str, str]) -> dict[str, list[str]]:
    return {source: text.split() for source, text in names.items()}


def with_facts(found: Document, **figures: Any) -> Document:
    absent = {key: text for key, text in found.absent.items() if key not in figures}
    return found.model_copy(update={"facts": {**found.facts, **figures}, "absent": absent})


def test_the_verdicts_are_those_of_the_audit_by_hand() -> None:
    assert Counter(one.verdict for one in recompute()) == {
        "matches": 63,
        "does not match": 24,
        "ambiguous": 16,
        "not recomputable": 6,
    }
    assert ids("does not match") == ids_by_source(WRONG)
    assert ids("ambiguous") == ids_by_source(AMBIGUOUS)
    assert ids("not recomputable") == ids_by_source(UNKNOWN)


@pytest.mark.parametrize("name", RIGHT)
def test_with_the_right_figure_a_wrong_claim_matches(name: str) -> None:
    source = next(key for key, names in WRONG.items() if name in names.split())
    found = with_facts(document(source), **RIGHT[name])
    check = next(one for one in checks(document(source)) if one.id == name)
    assert verdict_on(found, check).verdict == "matches"


@pytest.mark.parametrize("name", FOUND)
def test_what_is_not_printed_is_recomputed_once_it_is_known(name: str) -> None:
    source = next(key for key, names in UNKNOWN.items() if name in names.split())
    check = next(one for one in checks(document(source)) if one.id == name)
    assert verdict_on(with_facts(document(source), **FOUND[name]), check).verdict == "matches"
    one = next(iter(FOUND[name]))
    other = with_facts(document(source), **(FOUND[name] | {one: FOUND[name][one] * Decimal("0.5")}))
    assert verdict_on(other, check).verdict == "does not match"


def changed(found: Document, check: Check) -> Iterator[Document]:
    """The document with one of the figures that a check uses changed."""
    used = " ".join([*check.let.values(), *check.readings.values()])
    for kind in ("facts", "known"):
        for figures in altered(getattr(found, kind), used):
            yield found.model_copy(update={kind: figures})
    for at, system in enumerate(found.systems):
        if system.id not in used:
            continue
        for parts in altered(system.parts, used):
            yield with_system(found, at, {"parts": parts})
        for test, printed in system.printed.items():
            for figures in altered(printed.figures, used):
                of = printed.model_copy(update={"figures": figures})
                yield with_system(found, at, {"printed": {**system.printed, test: of}})


def altered(figures: dict[str, Any], used: str) -> Iterator[dict[str, Any]]:
    for name in (name for name in figures if name in used):
        for other in others(figures[name]):
            yield {**figures, name: other}


def with_system(found: Document, at: int, update: dict[str, Any]) -> Document:
    systems = list(found.systems)
    systems[at] = systems[at].model_copy(update=update)
    return found.model_copy(update={"systems": tuple(systems)})


def others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield from ("at most", "bytes", "SYS_60.TST", "Intel Corporation", "ff")
    elif isinstance(value, list):
        yield [value[0]] * len(value)
        yield value[:-1]
        for index, one in enumerate(value):
            yield from ([*value[:index], other, *value[index + 1 :]] for other in others(one))
    else:
        yield value + 1
        yield from (value * factor for factor in FACTORS)


def of_ibm(system: str, test: str, marks: int, found: Document) -> Document:
    at = [one.id for one in found.systems].index(system)
    printed = found.systems[at].printed
    figures = {**printed[test].figures, "notesmark_tpm": marks}
    of = printed[test].model_copy(update={"figures": figures})
    return with_system(found, at, {"printed": {**printed, test: of}})


def test_a_row_with_the_right_throughputs_matches() -> None:
    ibm = document("pc-server-330-1997")
    by_id = {check.id: check for check in checks(ibm)}
    mended = of_ibm("row_325", "maildb", 3203, of_ibm("row_325", "mail", 2356, ibm))
    assert verdict_on(mended, by_id["row-325"]).verdict == "matches"
    assert verdict_on(mended, by_id["one-price-325"]).verdict == "matches"
    mended = of_ibm("proliant_800", "maildb", 2965, ibm)
    assert verdict_on(mended, by_id["one-price-proliant-800"]).verdict == "matches"


@pytest.mark.parametrize(("found", "check"), list(every()))
def test_changing_an_input_changes_the_verdict(found: Document, check: Check) -> None:
    now = verdict_on(found, check).verdict
    if now == "not recomputable":
        return  # the test above gives it what it needs
    assert any(verdict_of(other, check) not in (None, now) for other in changed(found, check)) or (
        check.id in {*RIGHT, "one-price-325", "row-325", "one-price-proliant-800"}  # shown above
    ), f"{check.id} is {now} whatever is printed"


def verdict_of(found: Document, check: Check) -> str | None:
    """None where the changed figures no longer fit together: a list too short, a division by 0."""
    try:
        return verdict_on(found, check).verdict
    except (IndexError, ArithmeticError, ValueError):
        return None


def test_the_page_is_current() -> None:
    how = "run: python -m headcount.analyse.published.reference > docs/published.md"
    assert (ROOT / "docs" / "published.md").read_text("utf-8") == reference.page(), how
