"""A real browser that shows reports, and remembers what its pages asked for and complained of."""

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Page
from report_cases import Case

from headcount.report.html import render

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def unfold(page: Page, which: str = "details") -> Page:
    """Open what is folded, as a reader does to see everything."""
    page.evaluate(f"document.querySelectorAll('{which}').forEach((e) => {{ e.open = true; }})")
    return page


def fold(page: Page) -> None:
    """Close it again."""
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = false; })")


@dataclass
class Browser:
    """A browser that remembers what its pages asked for and complained of."""

    context: BrowserContext
    folder: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)

    def show(self, case: Case, width: int, scheme: str = "light", media: str = "screen") -> Page:
        """Open a report as a file, as a person does."""
        path = self.folder / "report.html"
        path.write_text(render(case.content), encoding="utf-8")
        page = self.context.new_page()
        self.pages.append(page)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media=media, color_scheme=scheme)
        page.goto(path.as_uri())
        return page

    def close(self) -> None:
        """Close its pages."""
        for page in self.pages:
            page.close()


@dataclass(frozen=True)
class Shown:
    """A report that a browser shows."""

    case: Case
    page: Page
    browser: Browser
