"""The workload file of docs/databases.md, pasted from the page and played on a real PostgreSQL."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from headcount.bundle import reader
from processes import Headcount

PAGE = Path(__file__).resolve().parents[2] / "docs" / "databases.md"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving(fsync="off") as server:
        server.sql(block("sql"))
        yield server


@pytest.fixture
def headcount(tmp_path: Path, postgres: Postgres) -> Iterator[Headcount]:
    (tmp_path / "shop.toml").write_text(block("toml"), "utf-8")
    command = Headcount(tmp_path)
    command.environment["HEADCOUNT_PASSWORD"] = postgres.password
    yield command
    command.close()


def block(language: str) -> str:
    """The first block in a language in the section about your own statements."""
    part = PAGE.read_text("utf-8").partition("\n## Statements of your own\n")[2]
    found = re.search(rf"^```{language}\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_page_works_as_pasted(headcount: Headcount, postgres: Postgres, tmp_path: Path) -> None:
    before = postgres.schemas()
    path = str(tmp_path / "shop.toml")
    done = headcount.run("try", path, "--target", postgres.target)
    assert done.code == 0, done
    assert "buy / order" in done.out
    assert "{order} = 1" in done.out
    level = (
        "--users",
        "6",
        "--duration",
        "3s",
        "--settle",
        "0s",
        "--ramp",
        "0s",
        "--think",
        "10ms",
    )
    done = headcount.run("run", path, "--target", postgres.target, *level)
    assert done.code == 0, done
    (level_found,) = reader.load(headcount.bundle).levels
    assert [figures.failed for figures in level_found.scenarios] == [0, 0]
    assert all(figures.completed > 10 for figures in level_found.scenarios)
    # An order for each piece that was taken, at its price.
    taken = "SELECT 5000 * 1000000::bigint - sum(pieces) FROM stock"
    right = "SELECT count(*) FROM orders JOIN stock USING (item) WHERE paid = price"
    assert postgres.sql(taken) == postgres.sql(right) == postgres.sql("SELECT count(*) FROM orders")
    assert int(postgres.sql("SELECT count(*) FROM orders")) > 10
    assert postgres.schemas() == before


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("FROM stock WHERE", "FROM stocks WHERE", "search_path"),
        ('"{price}"', '"{pricee}"', 'do you mean "price"?'),
        ("WHERE item = $1 AND", "WHERE item = {item} AND", "write $1 there"),
        ('{ column = "id" }', '{ json = "$.id" }', "of the rows of a database give column"),
        ('transaction = "purchase"', 'transaction = "a purchase"', "transaction"),
        ("retries = 3", "retrys = 3", "retrys"),
    ],
)
def test_mistakes_in_it_are_one_clear_sentence(
    headcount: Headcount, postgres: Postgres, tmp_path: Path, before: str, after: str, sentence: str
) -> None:
    path = tmp_path / "shop.toml"
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), "utf-8")
    level = ("--users", "2", "--duration", "1s", "--settle", "0s", "--think", "10ms")
    done = headcount.run("run", str(path), "--target", postgres.target, *level)
    assert done.code != 0
    assert sentence in " ".join((done.out + done.err).split()), done
    assert "Traceback" not in done.err


def test_a_role_without_rights_is_advised_to_have_them_granted(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    postgres.sql(f"CREATE ROLE guest LOGIN PASSWORD '{postgres.password}'")
    level = ("--users", "2", "--duration", "1s", "--settle", "0s", "--think", "10ms")
    path = str(tmp_path / "shop.toml")
    done = headcount.run("run", path, "--target", postgres.target, "--user", "guest", *level)
    assert done.code == 1, done
    text = " ".join(done.out.split())
    assert "permission denied for table stock (SQLSTATE 42501)" in text
    assert "GRANT SELECT, INSERT, UPDATE, DELETE ON the table TO the role" in text


def test_a_failed_transaction_does_not_affect_the_next(
    headcount: Headcount, postgres: Postgres, tmp_path: Path
) -> None:
    path = tmp_path / "shop.toml"
    head = path.read_text("utf-8").partition("[[scenarios]]")[0]
    steps = [
        'name = "begin", op = "sql", statement = "BEGIN"',
        'name = "one", op = "sql", statement = "SELECT 1 / ($1::int % 2)", parameters = ["{item}"]',
        'name = "commit", op = "sql", statement = "COMMIT"',
    ]
    inner = ", ".join(f"{{ {step} }}" for step in steps)
    scenario = f'[[scenarios]]\nname = "half"\nweight = 1\nlimit = "1s"\nsteps = [{inner}]\n'
    path.write_text(head + scenario, "utf-8")
    level = ("--users", "2", "--duration", "2s", "--settle", "0s", "--think", "10ms")
    done = headcount.run("run", str(path), "--target", postgres.target, *level)
    assert done.code == 1, done
    (level_found,) = reader.load(headcount.bundle).levels
    # Every other item divides by nothing; users who met one go on with the next.
    assert level_found.total.completed > 10
    assert level_found.total.failed > 10
    (fault,) = level_found.faults
    assert "SQLSTATE 22012" in fault.examples[0]
    assert level_found.requests["rollback"] > 10
