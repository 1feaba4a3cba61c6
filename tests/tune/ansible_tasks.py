"""Plays tasks of Ansible on copies of files: the few modules that a tuning's tasks use."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

KEYS = {"name", "become", "register", "when", "changed_when", "block", "rescue"}


class Failed(Exception):  # noqa: N818 - as Ansible calls it
    """A task that fails."""


@dataclass
class Play:
    """What tasks have done.

    Attributes:
        folder: Where the tasks are, and what they bring along.
        root: What stands for the root folder of the server.
        refusing: Programs that fail.
        commands, services, settings: What was run, reloaded or restarted, and set.

    """

    folder: Path
    root: Path
    refusing: Sequence[str] = ()
    commands: list[str] = field(default_factory=list)
    services: list[tuple[str, str]] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    _changed: set[str] = field(default_factory=set)

    def play(self, text: str) -> None:
        """Play a file of tasks; raises Failed."""
        self._all(import_module("yaml").safe_load(text))

    def _all(self, tasks: list[dict[str, Any]]) -> None:
        for task in tasks:
            assert task["name"][0].isupper()
            if "block" in task:
                try:
                    self._all(task["block"])
                except Failed:
                    self._all(task["rescue"])
                continue
            if "when" in task and task["when"].removesuffix(" is changed") not in self._changed:
                continue
            (module,) = task.keys() - KEYS
            if getattr(self, module.rpartition(".")[2])(task[module]):
                self._changed.add(task.get("register", ""))

    def patch(self, given: dict[str, Any]) -> bool:
        """As ansible.posix.patch calls patch(1): applied already, or in one go."""
        assert given["basedir"] == "/"
        diff = (self.folder / given["src"]).read_bytes()
        for name in (b"--- /", b"+++ /"):
            diff = diff.replace(name, name + bytes(self.root)[1:] + b"/")
        state = given.get("state", "present")
        if self._patched(given, diff, "--dry-run", is_back=state == "present"):
            return False
        if not self._patched(given, diff, is_back=state != "present"):
            raise Failed("patch")
        return True

    def _patched(self, given: dict[str, Any], diff: bytes, *options: str, is_back: bool) -> bool:
        command = ["patch", "--quiet", "--forward", "--batch", "--reject-file=-", "-d", "/"]
        command += [f"--strip={given['strip']}", *options]
        command += ["--reverse"] if is_back else []
        command += ["--binary"] if given.get("binary") else []
        return subprocess.run(command, input=diff, capture_output=True, check=False).returncode == 0

    def command(self, words: str) -> bool:
        """A program that the server has."""
        self.commands.append(words)
        if words.split(maxsplit=1)[0] in self.refusing:
            raise Failed(words)
        return True

    def copy(self, given: dict[str, Any]) -> bool:
        """A file with this content."""
        path = self.root / given["dest"][1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.read_text() == given["content"]:
            return False
        path.write_text(given["content"])
        path.chmod(int(given["mode"], 8))
        return True

    def sysctl(self, given: dict[str, Any]) -> bool:
        """A kernel setting, now and in a file for each boot."""
        assert given["sysctl_set"]
        assert given["sysctl_file"].startswith("/etc/sysctl.d/")
        assert isinstance(given["value"], str)
        self.settings[given["name"]] = given["value"]
        return True

    def service(self, given: dict[str, Any]) -> bool:
        """A service that is reloaded or restarted."""
        self.services.append((given["name"], given["state"]))
        return True

    def file(self, given: dict[str, Any]) -> bool:
        """A folder."""
        assert given["state"] == "directory"
        (self.root / given["path"][1:]).mkdir(parents=True, exist_ok=True)
        return True

    def systemd(self, given: dict[str, Any]) -> bool:
        """A service whose files systemd reads again before it is started again."""
        assert given["daemon_reload"]
        return self.service(given)

    def fail(self, given: dict[str, Any]) -> bool:
        """The end."""
        raise Failed(given["msg"])
