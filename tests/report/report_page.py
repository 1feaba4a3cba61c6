"""Reads a page of a report as a browser does, far enough to check its elements and its text."""

from html.parser import HTMLParser

from headcount.report.content import ReportContent
from headcount.report.html import render

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """Reads a page as a browser does, far enough to check its elements and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.rows: list[list[str]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.headings: list[str] = []
        self.behind: list[list[str]] = []
        self._open: list[str] = []
        self._charted = False
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)
        if tag == "details":
            self._charted = ("class", "behind") in attrs
        if tag == "tr":
            self._cells().append([])
        if tag in ("td", "th"):
            self._cells()[-1].append("")
        if tag == "h2":
            self.headings.append("")

    def handle_startendtag(self, tag, attrs) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    def _cells(self) -> list[list[str]]:
        """Where a row belongs: the numbers behind a chart repeat those of the tables."""
        return self.behind if self._charted else self.rows

    def handle_endtag(self, tag) -> None:
        if tag == "details":
            self._charted = False
        assert self._open.pop() == tag

    def handle_data(self, data) -> None:
        if "script" in self._open:
            self.scripts.append(data)
            return
        self.texts.append(data)
        if "td" in self._open or ("th" in self._open and "tr" in self._open):
            self._cells()[-1][-1] += data
        if "h2" in self._open:
            self.headings[-1] += data

    def row(self, first: str) -> list[str]:
        return next(row for row in self.rows if row[0] == first)


def read(made: ReportContent) -> Page:
    return Page(render(made))
