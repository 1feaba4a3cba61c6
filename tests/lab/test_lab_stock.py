"""The profile `stock`: shipped files, checked, and nothing changed but what is declared."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from stock_files import differing

from headcount.errors import InputError, MachineLimitError
from headcount.lab import home, parameters, web_settings
from headcount.lab.setting import complete
from headcount.lab.stock import Rewrite, Shipped, shipped
from headcount.lab.stock.nginx import STOCK
from headcount.lab.stock.rewrite import rewritten
from headcount.protocols.registry import lab_server, start_lab

PROFILED = pytest.mark.parametrize("name", ["nginx", "apache", "postgresql", "samba", "mail"])


@pytest.fixture(autouse=True)
def base(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where homes are, at a path that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        yield home.base()


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A copy of this machine's nginx configuration, which is used instead of it."""
    shutil.copytree("/etc/nginx", tmp_path / "etc" / "nginx")
    monkeypatch.setattr(shipped, "ROOT", tmp_path)
    return tmp_path / "etc" / "nginx"


@PROFILED
def test_an_unknown_profile_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r'profile is "debian"; it can be.*lab, stock'):
        lab_server(name).check_settings({"profile": "debian"})


@pytest.mark.parametrize(
    ("name", "settings", "left_out"),
    [
        ("nginx", {"keepalive": "5"}, "keepalive"),
        ("nginx", {"keepalive": "5", "workers": "1"}, "keepalive, workers"),
        ("apache", {"mpm": "prefork"}, "mpm"),
        ("postgresql", {"fsync": "off"}, "fsync"),
        ("samba", {"shares": "2"}, "shares"),
        ("mail", {"users": "5", "front": "lmtp", "fsync": "never"}, "fsync"),
    ],
)
def test_other_settings_are_refused(name: str, settings: dict[str, str], left_out: str) -> None:
    given = {"profile": "stock", **settings}
    for refuse in (lab_server(name).check_settings, lambda those: start_lab(name, those)):
        with pytest.raises(InputError) as caught:
            refuse(given)
        assert str(caught.value) == (
            f"profile=stock takes the settings Debian ships; leave out {left_out}"
        )


def test_the_profile_reserves_no_parameter_from_tune() -> None:
    assert parameters.parameters("nginx", {"profile": "stock"}) == frozenset()
    assert complete("nginx", web_settings.NGINX, {"profile": "stock"}) == {"profile": "stock"}


def test_only_files_of_the_package_are_shipped_files(copied: Path) -> None:
    texts = STOCK.shipped.texts("lab:nginx")
    assert texts["nginx.conf"] == (copied / "nginx.conf").read_text("utf-8")
    assert {"mime.types", "sites-available/default", "snippets/snakeoil.conf"} <= set(texts)
    (copied / "conf.d" / "own.conf").write_text("gzip off;\n")
    assert STOCK.shipped.texts("lab:nginx") == texts


def test_a_changed_file_is_refused_with_what_to_do(copied: Path) -> None:
    file = copied / "nginx.conf"
    file.write_text(file.read_text("utf-8").replace("gzip on;", "gzip off;"), "utf-8")
    with pytest.raises(MachineLimitError) as caught:
        start_lab("nginx", {"profile": "stock"})
    assert str(caught.value).startswith(f"{file} is changed, and profile=stock takes the files")
    assert "confnew,confmiss nginx-common" in str(caught.value)
    file.unlink()
    with pytest.raises(MachineLimitError, match=f"{file} is not there"):
        start_lab("nginx", {"profile": "stock"})


def test_files_that_are_not_configuration_files_of_dpkg_are_checked_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = Shipped(("samba-common",), "/usr/share/samba", ("smb.conf",))
    (text,) = files.texts("lab:samba").values()
    assert text == Path("/usr/share/samba/smb.conf").read_text("utf-8")
    monkeypatch.setattr(shipped, "ROOT", tmp_path)
    folder = tmp_path / "usr" / "share" / "samba"
    folder.mkdir(parents=True)
    (folder / "smb.conf").write_text(text + "\n", "utf-8")
    with pytest.raises(MachineLimitError, match=r"smb\.conf is changed"):
        files.texts("lab:samba")


def test_the_profile_is_refused_without_dpkg(monkeypatch: pytest.MonkeyPatch, base: Path) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MachineLimitError, match=r"profile=stock of lab:nginx needs Debian or"):
        start_lab("nginx", {"profile": "stock"})
    assert list(base.iterdir()) == []


def test_a_missing_package_is_named() -> None:
    files = Shipped(("headcount-has-no-such-package",), "/etc/x")
    with pytest.raises(MachineLimitError) as caught:
        files.texts("lab:nginx")
    assert str(caught.value).endswith(
        "apt-get install -y --no-install-recommends headcount-has-no-such-package"
    )


def test_a_version_without_a_line_to_rewrite_is_refused() -> None:
    one = Rewrite("a.conf", "port 80", "port $port", "a free port")
    assert rewritten("a.conf", "x\n\tport 80\n", [one], {"port": "7"}) == "x\n\tport 7\n"
    assert rewritten("b.conf", "x\n", [one], {"port": "7"}) == "x\n"
    with pytest.raises(MachineLimitError, match=r'a\.conf of this version has no line "port 80"'):
        rewritten("a.conf", "x\n", [one], {"port": "7"})


def test_rewrites_are_disclosed_without_the_paths_of_a_run() -> None:
    one = Rewrite("a.conf", "port 80", "port $port\nat $home", "a free port")
    assert one.disclosed == (
        "a.conf, rewritten: port 80",
        "port PORT / at HOME (a free port)",
    )
    gone = Rewrite("a.conf", "port 80", "", "no port")
    assert gone.disclosed[1] == "left out (no port)"
    added = Rewrite("a.conf", "", "port $port", "a free port")
    assert added.disclosed[0] == "a.conf, added: port PORT ..."
    assert rewritten("a.conf", "x\n", [added], {"port": "7"}) == "x\nport 7\n"


def test_a_difference_that_is_not_declared_is_found() -> None:
    assert differing("a\nb\n", "a\nc\n") == (["b"], ["c"])
