"""An application server as a target."""

import json
from collections.abc import Mapping

from headcount import _engine
from headcount.controller.access.access import NOTHING, Make, Prepared, Progress
from headcount.controller.access.secrets import Secrets
from headcount.counters.app import AppSource
from headcount.counters.source import Source
from headcount.lab.app import AppServer
from headcount.plan.gate import is_loopback
from headcount.plan.plan import Plan
from headcount.protocols.target import Target

BLOCK = 4096
"""The smallest possible data set; without one in the workload, no step can read or write it."""


class AppAccess:
    """An application server."""

    def __init__(self, plan: Plan, address: str, secrets: Secrets) -> None:
        """Say hello; raises TargetError if nobody answers, or another kind of server."""
        self._plan = plan
        self._address = address
        self._token = secrets.token
        self._ready = 0
        self.make: Make = _engine.prepare
        hello = json.loads(_engine.hello("app", self.engine_target()))
        self.pid: int | None = int(hello["pid"]) if is_loopback(address) else None
        self.programs: Mapping[str, str] = {"headcount application server": hello["version"]}
        self.settings: Mapping[str, str] = {
            "processors": str(hello["processors"]),
            "service threads at most": str(hello["threads"]),
            "write mode": hello["write_mode"],
        }

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the users' files; existing ones are only checked, or read with `verify`."""
        if self._plan.workload.data is None or (users <= self._ready and not verify):
            return NOTHING

        def progress(text: str) -> None:
            on_progress(first + json.loads(text)["files_done"], users)

        first = 0 if verify else self._ready
        target = self.engine_target()
        done = self.make("app", target, first, users - 1, progress, verify)
        self._ready = users
        made = json.loads(done)
        created = made["created"] + made["repaired"]
        return Prepared(created, first + made["kept"], made["written_bytes"])

    def check(self) -> None:
        """Say hello again."""
        _engine.hello("app", self.engine_target())

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data set."""
        del on_progress  # it takes a moment
        done = _engine.cleanup("app", self.engine_target(), 0, 0, lambda _: None)
        cleaned = json.loads(done)
        return f"deleted {cleaned['files']:,} files, {cleaned['bytes'] / 1e6:,.1f} MB"

    def engine_target(self) -> str:
        """Address, shape of the data set and token."""
        return json.dumps(
            {
                "address": self._address,
                "file_bytes": self._plan.file_bytes or BLOCK,
                "range_bytes": self._plan.range_bytes or BLOCK,
                "seed": self._plan.seed,
                "token": self._token,
            }
        )

    def source(self) -> Source:
        """Its threads and queue."""
        return AppSource(self._address, self._token)


def of_lab(plan: Plan, server: AppServer) -> AppAccess:
    """The lab's application server."""
    return AppAccess(plan, server.address, Secrets(token=server.token))


def of_target(plan: Plan, target: Target, secrets: Secrets) -> AppAccess:
    """An application server that the user names."""
    return AppAccess(plan, target.addresses[0], secrets)
