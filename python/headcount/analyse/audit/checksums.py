"""Whether every file is unchanged since the run was closed."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle.altered import Altered
from headcount.bundle.manifest import NAME
from headcount.text import plural

CHECK = "files"
TITLE = "every file is as it was written"


def check(evidence: Evidence) -> Result:
    """Sizes and SHA-256 of the manifest against the files; files added since are only listed."""
    if evidence.manifest is None and not evidence.altered:
        why = f"there is no {NAME}: the run was not closed, or an older Headcount wrote the bundle"
        return unknown(CHECK, TITLE, why)
    added = [one.name for one in evidence.altered if one.what == "added"]
    places = [place(one) for one in evidence.altered if one.what != "added"]
    files = evidence.manifest.files if evidence.manifest else {}
    also = f"; added to the folder since: {', '.join(added)}" if added else ""
    figures: dict[str, float | int | None] = {
        "files": len(files),
        "bytes": sum(entry.bytes for entry in files.values()),
        "added": len(added),
    }
    return result(
        CHECK, TITLE, places, f"{plural('file', len(files))} are as they were{also}", figures
    )


def place(one: Altered) -> Place:
    """Where a file was altered, as exactly as its manifest shows."""
    if one.what == "missing":
        return Place(file=one.name, at="the file", text="is missing")
    if one.start is None or one.end is None:
        return Place(file=one.name, at="the file", text="has been altered")
    at = f"bytes {one.start:,} to {one.end - 1:,}"
    if one.first_line is not None and one.first_line == one.last_line:
        at += f", line {one.first_line:,}"
    elif one.first_line is not None and one.last_line is not None:
        at += f", lines {one.first_line:,} to {one.last_line:,}"
    if one.fields is not None and one.fields[0]:
        at += f" ({' to '.join(dict.fromkeys(one.fields))})"
    return Place(file=one.name, at=at, text="has been altered")
