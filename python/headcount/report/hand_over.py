"""Writes the report for customers to a file."""

from collections.abc import Sequence
from pathlib import Path

from headcount.analyse.compare.comparison import Comparison
from headcount.bundle.reader import Bundle
from headcount.output.file import ensure_writable, write_output
from headcount.report.brand import template as brands
from headcount.report.document import charts, competitive
from headcount.report.document.blocks import Document
from headcount.report.document.build import of_bundle
from headcount.report.document.compared import of_comparison
from headcount.report.pdf.render import pdf


def write(
    bundle: Bundle,
    path: Path,
    template: Path | None = None,
    against: tuple[Comparison, Sequence[Bundle]] | None = None,
) -> Path:
    """Write the PDF of a bundle, with the template of a company if one is given; returns its path.

    `against` is a comparison with others, and a run of each. Raises InputError for a run without an
    answer, a missing folder and a faulty template.
    """
    others = None
    if against is not None:
        found, runs = against
        drawn = charts.of_pair([one.name for one in found.subjects], runs)
        others = competitive.section(found, drawn)
    return _write(of_bundle(bundle, others), path, template)


def write_comparison(
    found: Comparison, runs: Sequence[Bundle], path: Path, template: Path | None = None
) -> Path:
    """Write the PDF of a comparison; `runs` is a run of each subject, in their order."""
    return _write(of_comparison(found, runs), path, template)


def _write(document: Document, path: Path, template: Path | None) -> Path:
    ensure_writable(path, "--pdf")
    brand = brands.load(template) if template is not None else brands.HEADCOUNT
    write_output(path, pdf(document, brand), "--pdf")
    return path
