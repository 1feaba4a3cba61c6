"""Files below a folder of this machine as a target: a disk of its own, or a network mount."""

import json
import os
from collections.abc import Mapping
from typing import Any

from headcount import _engine
from headcount.controller.access.access import (
    ALL_OWN,
    NOTHING,
    Prepared,
    Progress,
    cleanup_text,
)
from headcount.controller.access.mount import place
from headcount.controller.access.played import target_with_program
from headcount.controller.access.secrets import Secrets
from headcount.lab.files import FilesServer
from headcount.plan.gate import require_owner
from headcount.plan.plan import Plan
from headcount.protocols.files import FilesClient, files_client
from headcount.protocols.target import Target

MODES = {
    "buffered": "buffered (through the page cache of this machine)",
    "direct": "direct (O_DIRECT, past the page cache)",
    "dsync": "dsync (O_DSYNC, on stable storage before a write ends)",
}
"""How files are opened, for the disclosure."""


class FilesAccess:
    """A folder."""

    programs: Mapping[str, str] = {}
    pid: int | None = None

    def __init__(self, plan: Plan, folder: str) -> None:
        """Look at the folder.

        Raises InputError if it cannot be used, or if it is another machine's and nobody has stated
        that the owner agreed.
        """
        self._program = plan.workload.program
        client = files_client(plan.client)
        self.place = place(folder)
        if self.place.is_remote:
            require_owner(
                f"the folder {folder} is on a server of its own, {self.place.server} "
                f"({self.place.text})",
                plan.authorised_by,
            )
        self._ready = 0
        self._has_data_set = plan.data_set is not None
        data_set = {"data_set": plan.data_set} if self._has_data_set else {}
        self._target = json.dumps({"path": folder, **client.model_dump(), **data_set})
        hello = json.loads(_engine.hello("files", self._target))
        self.settings: Mapping[str, str] = {
            "folder": folder,
            "file system": self.place.text,
            "mount options": ",".join(self.place.system.options or ()),
            "free space": f"{hello['free_bytes'] / 1e9:,.1f} GB",
            "files opened": MODES[client.mode],
            "system calls": _calls(client, hello),
        }

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the users' folders and files; existing ones are only checked.

        With `verify` they are read, and damaged ones are re-created.
        """
        if not self._has_data_set or (users <= self._ready and not verify):
            return NOTHING
        first = 0 if verify else self._ready

        def progress(text: str) -> None:
            on_progress(first + json.loads(text)["users_done"], users)

        done = _engine.prepare("files", self._target, first, users - 1, progress, verify)
        made = json.loads(done)
        if made["written_bytes"]:
            # Otherwise writing these pages out would slow the first level down.
            os.sync()
        self._ready = users
        return Prepared(made["created"], first + made["kept"], made["written_bytes"])

    def check(self) -> None:
        """Look at the folder again."""
        _engine.hello("files", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data set below the folder."""
        if not self._has_data_set:
            return ALL_OWN

        def progress(text: str) -> None:
            how_far = json.loads(text)
            on_progress(how_far["users_done"], how_far["users"])

        self._ready = 0
        cleaned = _engine.cleanup("files", self._target, 0, 0, progress)
        return cleanup_text(json.loads(cleaned))

    def engine_target(self) -> str:
        """The folder, how it is used, the data set, and the program if there is one."""
        return target_with_program(self._target, self._program)

    def source(self) -> None:
        """A folder reports nothing about itself."""


def _calls(client: FilesClient, hello: Mapping[str, Any]) -> str:
    """How system calls are made, and why not otherwise."""
    threads = f"up to {hello['threads']} threads"
    if hello["engine"] == "io_uring":
        return f"io_uring for reads, writes and fsync; {threads} for the others"
    why = hello["without_ring"]
    return threads + ("" if client.engine == "threads" else f" (no io_uring: {why})")


def of_lab(plan: Plan, server: FilesServer) -> FilesAccess:
    """A folder of the lab."""
    return FilesAccess(plan, server.address)


def of_target(plan: Plan, target: Target, _secrets: Secrets) -> FilesAccess:
    """A folder that the user names."""
    return FilesAccess(plan, target.folder or "")
