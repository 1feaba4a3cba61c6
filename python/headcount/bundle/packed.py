"""The two large files of a long run, which its closed bundle keeps compressed.

During a run they grow as text. When it is closed, each long one becomes `NAME.gz`, which `zcat`,
DuckDB and pandas read; those of a usual run stay as they are.
"""

import contextlib
import gzip
import shutil
from pathlib import Path

from headcount.bundle import hlog, series
from headcount.bundle.files import disk_error, file_lines
from headcount.foreign.file import PACKED, has_regular, opened
from headcount.output.folder import Folder

NAMES = (series.LINES, hlog.FILE)
LEAST_BYTES = 16 << 20
"""Shortest file that is compressed: about 15 minutes of a workload of 14 scenarios."""
LEVEL = 4
"""Level of gzip. 6 makes files a tenth smaller for half as much CPU again."""


def pack(folder: Path) -> None:
    """Compress the long files of a bundle. If there is no room for both, the text stays."""
    with contextlib.suppress(OSError), Folder(folder) as within:
        for name in NAMES:
            if not has_regular(folder / name) or (folder / name).stat().st_size < LEAST_BYTES:
                continue
            with (
                opened(folder / name, follow=False) as text,
                within.replacing(f"{name}{PACKED}") as file,
                gzip.GzipFile("", "wb", LEVEL, file, mtime=0) as packed,
            ):
                shutil.copyfileobj(text, packed, 1 << 20)
            within.remove(name)


def unpack(folder: Path) -> None:
    """Decompress them again, for a run that continues.

    Existing text is what they were made from. Raises SystemLimitError if the disk is full, and
    InputError if one is damaged.
    """
    for name in NAMES:
        packed = folder / f"{name}{PACKED}"
        if not has_regular(packed):
            continue
        try:
            with Folder(folder) as within:
                if not has_regular(folder / name):
                    with within.replacing(name) as file:
                        file.writelines(
                            file_lines(packed, hlog.MOST_BYTES, hlog.MOST_DAMAGED_BYTES)
                        )
                within.remove(packed.name)
        except OSError as error:
            raise disk_error(folder / name, error) from error
