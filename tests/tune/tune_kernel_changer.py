"""Changes kernel settings of its network namespace: `tune_kernel_changer.py FOLDER ENDING`.

With the ending `close` it puts them back itself; with `killed` it waits to be killed.
"""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.linux import Kernel, Linux
from headcount.tune.servers.server import Running, Setting
from headcount.tune.tunable import Tunable

WANTED = (
    {"net.core.somaxconn": "1234", "net.ipv4.tcp_rmem max": "9000000"},
    {"net.ipv4.tcp_slow_start_after_idle": "0"},
)


class Unchanging:
    """A server whose files are not changed."""

    name = "none"
    running = Running(1, 1, ["none"], "/", {})
    reload_command: Sequence[str] = ("false",)

    def setting(self, knob: Knob) -> Setting:
        return Setting(knob.default, is_set=False)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        assert not changes
        return {}

    def test(self) -> str | None:
        return None


def state() -> dict[str, str]:
    """Everything that may be changed, as the kernel shows it."""
    paths = ("core/somaxconn", "ipv4/tcp_rmem", "ipv4/tcp_slow_start_after_idle")
    return {path: Path(f"/proc/sys/net/{path}").read_text() for path in paths}


def main(folder: str, ending: str) -> None:
    """Change them twice, and print what they were, and were after each change."""
    host = ThisHost()
    names = {name for wanted in WANTED for name in wanted}
    knobs = [knob for knob in of_server("linux").knob if knob.name in names]
    linux = Linux(host)
    seen = [state()]
    tunable = Tunable(
        host,
        Unchanging(),
        knobs,
        folder,
        lambda: None,
        kernel=Kernel(linux, knobs),
        patience_s=2,
    )
    for wanted in WANTED:
        changes = {knob: wanted[knob.name] for knob in knobs if knob.name in wanted}
        tunable.apply(Configuration(changes, "test"))
        seen.append(state())
    if ending == "close":
        assert tunable.close() is None
        seen.append(state())
    print(json.dumps(seen), flush=True)
    if ending == "killed":
        time.sleep(60)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
