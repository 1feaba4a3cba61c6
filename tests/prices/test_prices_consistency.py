"""Printed tables: which rows cannot be true, found from the tables alone."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from published_prices import OWN_325, STATED, TABLE, Figures

from headcount.analyse.prices.consistency import FAR, Quote, Range, agreement, peers, shared


def quotes(figures: Figures) -> list[Quote]:
    users, marks, per_user, per_mark = figures
    return [
        Quote("user", Decimal(per_user), Decimal(users)),
        Quote("NotesMark", Decimal(per_mark), Decimal(marks)),
    ]


def test_a_printed_price_means_a_range_of_prices() -> None:
    assert Quote("user", Decimal("13.45"), Decimal(2200)).implied == Range(
        Decimal("29579.000"), Decimal("29601.000")
    )
    assert Quote("user", Decimal(12), Decimal(10)).implied == Range(Decimal(115), Decimal(125))


MISFITS = {("PC Server 325", 0), ("PC Server 325", 1), ("ProLiant 800", 1)}
"""Rows of the table whose two prices share no system price: two of the mistyped row, one other."""


@pytest.mark.parametrize("name", TABLE)
def test_each_row_of_the_published_table(name: str) -> None:
    for workload, figures in enumerate(TABLE[name]):
        if figures is not None:
            found = agreement(name, quotes(figures))
            assert found.matches == ((name, workload) not in MISFITS), found.sentence
            assert (found.shared is None) == ((name, workload) in MISFITS)


SHARED = {
    "PC Server 330": (29579, 29588),
    "PC Server 704, 2 CPUs": (43270, 43277),
    "PC Server 704, 3 CPUs": (53726, 53740),
    "ProLiant 5000": (38340, 38352),
}


@pytest.mark.parametrize("name", SHARED)
def test_one_price_for_both_workloads(name: str) -> None:
    mail, maildb = TABLE[name]
    assert maildb is not None
    found = shared([*quotes(mail), *quotes(maildb)])
    assert found is not None
    # The audit rounded to whole dollars.
    assert (round(found.low), round(found.high)) == pytest.approx(SHARED[name], abs=1)


def test_two_workloads_on_two_machines_share_no_price() -> None:
    for name in ("Netfinity 7000", "AlphaServer 800 5/400", "AlphaServer 1000A 5/500"):
        mail, maildb = TABLE[name]
        assert maildb is not None
        assert shared([*quotes(mail), *quotes(maildb)]) is None


def test_the_stated_price_names_the_mistyped_figures_and_the_right_ones() -> None:
    stated = STATED["PC Server 325"]
    for typed, own, right in zip(TABLE["PC Server 325"], OWN_325, ("6.67", "4.97"), strict=True):
        assert typed is not None
        found = agreement("PC Server 325", quotes(typed), stated)
        assert not found.matches
        ((quote, value),) = found.misfits
        assert (quote.of, value) == ("NotesMark", Decimal(right))
        assert f"{right} is right" in found.sentence
        assert agreement("PC Server 325", quotes(own), stated).matches
    for figures in TABLE["PC Server 330"]:
        assert figures is not None
        assert agreement("PC Server 330", quotes(figures), STATED["PC Server 330"]).matches


@pytest.mark.parametrize(("workload", "deviations"), [(0, 17.8), (1, 11.2)])
def test_throughput_per_user_finds_the_mistyped_row_and_no_other(
    workload: int, deviations: float
) -> None:
    per_user = {
        name: figures[1] / figures[0]
        for name, row in TABLE.items()
        if (figures := row[workload]) is not None
    }
    found = {peer.name: peer for peer in peers(per_user)}
    assert [name for name, peer in found.items() if not peer.matches] == ["PC Server 325"]
    assert found["PC Server 325"].deviations == pytest.approx(deviations, abs=0.05)
    assert all(peer.deviations < 3.5 for peer in found.values() if peer.matches)
    assert "mistyped" in found["PC Server 325"].sentence


def test_too_few_rows_say_nothing_and_equal_rows_agree() -> None:
    assert peers({"a": 1.0, "b": 1.0, "c": 9.0}) == []
    equal = peers({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.001})
    assert [peer.matches for peer in equal] == [True, True, True, False]
    assert equal[3].deviations == float("inf")


def test_no_quotes_have_no_price() -> None:
    assert shared([]) is None
    assert agreement("nobody", []).matches


@given(
    cents=st.integers(100, 10**9),
    figures=st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
)
def test_figures_computed_from_one_price_agree(cents: int, figures: list[int]) -> None:
    price = Decimal(cents) / 100
    made = [
        Quote("user", (price / figure).quantize(Decimal("0.01")), Decimal(figure))
        for figure in figures
    ]
    found = agreement("any", made, price)
    assert found.matches
    assert found.shared is not None
    assert price in found.shared


@given(st.lists(st.floats(0.9, 1.1), min_size=9, max_size=30))
def test_a_row_ten_times_off_is_always_found(values: list[float]) -> None:
    named = {str(number): value for number, value in enumerate(values)} | {"typo": 10.0}
    found = {peer.name: peer for peer in peers(named)}
    assert not found["typo"].matches
    assert found["typo"].deviations > FAR
