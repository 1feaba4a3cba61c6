"""What was imported, played by the engine against the real application."""

from pathlib import Path

from har_files import entry, written
from shop import PASSWORD

from headcount.bundle import reader
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


def test_a_missing_password_is_asked_for(
    headcount: Headcount, shop_address: str, tmp_path: Path
) -> None:
    workload = tmp_path / "visit.toml"
    assert headcount.run("import", "har", str(RECORDING), "-o", str(workload)).code == 0
    tried = headcount.run("try", str(workload), "--target", shop_address)
    assert tried.code == 2
    assert "VISIT_PASSWORD, which is not set" in tried.err


def test_users_who_stay_logged_in_log_in_once(
    headcount: Headcount, shop_address: str, tmp_path: Path
) -> None:
    workload = tmp_path / "visit.toml"
    to = ("-o", str(workload), "--log-in", "once")
    assert headcount.run("import", "har", str(RECORDING), *to).code == 0
    played = headcount.run(
        *("run", str(workload), "--target", shop_address, "--users", "5", "--duration", "3s"),
        *("--ramp", "0s", "--settle", "0s", "--think", "0.1s", "--no-trial"),
        VISIT_PASSWORD=PASSWORD,
    )
    (level,) = reader.load(headcount.bundle).levels
    steps = {one.name: one.completed for one in level.steps}
    assert played.code in (0, 4), played.out + played.err  # 3 s are few for an interval
    assert level.total.failed == 0
    assert steps["post-api-orders"] > 10
    assert steps.get("log-in", 0) <= 5  # some before the window


def log_in(path: str = "/login") -> dict[str, object]:
    return entry(path, method="POST", sent="user=ada&password=sesame", at_s=1)


def test_a_log_out_is_left_out_with_the_log_in(headcount: Headcount, tmp_path: Path) -> None:
    visit = (entry("/"), log_in(), entry("/offers", at_s=5), entry("/accounts/log-out/", at_s=9))
    path = written(tmp_path, *visit)
    workload = tmp_path / "visit.toml"
    done = headcount.run("import", "har", str(path), "-o", str(workload), "--log-in", "once")
    assert done.code == 0, done.err
    assert "the log-out accounts-log-out: users stay logged in" in done.out.replace("\n", " ")
    text = workload.read_text("utf-8")
    setup, _, steps = text.partition("[[scenarios]]")
    assert setup.count("[[setup]]") == 2
    assert "/offers" in steps
    assert "log-out" not in steps
    assert "pause" not in setup


def test_without_a_log_in_it_cannot_happen_once(headcount: Headcount, tmp_path: Path) -> None:
    for visit, part in (
        ([entry("/"), entry("/offers")], "has no log-in with a password"),
        ([entry("/"), log_in(), entry("/logout")], "only the log-in was recorded"),
    ):
        path = written(tmp_path, *visit)
        output = str(tmp_path / "visit.toml")
        done = headcount.run("import", "har", str(path), "-o", output, "--log-in", "once")
        assert done.code == 2
        assert part in done.err
        assert not Path(output).exists()
