"""What a tuning writes to install its changes does the same as the tuning, byte for byte."""

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from ansible_tasks import Failed, Play
from hypothesis import assume, given
from hypothesis import strategies as st
from tuned import knob, lab

from headcount.tune.change import Changes
from headcount.tune.drop_in import DropIn
from headcount.tune.host import ThisHost
from headcount.tune.install import (
    DIFF,
    SYSCTL,
    TASKS,
    install_command,
    install_files,
    install_lines,
    service,
)
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.common import with_block
from headcount.tune.servers.joint import Joint
from headcount.tune.servers.registry import find_all
from headcount.tune.tunable import Tunable

NGINX = {"keepalive_timeout": "65", "sendfile": "off", "worker_connections": "4096"}
SETTINGS = {
    "/proc/sys/net/core/somaxconn": "4096",
    "/proc/sys/net/ipv4/tcp_rmem": "4096 131072 9000000",
    "/sys/kernel/mm/transparent_hugepage/enabled": "never",
}
LINES = st.lists(st.sampled_from(["a\n", "b\n", "a\r\n", "x\fy\n", "\n", "é\n", "z"]), max_size=9)


def installation(folder: Path, files: dict[str, str], originals: dict[str, bytes]) -> Play:
    """A machine with these originals, and a player of the files that a tuning writes."""
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    root = folder / "root"
    for path, content in originals.items():
        copy = root / path[1:]
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    return Play(folder, root)


@pytest.mark.e2e
@pytest.mark.parametrize(("name", "profile"), [("nginx", "stock"), ("redis", "headcount")])
def test_the_tasks_write_what_the_tuning_wrote(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, profile: str
) -> None:
    wanted = NGINX if name == "nginx" else {"hz": "50", "maxclients": "5000"}
    with lab(name, monkeypatch, **({"profile": profile} if name == "nginx" else {})) as started:
        host = ThisHost()
        joint = Joint(find_all(host, started.pids), {name: of_server(name).knob})
        changes: Changes = {knob(name, one): value for one, value in wanted.items()}
        folder = tmp_path / "journal"
        tunable = Tunable(host, joint, [*changes], folder, lambda: None)
        try:
            written = tunable.files(changes)
            originals = {path: content or b"" for path, content in tunable.originals.items()}
            files = install_files(originals, written, {}, tunable.services(changes))
        finally:
            assert tunable.close() is None
    machine = installation(tmp_path, files, originals)
    machine.play(files[TASKS])
    for path, content in written.items():
        assert content != originals[path]
        assert (machine.root / path[1:]).read_bytes() == content
    assert machine.commands == (["nginx -t"] if name == "nginx" else [])
    unit, state = ("nginx", "reloaded") if name == "nginx" else ("redis-server", "restarted")
    assert machine.services == [(unit, state)]
    again = Play(tmp_path, machine.root)
    again.play(files[TASKS])  # it is done already
    assert not again.services
    for path, content in written.items():
        assert (machine.root / path[1:]).read_bytes() == content


def test_files_that_the_server_refuses_are_put_back(tmp_path: Path) -> None:
    before, after = {"/etc/x": b"a\nb"}, {"/etc/x": b"a\nc"}
    services = [service("nginx", "my-nginx.service", restarts=True)]
    files = install_files(before, after, {}, services)
    machine = installation(tmp_path, files, before)
    machine.refusing = ["nginx"]
    with pytest.raises(Failed, match="nginx cannot take the changes; the files are as they were"):
        machine.play(files[TASKS])
    assert (machine.root / "etc/x").read_bytes() == b"a\nb"
    assert not machine.services
    machine.refusing = []
    machine.play(files[TASKS])
    assert machine.services == [("my-nginx", "restarted")]


@pytest.mark.parametrize(
    ("unit", "program", "name", "test"),
    [
        ("php7.4-fpm.service", "php-fpm7.4", "php7.4-fpm", ("php-fpm7.4", "-t")),
        (None, "php-fpm8.2", "php8.2-fpm", ("php-fpm8.2", "-t")),
        (None, "php-fpm", "php-fpm", ("php-fpm", "-t")),
    ],
)
def test_the_service_of_php_has_its_version(
    unit: str | None, program: str, name: str, test: tuple[str, ...]
) -> None:
    found = service("php-fpm", unit, program, restarts=False)
    assert (found.unit, found.test) == (name, test)


def test_kernel_settings_stay_over_a_boot(tmp_path: Path) -> None:
    files = install_files({}, {}, SETTINGS, [service("nginx", None, restarts=False)])
    assert {*files} == {SYSCTL, TASKS}
    machine = installation(tmp_path, files, {})
    machine.play(files[TASKS])
    assert machine.settings == {
        "net.core.somaxconn": "4096",
        "net.ipv4.tcp_rmem": "4096 131072 9000000",
    }
    (line,) = (machine.root / "etc/tmpfiles.d/90-headcount.conf").read_text().splitlines()
    assert line == "w /sys/kernel/mm/transparent_hugepage/enabled - - - - never"
    assert machine.commands == ["systemd-tmpfiles --create /etc/tmpfiles.d/90-headcount.conf"]
    assert not machine.services


def test_a_drop_in_sets_processes_as_in_the_trials(tmp_path: Path) -> None:
    lines = ["Nice=-10", "CPUWeight=1000", "CPUAffinity=0,1", "IOSchedulingClass=realtime"]
    lines += ["IOSchedulingPriority=0", "IOWeight=1000"]
    one = DropIn("nginx", "my-nginx", lines)
    files = install_files({}, {}, {}, [], [one])
    assert {*files} == {"my-nginx.service-90-headcount.conf", TASKS}
    machine = installation(tmp_path, files, {})
    machine.play(files[TASKS])
    file = machine.root / "etc/systemd/system/my-nginx.service.d/90-headcount.conf"
    assert file.read_text() == files[one.name]
    assert file.read_text().splitlines()[1:] == ["[Service]", *lines]
    assert machine.services == [("my-nginx", "restarted")]
    again = Play(tmp_path, machine.root)
    again.play(files[TASKS])
    assert not again.services
    command = install_command(Path("runs/my-nginx.service-90-headcount.conf"))
    assert command == (
        "install -D -m 644 runs/my-nginx.service-90-headcount.conf "
        "/etc/systemd/system/my-nginx.service.d/90-headcount.conf && systemctl daemon-reload && "
        "systemctl restart my-nginx"
    )
    if shutil.which("systemd-analyze") is None:
        return
    # systemd itself names keys that it does not know.
    unit = file.parents[1] / "my-nginx.service"
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    verify = ["systemd-analyze", "verify", str(unit)]
    environment = {**os.environ, "SYSTEMD_UNIT_PATH": f"{unit.parent}:"}
    for text, complaint in ((files[one.name], ""), ("[Service]\nNices=1\n", "Unknown key")):
        file.write_text(text)
        ended = subprocess.run(verify, capture_output=True, text=True, check=True, env=environment)
        assert (complaint in ended.stderr) if complaint else not ended.stderr


@given(LINES, LINES)
def test_any_lines_are_installed(before: list[str], after: list[str]) -> None:
    old, new = "".join(before).encode(), "".join(after).encode()
    if not old or not new or old == new:
        return
    fewer, more = Counter(before) - Counter(after), Counter(after) - Counter(before)
    # With one line more or less of several equal ones, patch cannot tell whether it was applied.
    assume(not any(line in before and line in after for line in fewer | more))
    files = install_files({"/f": old}, {"/f": new}, {}, [service("samba", None, restarts=False)])
    with tempfile.TemporaryDirectory() as name:
        machine = installation(Path(name), files, {"/f": old})
        machine.play(files[TASKS])
        assert (machine.root / "f").read_bytes() == new
        diff = Path(name, DIFF)
        diff.write_bytes(diff.read_bytes().replace(b" /f", b" " + bytes(machine.root) + b"/f"))
        command = ["patch", "-R", "-d", "/", "-p0", "--binary", "-i", str(diff)]
        subprocess.run(command, check=True, capture_output=True)
        assert (machine.root / "f").read_bytes() == old


@pytest.mark.parametrize("path", ["/etc/samba/smb.conf", "/srv/my conf/a 'b'.conf"])
def test_files_in_other_encodings_and_with_blanks_are_installed(tmp_path: Path, path: str) -> None:
    lines = [b"[global]\n", b"# B\xfcro\n", b"a = 1\n", b"# gr\xf6\xdfer\n", b"b = 1\n", b"# \xe9"]
    old = b"".join(lines)
    new = old.replace(b"1", b"2").replace(b"[global]\n", b"[global]\nc = 3\n")
    files = install_files({path: old}, {path: new}, {}, [service("samba", None, restarts=False)])
    machine = installation(tmp_path, files, {path: old})
    machine.play(files[TASKS])
    assert (machine.root / path[1:]).read_bytes() == new


def test_what_is_kept_is_not_to_be_installed_once_more() -> None:
    folder = Path("runs/x")
    patch, ansible = f"To install: {install_command(folder / DIFF)}", f"Ansible: {folder / TASKS}"
    kernel = f"To install: {install_command(folder / SYSCTL)}"
    names = [DIFF, SYSCTL, TASKS]
    assert install_lines(names, folder, is_kept=False) == [patch, kernel, f"Or with {ansible}"]
    # Kernel settings are lost at the next boot.
    assert install_lines(names, folder, is_kept=True) == [kernel, f"Or with {ansible}"]
    assert install_lines([DIFF, TASKS], folder, is_kept=True) == [f"With {ansible}"]


def test_the_comment_that_is_installed_holds_for_good() -> None:
    before = "a = 1\n"
    after = with_block(before, ["a = 2"])
    text = install_files({"/f": before.encode()}, {"/f": after.encode()}, {}, [])[DIFF]
    assert "+# Set by headcount tune; what comes later in the file counts.\n+a = 2\n" in text
