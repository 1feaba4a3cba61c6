"""`headcount price` as it is typed: bundles, capacities that are stated, and every refusal."""

import json
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from jsonschema import Draft202012Validator
from price_bundle import IBM_330, capacity, level, written
from price_cases import QUOTATION, TOTAL
from typer.testing import CliRunner

from command_line import app
from headcount.errors import HeadcountError
from headcount.schemas import SCHEMAS

STUDY = (
    *("cluster=10,000", "--nodes", "2", "--replaces", "2000", "--users-per-server", "250"),
    *("--servers-per-admin", "20", "--admin-cost", "100000 USD"),
)
TWO = ("704=2850", "330=2200", "--cost", "43270 USD", "--cost", "29581 USD")


def run(*arguments: object) -> Any:
    typed = ["price", *map(str, arguments)]
    return CliRunner().invoke(app, typed, env={"COLUMNS": "100"})


def shown(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, (result.output, result.exception)
    return str(result.output)


def answer(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(*arguments, "--json"))
    Draft202012Validator(SCHEMAS["price"]()).validate(found)
    return found


def refused(*arguments: object) -> str:
    error = run(*arguments).exception
    assert isinstance(error, HeadcountError), error
    return str(error)


def test_a_finished_run_is_priced(tmp_path: Path) -> None:
    bundle = written(tmp_path / "run")
    (one,) = answer(bundle, "--cost", "29581 USD")["configurations"]
    assert (one["name"], one["users"], one["interval"]) == ("run", 2200, [2150.0, 2310.0])
    user, mark, rate = one["price"]["each"]
    assert (user["of"], round(user["value"], 2)) == ("user", 13.45)
    assert user["interval"] == [29_581 / 2310, 29_581 / 2150]
    assert (mark["of"], round(mark["value"], 2)) == ("NotesMark", 10.14)
    assert (rate["of"], rate["figure"]) == ("scenario/s", pytest.approx(48.62))
    text = shown(bundle, "--cost", "29581 USD")
    assert "13.45 per user" in text
    assert "12.81 to 13.76" in text


def test_requests_per_second_have_a_price_where_they_are_counted(tmp_path: Path) -> None:
    requests = {"GET": 12_000, "CONNECT": 4000}
    bundle = written(tmp_path / "web", levels=[level(2200, requests=requests)])
    (one,) = answer(bundle, "--cost", "6000 USD")["configurations"]
    rate = one["price"]["each"][-1]
    assert (rate["of"], rate["figure"], rate["value"]) == ("request/s", 120.0, 50)
    assert rate["interval"] == pytest.approx([50 / 1.02, 50 / 0.98])


def test_prices_come_from_the_plan_or_a_file(tmp_path: Path) -> None:
    bundle = written(tmp_path / "run", IBM_330)
    assert answer(bundle)["configurations"][0]["price"]["amount"] == 29_581
    assert answer(bundle, "--cost", "plan")["configurations"][0]["price"]["amount"] == 29_581
    path = tmp_path / "costs.toml"
    path.write_text(toml(QUOTATION), "utf-8")
    priced = answer(bundle, "--costs", path)["configurations"][0]["price"]
    assert priced["amount"] == float(TOTAL)
    assert sum(round(item["amount"] * 100) for item in priced["items"]) == int(TOTAL * 100)
    text = shown(bundle, "--costs", path)
    for figure in ("21,937.33", "6,999.99", "0.1375", "One EUR is 1.08 USD", "2026-11-01"):
        assert figure in text
    longer = answer(bundle, "--costs", path, "--years", "5")["configurations"][0]["price"]
    assert longer["items"][3]["amount"] == 4494


def toml(cost: dict[str, Any]) -> str:
    return tomli_w.dumps(cost)


def test_the_cheapest_configuration_for_a_number_of_users(tmp_path: Path) -> None:
    text = shown(*TWO, "--users", "10000")
    assert "holds 10,000 users is 330: 5 systems, 147,905.00 USD, 14.79 USD per user" in text
    assert "Next is 704, 25,175.00 USD more expensive (4 systems)" in text
    assert "the confidence is not known" in text
    found = answer(*TWO, "--users", "10000", "--headroom", "25%", "--spare", "1")
    assert [fleet["usable"] for fleet in found["fleets"]] == [2137, 1650]
    assert [fleet["systems"] for fleet in found["fleets"]] == [6, 8]
    assert found["cheapest"] == "330"
    curve = found["curves"][1]["steps"]
    assert curve[0] == {"first_users": 1, "last_users": 1650, "systems": 2, "amount": 59_162}
    assert curve[-1]["last_users"] == 20_000
    first, second = written(tmp_path / "a", IBM_330), written(tmp_path / "b")
    near = answer(
        *(first, second, "--cost", "29581 USD", "--cost", "29000 USD", "--users", "11000")
    )
    assert (near["cheapest"], near["shown"]) == ("b", False)
    far = answer(*(first, second, "--cost", "plan", "--cost", "9000 USD", "--users", "10000"))
    assert (far["cheapest"], far["shown"]) == ("b", True)


def test_break_even_is_reported() -> None:
    text = shown("small=1000", "large=10000", "--cost", "10000 USD", "--cost", "60000 USD")
    sentence = "large is cheaper than small from 6,001 to 10,000 users, and always from 12,001 on."
    assert sentence in text
    assert "no end" in text
    back = shown(*TWO)
    sentence = "704 is cheaper than 330 from 2,201 to 2,850 users; in the end 330 is, always from"
    assert f"{sentence} 11,401 on." in back
    once = shown("a=10", "b=1000000", "--cost", "5 USD", "--cost", "12 USD")
    assert "b is cheaper than a from 21 users on." in once
    same = shown("a=10", "b=10", "--cost", "5 USD", "--cost", "5 USD")
    assert "always cost the same" in same
    never = shown("a=10", "b=10", "--cost", "5 USD", "--cost", "6 USD")
    assert "a is always cheaper than b." in never
    ties = shown("a=10", "b=20", "--cost", "5 USD", "--cost", "10 USD")
    assert "a is never more expensive than b." in ties
    assert "were compared only up to" in ties


def test_rented_machines_are_compared_by_the_hour() -> None:
    hourly = ("a=100", "b=1000", "--cost", "0.34 USD/hour", "--cost", "2.10 USD/hour")
    found = answer(*hourly, "--users", "750")
    assert (found["basis"], found["cheapest"]) == ("hour", "b")
    assert found["fleets"][0]["amount"] == 2.72
    assert "2.10 USD an hour, 0.00280 USD per user and hour" in shown(*hourly, "--users", "750")
    bought = answer(
        "a=100", "b=1000", "--cost", "0.34 USD/hour", "--cost", "9000 USD", "--years", 3
    )
    assert bought["basis"] == "once"
    assert bought["configurations"][0]["price"]["amount"] == 8935.2


def test_growth_counts_over_years() -> None:
    found = answer("a=1000", "--users", "10000", "--growth", "20%", "--years", "3")
    assert found["fleets"][0]["systems"] == 18  # 17,280
    assert found["fleets"][0]["amount"] is None


def test_one_year_one_person_and_one_server_are_singular(tmp_path: Path) -> None:
    costs = tmp_path / "costs.toml"
    item = {"name": "server", "unit_price": 500, "period": "month"}
    costs.write_text(tomli_w.dumps({"currency": "USD", "years": 1, "items": [item]}), "utf-8")
    admins = ("--servers-per-admin", "20", "--admin-cost", "100000 USD")
    growth = ("--growth", "20%", "--years", "1", "--replaces", "1", "--users-per-server", "100")
    text = " ".join(shown("a=1000", "--costs", costs, *growth, *admins).split())
    assert "Over 1 year." in text
    assert "growing by 20% a year for 1 year," in text
    assert "a: 1 server holds the 120 users of 1 old one (" in text
    assert "Administration takes 1 person for 100,000.00 USD" in text
    longer = " ".join(shown("a=1000", "--costs", costs, "--years", "2.5").split())
    assert "Over 2.5 years." in longer


def test_the_example_of_the_file_server_study() -> None:
    text = shown(*STUDY)
    assert "100 servers hold the 500,000 users of 2,000 old ones (20.0 old to a new one" in text
    assert "100 people for 10,000,000.00 USD a year before, 5 for 500,000.00 USD after" in text
    assert "saves 9,500,000.00 USD a year, 95.0% of it" in text
    assert "rounded to whole millions that is 10 million, 5.3% more" in text
    table = shown(*STUDY, "--markdown")
    assert "| cluster | before | 2,000 | 100 | 10,000,000.00 |" in table
    assert "|  | after | 100 | 5 | 500,000.00 |" in table
    assert "|  | saving |  |  | 9,500,000.00 |" in table
    without = shown("a=10", "--replaces", "5", "--users", "50", "--markdown")
    assert "| a | before | 5 |\n|  | after | 5 |" in without
    (found,) = answer(*STUDY, "--cost", "190000 USD")["consolidations"]
    assert (found["admins_before"], found["admins_after"], found["saving"]) == (100, 5, 9_500_000)
    assert (found["amount"], found["pays_back_years"]) == (9_500_000, 1)


def test_markdown_escapes_names(tmp_path: Path) -> None:
    path = tmp_path / "costs.toml"
    item = {"name": "disk | [x](y) <b>", "unit_price": 5}
    path.write_text(toml({"currency": "USD", "items": [item]}), "utf-8")
    text = shown("a=10", "--costs", path, "--users", "5", "--markdown")
    assert "| disk \\| \\[x\\](y) \\<b\\> | other | 1 | 5.00 USD | 1 | 5.00 |" in text
    for line in text.splitlines():
        if line.startswith("|"):
            assert line.endswith("|")


def test_a_page_is_written_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "price.html"
    assert f"Page: {path}" in shown(*TWO, "--users", "10000", "--html", path)
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert "there is no folder" in refused(*TWO, "--html", tmp_path / "nowhere" / "price.html")


def test_what_is_not_known_is_reported(tmp_path: Path) -> None:
    atleast = written(tmp_path / "most", capacity=capacity(high=None, at_least=True), quick=True)
    text = shown(atleast, "--cost", "29581 USD", "--users", "10000")
    assert "at most 13.45 per user" in text
    assert "it holds at least 2,200 users, so fewer systems may be enough" in text
    assert "a quick search" in text
    ladder = written(tmp_path / "ladder", capacity=None, outcome="failed")
    text = shown(ladder, "--cost", "29581 USD")
    assert "between 2,200 users, which passed, and 2,600, which failed" in text
    assert "outcome is failed" in text
    nothing = written(tmp_path / "none", capacity=None, levels=[level(5, "failed")])
    text = shown(nothing, "--cost", "29581 USD", "--users", "5")
    assert "no level passed" in text
    killed = written(tmp_path / "killed", capacity=None, answered=False)
    assert "outcome is unfinished" in shown(killed, "--cost", "5 USD")


def test_runs_of_one_name_are_distinguished_by_their_folders(tmp_path: Path) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    two = [written(folder / "run") for folder in folders]
    found = answer(*two, f"third={two[0]}")["configurations"]
    assert [one["name"] for one in found] == [str(two[0]), str(two[1]), "third"]


REFUSED: list[tuple[tuple[object, ...], str]] = [
    (("nowhere",), "is not a bundle"),
    (("a=10", "b=20", "--cost", "5 USD"), "1 prices are given for 2 configurations"),
    (("a=10", "a=20"), "a is given twice"),
    (("a=0",), "state a number above 0"),
    (("a=10", "--cost", "plan"), "it has no plan"),
    (("a=10", "--cost", "5"), 'such as "29581 USD"'),
    (("a=10", "--cost", "5 USD", "--costs", "x.toml"), "exclude each other"),
    (("a=10", "--costs", "missing.toml"), "cannot be read"),
    (("a=1", "b=1", "--cost", "5 USD", "--cost", "5 EUR"), "rates = { EUR = 1.25 }"),
    (("a=1", "b=1", "--cost", "5 USD/hour", "--cost", "5 USD"), "give --years"),
    (("a=1", "--users", "5", "--headroom", "50%"), "smaller --headroom"),
    (("a=1", "--headroom", "100%"), "below 100%"),
    (("a=1", "--headroom", "lots"), "write it like"),
    (("a=1", "--users", "5", "--growth", "20%"), "give --years"),
    (("a=1", "--users", "5", "--growth", "-100%", "--years", "1"), "--growth"),
    (("a=1", "--replaces", "5"), "--users-per-server"),
    (("a=1", "--users-per-server", "5"), "is for --replaces"),
    (("a=1", "--replaces", "5", "--users", "5", "--users-per-server", "5"), "exclude each other"),
    (("a=1", "--servers-per-admin", "5"), "belong together"),
    (("a=1", "--servers-per-admin", "5", "--admin-cost", "5 USD"), "how many old servers"),
    ((*STUDY[:-1], "5 USD/hour"), "the cost per year"),
    ((*STUDY, "--cost", "5 EUR"), "state both in one"),
    (("a=1", "--json", "--markdown"), "exclude each other"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...], message: str) -> None:
    assert message in refused(*arguments)


def test_prices_over_different_years_are_not_compared(tmp_path: Path) -> None:
    paths = []
    for years in (3, 5):
        path = tmp_path / f"{years}.toml"
        path.write_text(toml(QUOTATION | {"years": years}), "utf-8")
        paths.append(path)
    two = ("a=10", "b=20", "--costs", paths[0], "--costs", paths[1])
    assert "prices over 3 and 5 years cannot be compared" in refused(*two)
    assert answer(*two, "--years", "4")["basis"] == "once"
