"""The PDF: readable for all, the same bytes again, and nothing unintended in it."""

import datetime as dt
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel
from pypdf.generic import IndirectObject
from report_cases import HOSTILE, Case, cases, hostile
from report_factory import content

from headcount.report.content import ReportContent
from headcount.report.document.build import of_content
from headcount.report.pdf.breaks import breakable
from headcount.report.pdf.render import pdf
from paper import reader, run, squeezed, tags, text_of

MARKUP = [
    '#panic("owned") #read("/etc/passwd") #sys.inputs.data #import "@preview/cetz:0.4.2": *',
    "= heading *strong* _emphasis_ `raw` $x^2$ <label> @reference \\ // comment /* more",
    ']}])) #{ let x = 1 } #eval("1") #set page(width: 1pt) #set page(width: 1pt)',
    "- list + numbers / term: x link(\"javascript:alert(1)\") https://example.org/x --- ... ~ 'a'",
]


@pytest.fixture(scope="module")
def paper() -> bytes:
    return pdf(of_content(content()))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_every_kind_of_run_can_be_typeset(case: Case) -> None:
    made = pdf(of_content(case.content))
    assert made.startswith(b"%PDF-1.7")
    assert len(made) < 1_000_000
    pages = reader(made).pages
    assert 5 < len(pages) < 40
    for page in pages:
        assert len(page.extract_text()) > 20  # none is empty


def test_the_same_run_gives_the_same_bytes(paper: bytes) -> None:
    assert pdf(of_content(content())) == paper


def test_metadata_describes_the_report(paper: bytes) -> None:
    about = reader(paper).metadata
    assert about is not None
    assert about.title == content().title
    assert about.author == "Headcount"
    assert about.subject == f"Server capacity report: {content().verdict.sentence}"
    assert about.creation_date == dt.datetime(2025, 11, 20, tzinfo=dt.UTC)


def test_the_pdf_is_accessible(paper: bytes) -> None:
    """PDF/UA-1: tagged, in a language, with a title, and words for every picture."""
    found = reader(paper)
    root = found.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] is True or root["/MarkInfo"]["/Marked"].value is True
    assert root["/Lang"].startswith("en")
    assert root["/ViewerPreferences"]["/DisplayDocTitle"].value is True
    assert b"pdfuaid" in root["/Metadata"].get_object().get_data()
    kinds = [str(tag["/S"]) for tag in tags(paper)]
    for kind in ("/H1", "/H2", "/P", "/Table", "/TH", "/TD", "/L", "/LI", "/Caption", "/TOC"):
        assert kind in kinds, kind
    pictures = [tag for tag in tags(paper) if tag["/S"] == "/Figure"]
    assert len(pictures) >= 2
    assert all(str(tag["/Alt"]) for tag in pictures)


def test_sections_are_bookmarks(paper: bytes) -> None:
    outline = [one["/Title"] for one in reader(paper).outline if not isinstance(one, list)]
    assert outline[0].endswith("Executive overview")
    assert len(outline) >= 8


def test_charts_are_vectors_and_not_bitmaps(paper: bytes) -> None:
    for page in reader(paper).pages:
        assert not page.images.keys()


def test_fonts_are_embedded(paper: bytes) -> None:
    fonts = run_fonts(paper)
    assert {"LibertinusSerif-Regular", "LibertinusSerif-Semibold"} <= {
        name.split("+")[1].removesuffix("-Identity-H") for name, _ in fonts
    }
    assert all(embedded == "yes" for _, embedded in fonts)


def run_fonts(paper: bytes) -> list[tuple[str, str]]:
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(paper)
        file.flush()
        output = subprocess.run(
            ["pdffonts", file.name], check=True, capture_output=True, text=True
        ).stdout
    rows = [line.split() for line in output.splitlines()[2:]]
    return [(row[0], row[-5]) for row in rows]


def injected(text: str) -> ReportContent:
    """A run with this text wherever a server, a plan or a person could put one."""
    plain = hostile()

    def swapped(value):
        if isinstance(value, str):
            return value.replace(HOSTILE, text)
        if isinstance(value, list | tuple):
            return type(value)(swapped(one) for one in value)
        if isinstance(value, dict):
            return {swapped(key): swapped(one) for key, one in value.items()}
        if isinstance(value, BaseModel):
            names = type(value).model_fields
            return value.model_copy(update={name: swapped(getattr(value, name)) for name in names})
        return value

    changes = {name: swapped(getattr(plain, name)) for name in plain.__dataclass_fields__}
    changes["started_at"] = "2025-11-20T14:03:00Z"
    changes["disclosure"] = {"sut": {text: text}, "auditor": {"name": text}}
    return replace(plain, **changes)


@pytest.mark.parametrize("text", MARKUP)
def test_text_is_never_markup(text: str) -> None:
    made = pdf(of_content(injected(text)))
    shown = squeezed(run("pdftotext", made, "-raw").decode())
    assert shown.count(squeezed(text)) > 10
    sizes = {
        (float(page.mediabox.width), float(page.mediabox.height)) for page in reader(made).pages
    }
    assert len(sizes) == 1
    assert min(sizes)[0] > 590
    assert "/URI" not in str(reader(made).trailer["/Root"])
    assert no_actions(made)


def no_actions(made: bytes) -> bool:
    """Links lead within the document, and nothing runs."""
    for page in reader(made).pages:
        for each in page.get("/Annots", []):
            link = each.get_object() if isinstance(each, IndirectObject) else each
            if "/A" in link and link["/A"].get("/S") != "/GoTo":
                return False
    return b"/JavaScript" not in made


def test_a_whole_server_answer_stays_on_the_page() -> None:
    """What has no spaces, or is far too long, is broken and cut, not written over the edge."""
    run_of = injected("x" * 3000)
    pages = boxes(pdf(of_content(run_of)))
    assert len(pages) < 80
    for width, words in pages:
        assert all(right <= width - 40 for _, right in words)


def boxes(made: bytes) -> Sequence[tuple[float, list[tuple[float, float]]]]:
    output = run("pdftotext", made, "-bbox").decode()
    found = []
    for page in output.split("<page ")[1:]:
        width = float(re.search(r'width="([\d.]+)"', page)[1])
        words = re.findall(r'xMin="([\d.]+)"[^>]*xMax="([\d.]+)"', page)
        found.append((width, [(float(a), float(b)) for a, b in words]))
    return found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u4e2d\u6587", "[U+4E2D][U+6587]"),
        ("\U0001f600", "[U+1F600]"),
        ("a\u0600b", "a"),
        (
            "\u041f\u0440\u0438\u0432\u0435\u0442 \u03a9 \u2264 \u2192 \u017c\u00f3\u0142\u0107",
            None,
        ),
        ("a\U000f0000b", "a[U+F0000]b"),
    ],
)
def test_characters_missing_from_fonts_are_written_as_numbers(text: str, shown: str | None) -> None:
    made = pdf(of_content(replace(content(), title=text, description=f"so {text} it is")))
    assert squeezed(shown if shown is not None else text) in squeezed(text_of(made))


def test_long_words_can_be_broken_and_short_ones_stay() -> None:
    assert breakable("p95<=500ms and /etc/fstab") == "p95<=500ms and /etc/fstab"
    path = "/srv/data/home-folders/user00017/report.docx"
    assert breakable(path).replace("\N{ZERO WIDTH SPACE}", "") == path
    assert max(map(len, breakable("x" * 200).split("\N{ZERO WIDTH SPACE}"))) == 16


def test_pages_are_drawn(paper: bytes, tmp_path: Path) -> None:
    """Every page as a picture: there is ink on it, and most of it is white."""
    file = tmp_path / "paper.pdf"
    file.write_bytes(paper)
    command = ["pdftoppm", "-r", "30", "-gray", str(file), str(tmp_path / "page")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    pictures = sorted(tmp_path.glob("page-*.pgm"))
    assert len(pictures) == len(reader(paper).pages)
    for picture in pictures:
        dots = picture.read_bytes().split(b"\n", 3)[3]
        dark = sum(1 for dot in dots if dot < 200) / len(dots)
        assert 0.001 < dark < 0.4, picture.name


@pytest.mark.parametrize("name", ["search", "diagnosed", "priced", "score", "hostile", "no levels"])
def test_the_summary_for_a_board_is_the_first_page_and_no_more(name: str) -> None:
    run = next(case.content for case in cases() if case.name == name)
    pages = reader(pdf(of_content(run))).pages
    first, second = (squeezed(pages[at].extract_text()) for at in (0, 1))
    assert "Question" in first
    assert "Madeby" in first or "Made by" in first
    assert second.startswith("Contents") or "Contents" in second[:200]
