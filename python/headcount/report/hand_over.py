"""The report to hand over, as a file."""

from pathlib import Path

from headcount.bundle.files import replace
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.report.brand import template as brands
from headcount.report.document.build import of_bundle
from headcount.report.pdf.render import pdf


def write(bundle: Bundle, path: Path, template: Path | None = None) -> Path:
    """Write the PDF of a bundle, with the template of a company if one is given; returns its path.

    Raises InputError for a run without an answer, a folder that is not there, and a template that
    is wrong.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path} is no file that can be written; give --pdf a file, such as r.pdf")
    brand = brands.load(template) if template is not None else brands.HEADCOUNT
    replace(path, pdf(of_bundle(bundle), brand))
    return path
