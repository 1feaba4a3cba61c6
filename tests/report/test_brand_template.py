"""Templates of companies: what they put on the page, and what is refused with a way out."""

import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from report_bundle import bundle_of
from report_factory import content

from headcount.bundle import reader
from headcount.errors import InputError
from headcount.report import hand_over
from headcount.report.brand import colour
from headcount.report.brand.dates import LANGUAGES, date_text
from headcount.report.brand.template import HEADCOUNT, load
from headcount.report.document.build import of_content
from headcount.report.pdf.render import pdf
from paper import reader as pdf_reader
from paper import tags, text_of

WHOLE = """
name = "Example & Söhne <AG>"
logo = "logo.svg"
logo_text = "The mark of Example & Söhne"
paper = "us-letter"
dates = "de"

[colours]
accent = "#7A0019"

[text]
kind = "Kapazitätsbericht"
prepared_for = "The board of Example"
prepared_by = "A. Person, Performance"
reference = "P-2025-17"
footer = "Confidential #1 *draft*"
legal = "All marks belong to those who own them. #panic()"
"""
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20">'
    '<defs><linearGradient id="g"><stop offset="0" stop-color="#700"/></linearGradient></defs>'
    '<rect width="40" height="20" fill="url(#g)"/></svg>'
)


def template(folder: Path, text: str, logo: str = LOGO) -> Path:
    (folder / "logo.svg").write_text(logo, "utf-8")
    path = folder / "brand.toml"
    path.write_text(text, "utf-8")
    return path


def png(width: int, height: int, rows: int | None = None) -> bytes:
    """A grey PNG (PNG specification, 5)."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    dots = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(rows or height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", dots) + chunk(b"IEND", b"")


def test_a_template_puts_its_name_words_and_logo_on_the_pages(tmp_path: Path) -> None:
    made = pdf(of_content(content()), load(template(tmp_path, WHOLE)))
    text = text_of(made)
    for part in (
        "Kapazitätsbericht",
        "Prepared for The board of Example",
        "Prepared by A. Person, Performance",
        "Reference P-2025-17",
        "Measured 20. November 2025, 14:03 UTC",
        "Notices All marks belong to those who own them. #panic()",
    ):
        assert part in text, part
    pages = pdf_reader(made).pages
    assert text.count("Confidential #1 *draft*") == len(pages) - 1  # not on the title page
    assert text.count("Example & Söhne <AG>") == len(pages) - 1  # there the logo replaces it
    assert (float(pages[0].mediabox.width), float(pages[0].mediabox.height)) == (612, 792)
    alts = [str(tag["/Alt"]) for tag in tags(made) if "/Alt" in tag]
    assert "The mark of Example & Söhne" in alts
    about = pdf_reader(made).metadata
    assert about is not None
    assert about.author == "A. Person, Performance"


def test_the_accent_is_in_the_page_and_only_with_the_template(tmp_path: Path) -> None:
    red = f"{0x7A / 255:.3f}"[:5]
    branded = pdf(of_content(content()), load(template(tmp_path, WHOLE)))
    plain = pdf(of_content(content()))
    assert red in second_page(branded, tmp_path)
    assert red not in second_page(plain, tmp_path)


def second_page(made: bytes, folder: Path) -> str:
    """The operators that draw the second page."""
    del folder
    return pdf_reader(made).pages[1].get_contents().get_data().decode("latin-1")


def test_the_same_template_gives_the_same_bytes(tmp_path: Path) -> None:
    path = template(tmp_path, WHOLE)
    assert pdf(of_content(content()), load(path)) == pdf(of_content(content()), load(path))


def test_a_picture_as_logo(tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(png(60, 20))
    made = pdf(of_content(content()), load(template(tmp_path, 'name = "X"\nlogo = "logo.png"\n')))
    assert len(pdf_reader(made).pages[0].images.keys()) == 1


def test_a_name_is_enough(tmp_path: Path) -> None:
    brand = load(template(tmp_path, 'name = "Example"\n'))
    assert brand.template.colours == HEADCOUNT.template.colours
    assert "Example" in text_of(pdf(of_content(content()), brand))


@pytest.mark.parametrize(("text", "message"), [
    ("", "name: is missing"),
    ('name = "x"\nlogos = "y"', 'logos: there is no such key; did you mean "logo"?'),
    ('name = "x"\n[colours]\naccent = "red"', "six hexadecimal digits"),
    ('name = "x"\n[colours]\naccent = "#ffff00"', "too light for text on white paper"),
    ('name = "x"\npaper = "a5"', "paper: "),
    ('name = "x"\ndates = "tlh"', "dates: "),
    ('name = "two\\nlines"', "name: "),
    ('name = "x"\nlogo = "none.png"', "none.png cannot be read: No such file"),
    ('name = "x"\n[type]\nfamily = "A"\nfolder = "fonts"', "fonts is not a folder"),
    ("name = ", "is not valid TOML"),
])  # fmt: skip
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(template(tmp_path, text))
    assert message in str(caught.value)
    assert "brand.toml" in str(caught.value) or "none.png" in str(caught.value)


def test_a_missing_or_unfit_template_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load(tmp_path / "nothing.toml")
    (tmp_path / "huge.toml").write_text("#" * 200_000)
    with pytest.raises(InputError, match="is it the right file"):
        load(tmp_path / "huge.toml")


def test_a_custom_typeface(tmp_path: Path) -> None:
    listed = subprocess.run(
        ["fc-list", ":", "file", "family"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    file, family = next(
        (line.split(": ")[0], line.split(": ")[1].split(",")[0])
        for line in sorted(listed)
        if ".ttf" in line
    )
    folder = tmp_path / "fonts"
    folder.mkdir()
    (folder / "a.ttf").write_bytes(Path(file).read_bytes())
    text = f'name = "X"\n[type]\nfamily = "{family}"\nfolder = "fonts"\n'
    made = pdf(of_content(content()), load(template(tmp_path, text)))
    assert family.replace(" ", "").encode() in made
    wrong = 'name = "X"\n[type]\nfamily = "No Such"\nfolder = "fonts"\n'
    with pytest.raises(InputError, match=r"no font 'No Such'.*there are: "):
        pdf(of_content(content()), load(template(tmp_path, wrong)))


def test_contrast_is_that_of_the_guidelines() -> None:
    # The worked values of WCAG's own examples: black, white, and #777, which just fails at 4.48.
    assert colour.to_white("#000000") == pytest.approx(21)
    assert colour.to_white("#ffffff") == pytest.approx(1)
    assert colour.to_white("#777777") == pytest.approx(4.48, abs=0.005)
    assert colour.to_white("#767676") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_writes_every_day(language: str) -> None:
    days = {date_text(f"2025-{month:02}-17T00:00:00Z", language) for month in range(1, 13)}
    assert len(days) == 12
    assert all("2025" in day and "17" in day for day in days)


def test_the_report_is_written_to_a_file(tmp_path: Path) -> None:
    found = reader.load(bundle_of(content(), tmp_path / "run"))
    path = hand_over.write(found, tmp_path / "r.pdf", template(tmp_path, WHOLE))
    assert path.read_bytes().startswith(b"%PDF-")
    for wrong, reason in ((tmp_path, "is a folder"), (tmp_path / "none" / "r.pdf", "no folder")):
        with pytest.raises(InputError, match=reason):
            hand_over.write(found, wrong)
