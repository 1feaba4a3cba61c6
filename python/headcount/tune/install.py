"""Files that install the changes of a tuning: for patch(1), sysctl(8), systemd, and Ansible."""

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from headcount.tune.drop_in import DropIn, drop_in_command, drop_in_tasks, is_drop_in

DIFF, SYSCTL, TASKS = "changes.diff", "90-headcount.conf", "changes.yml"
"""For patch(1), for /etc/sysctl.d, and for Ansible."""
SYSCTLS = "/proc/sys/"
WHOLE = "\\ No newline at end of file\n"
"""What patch(1) expects after a last line without a newline."""
CONTEXT = (3, 2, 1, 0)
"""Lines around a change that patch(1) compares: fewer if some of them are not UTF-8."""
TMPFILES = "/etc/tmpfiles.d/90-headcount.conf"
"""The file of systemd-tmpfiles(8) for kernel settings that sysctl(8) does not know."""
TESTS: Mapping[str, Sequence[str]] = {
    "nginx": ("nginx", "-t"),
    "apache": ("apachectl", "configtest"),
    "samba": ("testparm", "-s"),
    "dovecot": ("doveconf", "-n"),
    "postfix": ("postfix", "check"),
}
"""The servers' own tests of their installed files."""
SERVICES = {"apache": "apache2", "samba": "smbd", "redis": "redis-server"}
"""Debian's service names that differ from the server's."""
PHP_FPM = "php-fpm"
DEBIANS = re.compile(r"php-fpm([0-9.]+)")
UNREAD = ("redis",)
"""Servers that read their files only when they start."""
HEAD = f"""\
# The changes of {DIFF}, which belongs beside this file, and of the other files. In a play:
#   - ansible.builtin.import_tasks: {TASKS}
# It needs the collection ansible.posix.
"""


@dataclass(frozen=True)
class Service:
    """A server whose files change.

    Attributes:
        name: As its knobs call it.
        unit: Its service.
        test: Its own test of its files; empty where it has none.
        restarts: Whether a reload is not enough.

    """

    name: str
    unit: str
    test: Sequence[str]
    restarts: bool


def service(name: str, unit: str | None, program: str = "", *, restarts: bool) -> Service:
    """A server with what is known of its kind; `program` is the name of its running program."""
    usual, test = SERVICES.get(name, name), TESTS.get(name, ())
    if name == PHP_FPM and program:
        # Debian's php-fpm8.2 is the service php8.2-fpm.
        usual, test = DEBIANS.sub(r"php\1-fpm", program), (program, "-t")
    unit = unit.removesuffix(".service") if unit else usual
    return Service(name, unit, test, restarts=restarts or name in UNREAD)


def install_files(
    originals: Mapping[str, bytes | None],
    files: Mapping[str, bytes],
    kernel: Mapping[str, str],
    services: Sequence[Service],
    drop_ins: Sequence[DropIn] = (),
) -> dict[str, str]:
    """The files that install changes, by name.

    `files` are those that change, with their contents then, `originals` with those now; `kernel`
    are kernel settings by path, `drop_ins` what is added to services.
    """
    diff = "".join(
        line
        for path, content in files.items()
        for line in _difference(path, originals[path] or b"", content)
    )
    sysctl = "".join(f"{line}\n" for line in _sysctl(kernel))
    found = {DIFF: diff, SYSCTL: sysctl, **{one.name: one.text for one in drop_ins}}
    has_cr = any(b"\r\n" in content for content in files.values())
    tasks = [
        *(_file_tasks(services, has_cr=has_cr) if diff else ()),
        *_kernel_tasks(kernel),
        *(_service_task(one) for one in services if diff),
        *(line for one in drop_ins for line in drop_in_tasks(one)),
    ]
    found[TASKS] = "".join([HEAD, *tasks]) if tasks else ""
    return {name: text for name, text in found.items() if text}


def _difference(path: str, before: bytes, after: bytes) -> Iterator[str]:
    # patch(1) ends a name with a blank in it at a tab.
    name = f"{path}\t" if " " in path else path
    old, new = _lines(before), _lines(after)
    found = (list(unified_diff(old, new, name, name, n=number)) for number in CONTEXT)
    lines = next(filter(_is_text, found), None)
    if lines is None:
        lines = list(unified_diff(old, new, name, name))
    for line in lines:
        text = line.encode("utf-8", "surrogateescape").decode(errors="replace")
        yield text if text.endswith("\n") else f"{text}\n{WHOLE}"


def _is_text(lines: Iterable[str]) -> bool:
    """Whether lines are UTF-8, as a file that is read as text has to be."""
    return not any("\udc80" <= char <= "\udcff" for line in lines for char in line)


def _lines(content: bytes) -> list[str]:
    """Lines as patch(1) sees them: none ends at a form feed or a lone carriage return."""
    *whole, last = content.decode(errors="surrogateescape").split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def _sysctl(kernel: Mapping[str, str]) -> Iterator[str]:
    """Kernel settings as sysctl.d(5) has them, others as comments."""
    for path, value in kernel.items():
        if path.startswith(SYSCTLS):
            yield f"{_name(path)} = {value}"
        else:
            yield f"# at each start: echo {value} > {path}"


def _name(path: str) -> str:
    return path.removeprefix(SYSCTLS).replace("/", ".")


def _file_tasks(services: Sequence[Service], *, has_cr: bool) -> Iterator[str]:
    """The files are patched, tested, and put back if a server refuses them."""
    binary = "  binary: true\n" if has_cr else ""
    patch = f'ansible.posix.patch:\n  src: {DIFF}\n  basedir: /\n  strip: "0"\n{binary}'
    tests = [one for one in services if one.test]
    names = " and ".join(one.name for one in services)
    yield f"- name: Change the configuration of {names}\n  become: true\n"
    if not tests:
        yield _indented(f"{patch}register: headcount_files\n", 2)
        return
    yield "  block:\n"
    yield _indented(f"- name: Change the files\n{_indented(patch, 2)}", 4)
    yield "      register: headcount_files\n"
    for one in tests:
        yield f"    - name: Have {one.name} test them\n"
        yield f"      ansible.builtin.command: {shlex.join(one.test)}\n      changed_when: false\n"
    yield "  rescue:\n"
    absent = _indented(f"{patch}  state: absent\n", 2)
    yield _indented(f"- name: Put the files back\n{absent}", 4)
    yield "    - name: Stop\n      ansible.builtin.fail:\n"
    yield f"        msg: {names} cannot take the changes; the files are as they were.\n"


def _kernel_tasks(kernel: Mapping[str, str]) -> Iterator[str]:
    others = {path: value for path, value in kernel.items() if not path.startswith(SYSCTLS)}
    for path, value in kernel.items():
        if path not in others:
            yield f"- name: Set {_name(path)}\n  become: true\n  ansible.posix.sysctl:\n"
            yield f"    name: {_name(path)}\n    value: {json.dumps(value)}\n"
            yield f"    sysctl_file: /etc/sysctl.d/{SYSCTL}\n    sysctl_set: true\n"
    if others:
        yield "- name: Set what sysctl does not know, at each boot\n  become: true\n"
        yield f"  ansible.builtin.copy:\n    dest: {TMPFILES}\n    mode: '0644'\n    content: |\n"
        yield from (f"      w {path} - - - - {value}\n" for path, value in others.items())
        yield "- name: Set it now\n  become: true\n"
        yield f"  ansible.builtin.command: systemd-tmpfiles --create {TMPFILES}\n"
        yield "  changed_when: false\n"


def _service_task(one: Service) -> str:
    verb, state = ("Restart", "restarted") if one.restarts else ("Reload", "reloaded")
    return (
        f"- name: {verb} {one.name}\n  become: true\n  ansible.builtin.service:\n"
        f"    name: {one.unit}\n    state: {state}\n  when: headcount_files is changed\n"
    )


def _indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}" for line in text.splitlines(keepends=True))


def install_command(path: Path) -> str:
    """The command that installs a file of a tuning on the server's machine, as root."""
    file = shlex.quote(str(path))
    if is_drop_in(path.name):
        return drop_in_command(path.name, str(path))
    # patch(1) takes absolute names in the root folder only.
    return f"patch -d / -p0 < {file}" if path.name == DIFF else f"cp {file} /etc/sysctl.d/"


def install_lines(names: Iterable[str], folder: Path, *, is_kept: bool) -> Sequence[str]:
    """How a person installs the files of a tuning: what is kept is in the server's files already.

    The tasks are for other machines, too.
    """
    wanted = [name for name in names if not (is_kept and name == DIFF)]
    found = [f"To install: {install_command(folder / one)}" for one in wanted if one != TASKS]
    if TASKS in wanted:
        found.append(f"{'Or with' if found else 'With'} Ansible: {folder / TASKS}")
    return found
