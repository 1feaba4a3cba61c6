"""The price tables of the performance report of 1997, to the cent, from their inputs.

Of two systems the report states the price: all of their figures follow from it. Of the others it
prints none: their price is taken from their first figure, price per user x users, and must give
all their other figures. What does not follow is named with its reason.
"""

from decimal import Decimal

import pytest
from published_prices import OWN_325, STATED, TABLE, Figures

from headcount.analyse.price import per
from headcount.analyse.prices.consistency import Quote, shared
from headcount.plan.money import fine, rounded
from headcount.storage.raid import usable_bytes

UNSHARED = {
    ("ProLiant 800", 1): "20,217 to 20,229 by users, 20,138 to 20,168 by marks: 6.84, not 6.82",
    ("PC Server 325", 0): "has the 330's NotesMarks: 19,454 / 2,917 is 6.67, not 8.26",
    ("PC Server 325", 1): "has the 330's NotesMarks: 19,454 / 3,914 is 4.97, not 6.07",
}
"""Rows whose figures do not follow from one price, by workload (0 Mail, 1 MailDB), and why."""


def to_the_cent(price: Decimal, figure: int) -> str:
    each = per(price, "user", figure).value
    assert fine(each, "USD") == rounded(each, "USD")
    return str(rounded(each, "USD"))


def printed(figures: Figures, price: Decimal) -> list[str]:
    users, marks, _, _ = figures
    return [to_the_cent(price, users), to_the_cent(price, marks)]


@pytest.mark.parametrize(
    ("price", "figures"),
    [
        *((STATED["PC Server 330"], figures) for figures in TABLE["PC Server 330"]),
        *((STATED["PC Server 325"], figures) for figures in OWN_325),
    ],
)
def test_stated_prices_give_all_printed_figures(price: Decimal, figures: Figures) -> None:
    assert printed(figures, price) == list(figures[2:])


ROWS = [(name, at) for name, row in TABLE.items() for at, one in enumerate(row) if one is not None]


@pytest.mark.parametrize(("name", "workload"), ROWS)
def test_a_price_that_fits_gives_all_printed_figures(name: str, workload: int) -> None:
    figures = TABLE[name][workload]
    assert figures is not None
    users, marks, per_user, per_mark = figures
    common = shared(
        [
            Quote("user", Decimal(per_user), Decimal(users)),
            Quote("NotesMark", Decimal(per_mark), Decimal(marks)),
        ]
    )
    assert (common is None) == ((name, workload) in UNSHARED)
    if common is not None:
        price = STATED.get(name, rounded((common.low + common.high) / 2, "USD"))
        assert printed(figures, price) == [per_user, per_mark]


@pytest.mark.parametrize("row", UNSHARED)
def test_figures_that_do_not_follow_are_wrong_as_stated(row: tuple[str, int]) -> None:
    name, workload = row
    figures = TABLE[name][workload]
    assert figures is not None
    users, marks, per_user, per_mark = figures
    price = STATED.get(name, Decimal(per_user) * users)
    right = to_the_cent(price, marks)
    assert right in UNSHARED[row]
    assert f"not {per_mark}" in UNSHARED[row]


def test_mirrored_disk_space_costs_twice_as_much() -> None:
    # A paper of 1998 states it for RAID 1, without any prices: half of what is bought holds data.
    plain, mirrored = (usable_bytes(4, copies, 0, 8_000_000_000) for copies in (1, 2))
    price = Decimal(4 * 640)
    assert per(price, "byte", mirrored).value == 2 * per(price, "byte", plain).value


def test_the_systems_of_the_report_are_the_cheapest_for_each_in_both_tables() -> None:
    names = list(TABLE)
    single = names.index("PC Server 325")
    for table in (names[:single], names[single:]):
        for workload in (0, 1):
            rows = {name: row for name in table if (row := TABLE[name][workload]) is not None}
            for column in (2, 3):
                best = min(rows, key=lambda name: Decimal(rows[name][column]))
                assert best in STATED
