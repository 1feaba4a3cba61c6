"""Pages in a folder of this machine, for the user's web server to serve."""

import json
from dataclasses import dataclass
from pathlib import Path

from headcount import _engine
from headcount.controller.access import Progress
from headcount.protocols.pages import Pages


@dataclass(frozen=True)
class Written:
    """The result of writing pages."""

    created: int
    kept: int
    written_bytes: int


def write_pages(
    pages: Pages, folder: Path, on_progress: Progress, *, verify: bool = False
) -> Written:
    """Write the pages and their CGI program; with `verify` existing ones are read.

    Raises InputError if the folder is somebody else's, SystemLimitError if they do not fit.
    """

    def progress(text: str) -> None:
        far = json.loads(text)
        on_progress(far["pages_done"], far["pages"])

    data_set = json.dumps(pages.engine_form())
    made = json.loads(_engine.http_write_tree(str(folder), data_set, progress, verify))
    return Written(made["created"], made["kept"], made["written_bytes"])


def delete_pages(folder: Path) -> str:
    """Delete the pages that Headcount wrote into a folder and nothing else; returns a sentence.

    Raises InputError if the folder does not have Headcount's marker.
    """
    swept = json.loads(_engine.http_sweep_tree(str(folder)))
    if swept is None:
        return f"there are no pages of Headcount's in {folder}"
    files = f"{swept['files']:,} file" + ("" if swept["files"] == 1 else "s")
    left = f"; left {swept['left']:,} that no data set has, and the marker" if swept["left"] else ""
    return f"deleted {files} in {folder}{left}"
