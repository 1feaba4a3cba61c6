"""Packages are installed without starting their servers, and nothing stays behind after a kill."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "contrib" / "debian" / "install-unstarted.sh"
POLICY = Path("/usr/sbin/policy-rc.d")
STARTERS = ("invoke-rc.d", "deb-systemd-invoke", "systemctl", "service")
APT = """#!/bin/sh
# Installs as dpkg does: scripts run with the path that apt was given.
echo "$*" >>"$SAYS/calls"
for word in "$@"; do
  case "$word" in DPkg::Path=*) PATH=${word#DPkg::Path=} ;; esac
done
case " $* " in
*" install "*)
  while [ -e "$SAYS/wait" ]; do sleep 0.05; done
  for starter in invoke-rc.d deb-systemd-invoke systemctl service; do
    found=$(command -v "$starter")
    case "$found" in "$TMPDIR"/*) "$found" headcount-test start ;; *) false ;; esac
    echo "$found $?" >>"$SAYS/found"
  done
  touch "$SAYS/done"
  ;;
esac
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Programs in place of apt and of the check for root."""
    programs = tmp_path / "bin"
    for name in ("bin", "tmp", "says"):
        (tmp_path / name).mkdir()
    for name, text in (("apt-get", APT), ("id", "#!/bin/sh\necho 0\n")):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "TMPDIR": str(tmp_path / "tmp"),
        "SAYS": str(tmp_path / "says"),
    }


def assert_nothing_started(folder: Path) -> None:
    lines = (folder / "says" / "found").read_text().splitlines()
    assert len(lines) == len(STARTERS)
    for line, name in zip(lines, STARTERS, strict=True):
        assert line.startswith(f"{folder / 'tmp'}/"), line
        assert line.endswith(f"/{name} 0"), line


def test_commands_that_would_start_a_server_do_nothing(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    had_policy = POLICY.exists()
    subprocess.run(["sh", SCRIPT, "nginx", "redis"], check=True, env=environment, timeout=60)
    assert_nothing_started(tmp_path)
    update, install = (tmp_path / "says" / "calls").read_text().splitlines()
    assert update == "update -qq"
    assert install.endswith(" nginx redis")
    assert POLICY.exists() == had_policy
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_kill_leaves_nothing_that_keeps_servers_from_starting(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    had_policy = POLICY.exists()
    says = tmp_path / "says"
    (says / "wait").touch()
    running = subprocess.Popen(["sh", SCRIPT, "nginx"], env=environment)
    try:
        wait_for(lambda: "install" in text_of(says / "calls"))
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
        (says / "wait").unlink()
    wait_for((says / "done").exists)
    assert_nothing_started(tmp_path)  # apt went on
    assert POLICY.exists() == had_policy


def test_a_folder_in_which_no_program_runs_is_refused(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    chmod = tmp_path / "bin" / "chmod"  # as a file system mounted with noexec would have it
    chmod.write_text("#!/bin/sh\n")
    chmod.chmod(0o755)
    ended = subprocess.run(
        ["sh", SCRIPT, "nginx"], check=False, env=environment, capture_output=True, timeout=60
    )
    assert ended.returncode == 5
    assert b"choose another folder with TMPDIR" in ended.stderr
    assert not (tmp_path / "says" / "calls").exists()


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def wait_for(condition: object) -> None:
    assert callable(condition)
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it never came")
