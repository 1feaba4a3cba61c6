"""The two large files of a long run, which its closed bundle keeps compressed.

While a run is under way they grow as text. When it is closed, each that is long becomes `NAME.gz`,
which `zcat`, DuckDB and pandas read; those of a usual run stay as they are.
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
"""Of a file that is compressed: about a quarter of an hour of a workload of 14 scenarios."""
LEVEL = 4
"""Of gzip. 6 makes them a tenth smaller for half as much CPU again."""


def pack(folder: Path) -> None:
    """Compress the long ones of a bundle. Where there is no room for both, the text stays."""
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
    """Make text of them again, for a run that goes on.

    Text that is there is what they were made from. Raises SystemLimitError when the disk is full,
    and InputError where one is damaged.
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
