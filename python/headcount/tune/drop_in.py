"""Drop-in files of systemd that treat a service's processes as in the trials."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FILE = "90-headcount.conf"
"""The drop-in's name in the folder of its service."""
_SUFFIX = f".service-{FILE}"


@dataclass(frozen=True)
class DropIn:
    """What is added to a service.

    Attributes:
        server: The server, as its knobs call it.
        unit: Its service, without `.service`.
        lines: The lines of its section `[Service]`.

    """

    server: str
    unit: str
    lines: Sequence[str]

    @property
    def name(self) -> str:
        """Its name beside the other files that a tuning hands out."""
        return f"{self.unit}{_SUFFIX}"

    @property
    def text(self) -> str:
        """Its content."""
        head = f"# What headcount tune has found for {self.server}, from its next start on.\n"
        return head + "".join(f"{line}\n" for line in ("[Service]", *self.lines))


def folder_of(unit: str) -> str:
    """Where drop-in files of a service are."""
    return f"/etc/systemd/system/{unit}.service.d"


def is_drop_in(name: str) -> bool:
    """Whether a file that a tuning hands out is a drop-in."""
    return name.endswith(_SUFFIX)


def drop_in_command(name: str, path: str) -> str:
    """The command that installs it, as root."""
    unit = name.removesuffix(_SUFFIX)
    target = shlex.quote(f"{folder_of(unit)}/{FILE}")
    return (
        f"install -D -m 644 {shlex.quote(path)} {target} && systemctl daemon-reload && "
        f"systemctl restart {shlex.quote(unit)}"
    )


def drop_in_tasks(one: DropIn) -> Iterator[str]:
    """The same as tasks for Ansible."""
    folder = folder_of(one.unit)
    yield f"- name: Make the folder of what is added to the service {one.unit}\n  become: true\n"
    yield f"  ansible.builtin.file:\n    path: {folder}\n    state: directory\n    mode: '0755'\n"
    yield f"- name: Have systemd treat {one.server} as in the trials\n  become: true\n"
    yield f"  ansible.builtin.copy:\n    dest: {folder}/{FILE}\n    mode: '0644'\n    content: |\n"
    yield from (f"      {line}\n" for line in one.text.splitlines())
    yield "  register: headcount_drop_in\n"
    yield f"- name: Restart {one.server} so\n  become: true\n  ansible.builtin.systemd:\n"
    yield f"    name: {one.unit}\n    daemon_reload: true\n    state: restarted\n"
    yield "  when: headcount_drop_in is changed\n"
