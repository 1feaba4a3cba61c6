"""What was imported, played by the engine against the real application."""

from pathlib import Path

from shop import PASSWORD

from processes import Headcount

RECORDING = Path(__file__).with_name("recordings") / "shop.har"


def test_a_recorded_visit_is_played_without_edits(
    headcount: Headcount, shop_address: str, tmp_path: Path
) -> None:
    workload = tmp_path / "visit.toml"
    done = headcount.run("import", "har", str(RECORDING), "-o", str(workload))
    assert done.code == 0, done.err
    tried = headcount.run("try", str(workload), "--target", shop_address, VISIT_PASSWORD=PASSWORD)
    assert tried.code == 0, tried.out + tried.err
    assert "visit succeeded" in tried.out
    assert PASSWORD not in tried.out
    played = headcount.run(
        *("run", str(workload), "--target", shop_address, "--users", "5", "--duration", "3s"),
        *("--settle", "1s", "--think", "0.1s", "--json"),
        VISIT_PASSWORD=PASSWORD,
    )
    assert played.code == 0, played.out + played.err


def test_a_password_that_is_not_given_is_asked_for(
    headcount: Headcount, shop_address: str, tmp_path: Path
) -> None:
    workload = tmp_path / "visit.toml"
    assert headcount.run("import", "har", str(RECORDING), "-o", str(workload)).code == 0
    tried = headcount.run("try", str(workload), "--target", shop_address)
    assert tried.code == 2
    assert "VISIT_PASSWORD, which is not set" in tried.err
