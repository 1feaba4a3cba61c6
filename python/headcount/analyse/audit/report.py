"""Whether the report says what the bundle says."""

import re
from difflib import SequenceMatcher
from html import unescape
from pathlib import Path

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle import failover, tuning
from headcount.bundle.stored import stored_bytes
from headcount.errors import InputError
from headcount.foreign.file import has_regular

CHECK = "report"
TITLE = "the report matches the bundle"
NAME = "report.html"
_TAG = re.compile(r"<[^>]*(?:>|\Z)")
_HIDDEN = re.compile(r"<(style|script)\b.*?(?:</\1>|\Z)", re.DOTALL)
"""An unclosed element extends to the end, as in browsers; this also avoids quadratic searches."""
_REPEAT = re.compile(r"headcount run (?:(?!headcount run )[^<])*?plan\.toml")
"""The command that repeats a run names the bundle's folder, which may have been moved since."""
_COMPARED = 200
"""Most figures that are compared to find where two reports differ."""
_FIGURE = re.compile(r"\d[\d.,]*")


def check(evidence: Evidence, again: str | None) -> Result:
    """`again` is the report as this version of Headcount writes it from the bundle's other files.

    Reports of other versions look different. They must contain the answer, word for word.
    """
    path = evidence.folder / NAME
    if not has_regular(path):
        return unknown(CHECK, TITLE, f"there is no {NAME}")
    if again is None or evidence.verdict is None:
        return unknown(CHECK, TITLE, "there is no answer to compare it with")
    try:
        page = (stored_bytes(path) or b"").decode("utf-8", errors="replace")
    except InputError as error:
        return result(CHECK, TITLE, [Place(file=NAME, at="the whole", text=str(error))], "")
    stored = _REPEAT.sub("", page)
    again = _REPEAT.sub("", again)
    if stored == again:
        return result(CHECK, TITLE, [], "it follows exactly from the other files")
    answer = _answer(evidence.folder) or evidence.verdict.sentence
    if " ".join(answer.split()) not in words(stored):
        text = f"the answer is not in it: {answer}"
        return result(CHECK, TITLE, [Place(file=NAME, at="the answer", text=text)], "")
    kept = evidence.manifest is not None and all(one.name != NAME for one in evidence.altered)
    return _of_another(stored, again, kept=kept)


def _answer(folder: Path) -> str | None:
    """The answer of a tuning or of faults, whose levels have none of their own."""
    found = tuning.read(folder) or failover.read(folder)
    return found.sentence if found is not None else None


def _of_another(stored: str, again: str, *, kept: bool) -> Result:
    """The result for a report that differs from the one this version writes."""
    old, new = figures(stored), figures(again)
    if old == new:
        return result(CHECK, TITLE, [], "all its figures follow from the other files")
    if kept:
        why = "another version wrote it; it has the answer and is unchanged"
        return unknown(CHECK, TITLE, why)
    why = f"another version wrote it, or it was altered: {_first(old, new)}"
    return unknown(CHECK, TITLE, f"{why} (rewrite it with headcount report)")


def words(page: str) -> str:
    """The text of a page, without markup."""
    plain = unescape(_TAG.sub(" ", _HIDDEN.sub(" ", page)))
    return " ".join(plain.replace("\u00a0", " ").replace("\u2060", "").split())


def figures(page: str) -> list[str]:
    """The numbers in the text of a page, in order."""
    return _FIGURE.findall(words(page))


def _first(old: list[str], new: list[str]) -> str:
    pairs = enumerate(zip(old, new, strict=False))
    same = next((i for i, (one, other) in pairs if one != other), min(len(old), len(new)))
    old, new = old[same : same + _COMPARED], new[same : same + _COMPARED]
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            return (
                f"first {' '.join(old[a:b][:5]) or 'nothing'} for {' '.join(new[c:d][:5]) or '-'}"
            )
    return "no figure differs"
