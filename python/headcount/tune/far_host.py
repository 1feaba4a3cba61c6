"""A machine that is reached by the system's `ssh`: one login that all commands share."""

import contextlib
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from headcount.counters.address import Address
from headcount.counters.ssh import complaint
from headcount.counters.ssh.child import LOGIN_S, OPTIONS, login, whom
from headcount.errors import InputError, SystemLimitError, TargetError
from headcount.tune.host import COMMAND_S, MOST_OUTPUT, NEW, Ended

STAY_S = 60
"""How long an idle login stays open if this program is killed."""
SSH_FAILED = 255
"""The exit code of `ssh` itself."""
MISSING = 44
"""The exit code of reading a missing file."""
READ = f'[ -e "$1" ] || exit {MISSING}; cat -- "$1"'
# `cat` takes a cut connection for the end of the file, so the size is compared.
WRITE = f"""
file=$(readlink -f -- "$1") || exit 1
case $file in /proc/*|/sys/*) exec cat > "$file";; esac
if [ -e "$file" ] && [ ! -f "$file" ]; then exec cat > "$file"; fi
folder=$(dirname "$file")
new=$folder/.$(basename "$file"){NEW}
trap 'rm -f "$new"' EXIT
rm -f "$new"
if [ -e "$file" ]; then cp -p -- "$file" "$new" || exit 1; fi
cat > "$new" || exit 1
[ "$(wc -c < "$new")" -eq "$2" ] || {{ echo "the connection was cut" >&2; exit 1; }}
sync "$new" && mv -f -- "$new" "$file" && sync "$folder"
"""
NOTE = 'cat > "$1"'


class FarHost:
    """A Linux machine behind SSH.

    Args:
        address: Where to log in. A user other than root runs commands through `sudo`, if that
            asks for no password.

    """

    def __init__(self, address: Address) -> None:
        """Log in; raises TargetError or SystemLimitError with what is wrong and what to do."""
        self._address = address
        self._folder = tempfile.TemporaryDirectory(prefix="headcount-ssh-")
        self._become: Sequence[str] = ()
        try:
            if self.run(["id", "-u"], LOGIN_S).output.strip() != "0":
                can = self.run(["sudo", "-n", "true"]).code == 0
                self._become = ("sudo", "-n", "--") if can else ()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Already logged in."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Log out."""
        self.close()

    @property
    def name(self) -> str:
        """As the address has it."""
        return self._address.place

    @property
    def login(self) -> str:
        """The option that names it."""
        return f" --host {self._address.text}"

    @cached_property
    def cpus(self) -> int:
        """How many a login may use."""
        return int(self._output("nproc"))

    @cached_property
    def memory_mib(self) -> int:
        """Of the machine, not of a control group."""
        return (
            int(self._output("sh", "-c", "sed -n 's/^MemTotal: *//p' /proc/meminfo").split()[0])
            >> 10
        )

    def _output(self, *command: str) -> str:
        ended = self.run(command)
        if ended.code != 0:
            raise TargetError(f"{self.name}: `{shlex.join(command)}`: {ended.output.strip()}")
        return ended.output.strip()

    def read(self, path: str) -> bytes | None:
        """A whole file."""
        code, content, errors = self._execute(("sh", "-c", READ, "sh", path), None, COMMAND_S)
        if code == MISSING:
            return None
        if code != 0:
            raise InputError(self._refusal("read", path, errors))
        return content

    def write(self, path: str, content: bytes) -> None:
        """Replace a file, or write the value of a kernel setting."""
        command = ("sh", "-c", WRITE, "sh", path, str(len(content)))
        code, _, errors = self._execute(command, content, COMMAND_S)
        if code != 0:
            raise InputError(self._refusal("write", path, errors))

    def note(self, path: str, text: str) -> None:
        """Write a file, without waiting for the disk."""
        code, _, errors = self._execute(("sh", "-c", NOTE, "sh", path), text.encode(), COMMAND_S)
        if code != 0:
            raise InputError(self._refusal("write", path, errors))

    def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
        """Run a program in the root folder, without input."""
        script = 'cd / && exec "$@" 2>&1 < /dev/null'
        code, output, _ = self._execute(("sh", "-c", script, "sh", *command), None, longest_s)
        return Ended(code, output.decode(errors="replace")[-MOST_OUTPUT:])

    def _refusal(self, verb: str, path: str, errors: str) -> str:
        why = errors.strip() or "no reason given"
        who = (
            ""
            if self._become
            else "; log in as root, or as a user who may use sudo without a password"
        )
        return f"cannot {verb} {path} on {self.name}: {why}{who}"

    def _execute(
        self, command: Sequence[str], content: bytes | None, longest_s: float
    ) -> tuple[int, bytes, str]:
        """Its exit code and what it printed on either output; raises TargetError if it is gone."""
        options = {
            **OPTIONS,
            "ControlMaster": "auto",
            "ControlPersist": str(STAY_S),
            "ControlPath": f"{self._folder.name}/%C",
        }
        flags = [f"-o{key}={value}" for key, value in options.items()]
        line = ["ssh", *flags, *whom(self._address), shlex.join([*self._become, *command])]
        try:
            ended = subprocess.run(
                line,
                input=content or b"",
                capture_output=True,
                timeout=longest_s + LOGIN_S,
                check=False,
            )
        except FileNotFoundError as error:
            raise SystemLimitError(
                f"{self._address.text} needs the program ssh, which is not installed; on Debian: "
                "apt install openssh-client"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise SystemLimitError(
                f"`{shlex.join(command)}` did not end within {longest_s:g} s on {self.name}; "
                "if it leaves a program running, start that one with > /dev/null 2>&1"
            ) from error
        errors = ended.stderr.decode(errors="replace")
        if ended.returncode == SSH_FAILED:
            why = complaint.explain(errors, login(self._address), self._address.host)
            raise TargetError(f"cannot reach {self._address.text}: {why}")
        return ended.returncode, ended.stdout, errors

    def close(self) -> None:
        """Log out; safe to call twice."""
        if Path(self._folder.name).exists():
            path = f"-oControlPath={self._folder.name}/%C"
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(
                    ["ssh", "-O", "exit", path, *whom(self._address)],
                    capture_output=True,
                    timeout=LOGIN_S,
                    check=False,
                )
            self._folder.cleanup()
