"""Reads a PDF as others do: its text with pdftotext, its structure with pypdf."""

import io
import re
import subprocess
import tempfile
from pathlib import Path

from pypdf import PdfReader
from pypdf.generic import DictionaryObject, IndirectObject

from headcount.bundle.level import Levels
from headcount.plan.resolve import Overrides, resolve
from headcount.report.content import ReportContent
from headcount.workloads import load


def run(program: str, paper: bytes, *arguments: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paper.pdf"
        path.write_bytes(paper)
        command = [program, *arguments, str(path), "-"]
        return subprocess.run(command, check=True, capture_output=True, timeout=60).stdout


def text_of(paper: bytes, *, layout: bool = False) -> str:
    """The text in the order of reading, on one line, with plain spaces and apostrophes."""
    text = run("pdftotext", paper, *(["-layout"] if layout else ["-raw"])).decode("utf-8")
    return plain(text) if not layout else text.replace("\N{NO-BREAK SPACE}", " ")


def plain(text: str) -> str:
    text = text.replace("\N{ZERO WIDTH SPACE}", "").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return re.sub(r"\s+", " ", text)


def squeezed(text: str) -> str:
    """Text without any space: lines are broken where there is room."""
    return re.sub(r"\s", "", plain(text))


def reader(paper: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(paper))


def tags(paper: bytes) -> list[DictionaryObject]:
    """Every element of the structure tree."""
    root = reader(paper).trailer["/Root"]["/StructTreeRoot"]
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop()
        element = element.get_object() if isinstance(element, IndirectObject) else element
        if isinstance(element, list):
            waiting += element
        elif isinstance(element, DictionaryObject):
            if "/S" in element:
                found.append(element)
            if "/K" in element:
                waiting.append(element["/K"])
    return found


def bundle_of(content: ReportContent, folder: Path) -> Path:
    """A bundle on disk with a content's answer, without series, histograms and events."""
    folder.mkdir()
    plan = resolve(load("app-server"), "lab:app", Overrides(users=4, seed=1))
    (folder / "plan.toml").write_text(plan.to_toml(), "utf-8")
    levels = Levels(levels=list(content.levels))
    (folder / "levels.json").write_text(levels.model_dump_json(), "utf-8")
    (folder / "environment.json").write_text(content.environment.model_dump_json(), "utf-8")
    (folder / "verdict.json").write_text(content.verdict.model_dump_json(), "utf-8")
    return folder
