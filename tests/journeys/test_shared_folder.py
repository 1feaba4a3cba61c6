"""`examples/journeys/shared-folder.toml`, played on a real smbd and on a folder of this machine."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from file_server import FileServer, serving
from headcount.bundle import reader
from processes import Headcount

ROOT = Path(__file__).resolve().parents[2]
JOURNEY = ROOT / "examples" / "journeys" / "shared-folder.toml"
NEWEST = "Total: 23 EUR for größere Mengen\n"
LEVEL = ("--users", "4", "--duration", "4s", "--settle", "0s", "--ramp", "0s", "--think", "200ms")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FileServer]:
    with serving(tmp_path_factory.mktemp("samba")) as samba:
        yield samba


@pytest.fixture(params=["smb", "file"])
def share(
    request: pytest.FixtureRequest, server: FileServer, tmp_path: Path
) -> tuple[Path, str, dict[str, str]]:
    """A folder with reports, its target, and the password of its users."""
    folder = server.shares if request.param == "smb" else tmp_path / "data"
    for name in ("reports", "notes"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name).chmod(0o777)
    for old in (folder / "notes").iterdir():
        old.unlink()
    reports = {"august.txt": ("old", 1000), "july.txt": (NEWEST, 3000), "plan.doc": ("x", 9000)}
    for name, (text, at_s) in reports.items():
        path = folder / "reports" / name
        path.write_text(text, "utf-8")
        os.utime(path, (at_s, at_s))
    if request.param == "smb":
        return folder, server.target, {"HEADCOUNT_PASSWORD": server.password}
    return folder, f"file://{folder}", {}


def test_one_user_sees_what_is_listed_read_and_written(
    headcount: Headcount, share: tuple[Path, str, dict[str, str]]
) -> None:
    folder, target, secrets = share
    done = headcount.run("try", str(JOURNEY), "--target", target, **secrets)
    assert done.code == 0, done
    for part in (
        "> LIST reports",
        "< 2 names",
        "{newest} = july.txt",
        f"< {len(NEWEST) + 2} bytes",
    ):
        assert part in done.out, done.out
    copies = list((folder / "notes").iterdir())
    assert [path.name for path in copies] == ["0-july.txt"]
    assert copies[0].read_text("utf-8") == NEWEST


def test_each_of_many_users_keeps_a_copy(
    headcount: Headcount, share: tuple[Path, str, dict[str, str]]
) -> None:
    folder, target, secrets = share
    done = headcount.run("run", str(JOURNEY), "--target", target, *LEVEL, **secrets)
    assert done.code == 0, done
    (level,) = reader.load(headcount.bundle).levels
    assert level.faults == []
    assert level.total.completed > 4
    names = {path.name for path in (folder / "notes").iterdir()}
    assert {f"{n}-july.txt" for n in range(4)} <= names
    assert not (folder / "headcount").exists(), "no data set on a share of others"


def test_a_copy_of_another_size_fails_and_is_shown(
    headcount: Headcount, share: tuple[Path, str, dict[str, str]], tmp_path: Path
) -> None:
    _, target, secrets = share
    path = tmp_path / "longer.toml"
    text = JOURNEY.read_text("utf-8")
    assert 'text = "{text}"' in text
    path.write_text(text.replace('text = "{text}"', 'text = "{text}!"'), "utf-8")
    done = headcount.run("try", str(path), "--target", target, **secrets)
    assert done.code == 3, done
    assert "check failed: the size is" in done.out, done.out


def test_a_name_that_leads_out_of_the_share_fails_its_step(
    headcount: Headcount, share: tuple[Path, str, dict[str, str]], tmp_path: Path
) -> None:
    _, target, secrets = share
    path = tmp_path / "out.toml"
    text = JOURNEY.read_text("utf-8")
    changed = text.replace('path = "notes/{n}-{newest}"\nhow', 'path = "notes/{text}"\nhow')
    assert changed != text
    path.write_text(changed, "utf-8")
    done = headcount.run("try", str(path), "--target", target, **secrets)
    assert done.code == 3, done
    assert "cannot be a path on the share" in done.out, done.out
