"""Whose files a folder holds, from what is mounted there."""

import os
from pathlib import Path

import pytest

from headcount import workloads
from headcount.controller.access import files
from headcount.controller.access.mount import Place, place
from headcount.counters.environment.filesystem import FileSystem, describe_file_systems
from headcount.errors import InputError
from headcount.plan.resolve import Overrides, resolve


def mounted(kind: str, device: str, *options: str) -> Place:
    system = FileSystem(path="/m", mount_point="/m", kind=kind, device=device, options=options)
    return Place("/m", system)


@pytest.mark.parametrize(
    ("kind", "device", "options", "server"),
    [
        ("nfs4", "fs1.example.com:/export/home", ("rw", "addr=10.0.0.7"), "fs1.example.com"),
        ("nfs", "10.0.0.7:/export", (), "10.0.0.7"),
        ("nfs4", "[2001:db8::7]:/export", (), "2001:db8::7"),
        ("cifs", "//fs1/data", ("addr=10.0.0.7",), "fs1"),
        ("fuse.sshfs", "ada@fs1:/srv", (), "fs1"),
        ("ceph", "10.0.0.1,10.0.0.2:/", (), "10.0.0.1,10.0.0.2"),
        # The kernel says which address was mounted, whatever its name is.
        ("cifs", "//localhost/data", ("addr=10.0.0.7",), "localhost"),
    ],
)
def test_files_of_another_machine(
    kind: str, device: str, options: tuple[str, ...], server: str
) -> None:
    found = mounted(kind, device, *options)
    assert found.is_remote
    assert found.server == server
    assert device in found.text


@pytest.mark.parametrize(
    ("kind", "device", "options"),
    [
        ("ext4", "/dev/vda", ()),
        ("tmpfs", "tmpfs", ()),
        ("zfs", "tank:/data", ()),
        ("nfs4", "server:/export", ("addr=127.0.0.1",)),
        ("nfs4", "[::1]:/export", ()),
        ("nfs", "localhost:/export", ()),
        ("cifs", "//127.0.0.2/data", ()),
    ],
)
def test_files_of_this_machine(kind: str, device: str, options: tuple[str, ...]) -> None:
    assert not mounted(kind, device, *options).is_remote


def test_the_mount_that_holds_a_folder_is_found(tmp_path: Path) -> None:
    found = place(str(tmp_path))
    assert found.folder == str(tmp_path)
    assert tmp_path.is_relative_to(found.system.mount_point or "?")
    assert not found.is_remote
    lines = Path("/proc/self/mountinfo").read_text("utf-8").splitlines()
    kinds = {line.split(" - ")[1].split()[0] for line in lines}
    assert found.system.kind in kinds


def test_a_folder_that_is_mounted_on_first_use_is_another_machines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of systemd's x-systemd.automount or autofs, whose mount a test cannot make.
    table = tmp_path / "proc/self/mountinfo"
    table.parent.mkdir(parents=True)
    folder = tmp_path / "data"
    folder.mkdir()
    table.write_text(
        f"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 21 0:40 / {folder} rw - autofs systemd-1 rw\n"
    )
    statvfs = os.statvfs

    def mounting(path: Path) -> os.statvfs_result:
        if "nfs4" not in table.read_text():
            with table.open("a") as lines:
                lines.write(f"31 30 0:41 / {folder} rw - nfs4 fs1:/export rw,addr=10.0.0.7\n")
        return statvfs(path)

    monkeypatch.setattr(os, "statvfs", mounting)
    (system,) = describe_file_systems([folder], tmp_path)
    assert (system.kind, system.device) == ("nfs4", "fs1:/export")
    assert Place(str(folder), system).is_remote


def test_another_machines_files_need_its_owner(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = mounted("nfs4", "fs1.example.com:/export")
    monkeypatch.setattr(files, "place", lambda _folder: remote)
    workload = workloads.load("home-folders")
    plan = resolve(workload, f"file://{tmp_path}", Overrides(users=1))
    with pytest.raises(InputError) as caught:
        files.FilesAccess(plan, str(tmp_path))
    assert f"the folder {tmp_path} is on a server of its own, fs1.example.com" in str(caught.value)
    assert "nfs4, fs1.example.com:/export on /m" in str(caught.value)
    assert "--authorised-by" in str(caught.value)
    allowed = Overrides(users=1, authorised_by="Ada, IT")
    assert files.FilesAccess(resolve(workload, f"file://{tmp_path}", allowed), str(tmp_path)).place
