"""A power failure in the middle of a tuning: what runs at boot puts everything back.

A namespace of mounts has the folders of systemd and of cron for itself, with a real nginx in it.
"""

import configparser
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from test_tune_killed import CHANGER, guards, state, wait_for_change
from tuned import wait_until

from headcount.lab import keeper
from headcount.lab.nginx import NginxServer
from headcount.tune.boot import CRON, SYSTEMD, TARGET, boot_hook
from headcount.tune.host import COMMAND_S, Ended, ThisHost
from headcount.tune.servers.registry import find
from processes import wait_for

UNSHARE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
NSENTER = ["nsenter"] if os.geteuid() == 0 else ["nsenter", "-U", "--preserve-credentials"]
MACHINE = f"""
mount -t tmpfs tmpfs /run && mount -t tmpfs tmpfs {SYSTEMD} && mount -t tmpfs tmpfs {CRON} &&
mount -t tmpfs tmpfs /var/spool/cron && mount --bind /dev/null /etc/crontab &&
mkdir /var/spool/cron/crontabs && echo ready && exec sleep 300
"""
OTHER_BOOT = "11111111-2222-3333-4444-555555555555\n"


class Machine:
    """A machine with an nginx, whose init has nothing to start yet."""

    def __init__(self, holder: int, nginx: NginxServer, folder: Path) -> None:
        self.nginx = nginx
        self.root = Path(f"/proc/{holder}/root")
        self.journal = folder / "journal"
        self._holder = holder

    def within(self, *command: str) -> Sequence[str]:
        return [*NSENTER, "-m", "-t", str(self._holder), "--", *command]

    def run(self, *command: str) -> None:
        subprocess.run(self.within(*command), check=True, timeout=COMMAND_S)

    def mount(self, file: Path, text: str, at: str) -> None:
        """Replace the text of a file of procfs."""
        file.write_text(text)
        self.run("mount", "--bind", str(file), at)

    def changer(self, ending: str) -> subprocess.Popen[str]:
        """A process that changes the nginx, with a guard and a hook."""
        pid = str(self.nginx.pids[0])
        command = [sys.executable, str(CHANGER), pid, str(self.journal), "1", ending]
        pipe = subprocess.PIPE
        return subprocess.Popen(self.within(*command), stdout=pipe, stderr=pipe, text=True)

    def fail(self) -> None:
        """Let the power fail in the middle: neither the tuning nor its guard is left."""
        changer = self.changer("boot")
        wait_for_change(changer)
        for pid in (changer.pid, *guards(self.journal)):
            os.kill(pid, signal.SIGKILL)
        changer.communicate()
        wait_for(lambda: not guards(self.journal))  # killed processes stay for a moment
        assert not (self.journal / "done").exists()

    def hooks(self) -> list[Path]:
        """Everything that somebody left for systemd and cron."""
        folders = [self.root / SYSTEMD[1:], self.root / CRON[1:]]
        return [one for at in folders for one in sorted(at.rglob("*")) if not one.is_dir()]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    nginx = NginxServer({})
    holder = subprocess.Popen([*UNSHARE, "sh", "-c", MACHINE], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        yield Machine(holder.pid, nginx, tmp_path)
    finally:
        holder.kill()
        holder.communicate()
        nginx.stop()


def unit(path: Path) -> configparser.SectionProxy:
    """The settings of a unit; the last value of a name that occurs twice."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return parser["Service"]


@pytest.mark.e2e
@pytest.mark.parametrize("service", ["nginx.service", None])
def test_systemd_puts_everything_back_at_boot(
    machine: Machine, tmp_path: Path, service: str | None
) -> None:
    (machine.root / "run/systemd/system").mkdir(parents=True)
    first = machine.nginx.pids[0]
    if service is not None:
        machine.mount(tmp_path / "cgroup", f"0::/system.slice/{service}\n", f"/proc/{first}/cgroup")
    before = state(machine.nginx)
    machine.fail()
    assert state(machine.nginx) != before
    link, path = sorted(machine.hooks(), key=lambda one: not one.is_symlink())
    assert str(link.parent).endswith(f"{SYSTEMD}/{TARGET}.wants")
    assert link.readlink() == Path(SYSTEMD, path.name)
    assert path.stat().st_mode & 0o777 == 0o644
    text = path.read_text()
    assert ("Before=nginx.service\n" in text) == (service is not None)
    assert ("restore.sh early\n" in text) == (service is not None)
    if shutil.which("systemd-analyze") is not None:
        verified = subprocess.run(
            machine.within("systemd-analyze", "verify", f"{SYSTEMD}/{path.name}"),
            capture_output=True,
            text=True,
            check=False,
        )
        assert path.name not in verified.stderr, verified.stderr
        assert verified.returncode == 0, verified.stderr
    machine.mount(tmp_path / "boot", OTHER_BOOT, "/proc/sys/kernel/random/boot_id")
    workers = keeper.descendants(first)
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "ConditionPathExists":
            assert Path(value.removeprefix("!")).exists() != value.startswith("!")
    machine.run(*shlex.split(unit(path)["ExecStart"]))
    assert state(machine.nginx) == before
    assert (machine.journal / "done").exists()
    assert not machine.hooks()
    # It may be another program's number by now: nothing is signalled.
    assert keeper.descendants(first) == workers
    assert find(ThisHost(), [first]).test() is None


@pytest.mark.e2e
def test_cron_puts_everything_back_at_boot(machine: Machine) -> None:
    before = state(machine.nginx)
    cron = subprocess.Popen(machine.within("/usr/sbin/cron", "-f"))
    try:
        wait_until((machine.root / "run/crond.reboot").exists)
        machine.fail()
    finally:
        cron.kill()
        cron.wait()
    assert state(machine.nginx) != before
    (path,) = machine.hooks()
    assert path.stat().st_mode & 0o777 == 0o644
    if os.geteuid() == 0:
        (machine.root / "run/crond.reboot").unlink()  # as a boot does
        cron = subprocess.Popen(machine.within("/usr/sbin/cron", "-f"))
        try:
            wait_until((machine.journal / "done").exists)
        finally:
            cron.kill()
            cron.wait()
    else:  # cron may not become another user here
        _, line = path.read_text().splitlines()
        assert line.startswith("@reboot root ")
        machine.run("sh", "-c", line.removeprefix("@reboot root "))
    assert state(machine.nginx) == before
    assert not machine.hooks()


@pytest.mark.e2e
@pytest.mark.parametrize("ending", ["boot", "keep"])
def test_the_end_of_a_tuning_removes_its_hooks(machine: Machine, ending: str) -> None:
    (machine.root / "run/systemd/system").mkdir(parents=True)
    before = state(machine.nginx)
    changer = machine.changer(ending)
    if ending == "boot":  # killed: the guard is left to do it
        wait_for_change(changer)
        assert len(machine.hooks()) == 2
        os.kill(changer.pid, signal.SIGKILL)
    changer.communicate()
    wait_until((machine.journal / "done").exists)
    wait_until(lambda: not machine.hooks())
    assert (state(machine.nginx) == before) == (ending == "boot")


@pytest.mark.e2e
def test_what_cannot_be_put_back_is_tried_again_at_the_next_boot(machine: Machine) -> None:
    (machine.root / "run/systemd/system").mkdir(parents=True)
    machine.fail()
    home = str(machine.nginx.home)
    machine.run("mount", "--bind", home, home)
    machine.run("mount", "-o", "remount,bind,ro", home)
    script = machine.within("sh", str(machine.journal / "restore.sh"), "early")
    assert subprocess.run(script, capture_output=True, check=False).returncode == 3
    assert len(machine.hooks()) == 2
    machine.run("umount", home)
    machine.run("sh", str(machine.journal / "restore.sh"), "early")
    assert not machine.hooks()


class Other(ThisHost):
    """This machine with another init."""

    def __init__(self, init: str) -> None:
        self._init = init

    def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
        del command, longest_s
        return Ended(0, f"{self._init}\n")


@pytest.mark.parametrize(("init", "folder"), [("none", "/j"), ("user", "/j"), ("cron", "/a b%c")])
def test_there_is_no_hook_where_nothing_can_run_at_boot(init: str, folder: str) -> None:
    assert boot_hook(Other(init), folder, []) is None
    assert boot_hook(Other("cron"), "/j", []) is not None
