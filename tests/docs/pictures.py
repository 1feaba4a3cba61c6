"""Make the pictures of the pages from bundles: `python tests/docs/pictures.py REPORTED WATCHED`.

Needs Chromium, and poppler's `pdftoppm` for the PDF.
"""

import asyncio
import subprocess
import sys
import tempfile
from base64 import b64encode
from pathlib import Path

from pages import DOCS, blocks, text
from playwright.sync_api import Page, sync_playwright

from headcount.cli.watching import Asked, prepared
from headcount.live.screen.app import WatchApp

CHROMIUM = "/usr/bin/chromium"
WIDTH, REPORT_HEIGHT = 1100, 1320
SHEETS = (1, 3, 7)
"""Pages of the PDF side by side: title page, executive overview, charts."""
COUNTERS = (
    "users",
    "completed_per_s",
    "p95_ms",
    "system.cpu.utilization",
    "process.cpu.utilization",
    "system.cpu.context_switches",
    "system.network.io{network.io.direction=receive}",
)
LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 84 32">
<rect width="32" height="32" rx="5" fill="#7a0019"/>
<path d="M9 7h14v4h-9v3h8v4h-8v3h9v4H9z" fill="#ffffff"/>
<path d="M40 24l12-12 8 8 12-13 8 6" fill="none" stroke="#7a0019" stroke-width="3"/></svg>"""


def main(bundle: Path, watched: Path) -> None:
    """Write all pictures."""
    watching = asyncio.run(screen(watched))  # before Playwright, which has a loop of its own
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 560})
        page.goto((bundle / "report.html").resolve().as_uri())
        page.screenshot(
            path=DOCS / "report.png",
            full_page=True,
            clip={"x": 0, "y": 0, "width": WIDTH, "height": REPORT_HEIGHT},
        )
        picture(page, sheets(bundle, Path(folder)), DOCS / "report-pdf.png")
        picture(page, watching, DOCS / "watch.png")
        browser.close()


def picture(page: Page, html: str, to: Path) -> None:
    """Write what HTML shows, and no more."""
    page.set_content(
        f"<body style='margin:0'><div id=all style='display:inline-block'>{html}</div>"
    )
    page.locator("#all").screenshot(path=to)


def sheets(bundle: Path, folder: Path) -> str:
    """Pages of the bundle's PDF with the template of docs/reports.md, side by side."""
    template, pdf = folder / "brand.toml", folder / "report.pdf"
    example = next(block for block in blocks(text("reports.md"), "toml") if "logo =" in block)
    template.write_text(example, "utf-8")
    (folder / "logo.svg").write_text(LOGO, "utf-8")
    command = ["-m", "headcount", "report", str(bundle), "--pdf", str(pdf), "--template"]
    subprocess.run([sys.executable, *command, str(template)], check=True)
    images = ""
    for number in SHEETS:
        span = ["-f", str(number), "-l", str(number), "-singlefile"]
        to = folder / f"sheet-{number}"
        subprocess.run(["pdftoppm", "-r", "56", "-png", *span, str(pdf), str(to)], check=True)
        code = b64encode(to.with_suffix(".png").read_bytes()).decode()
        images += f"<img style='margin:6px 0 6px 6px' src='data:image/png;base64,{code}'>"
    return f"<div style='background:#e8e8ec;padding-right:6px;white-space:nowrap'>{images}</div>"


async def screen(bundle: Path) -> str:
    """The screen of `headcount watch BUNDLE` as SVG."""
    watch, _ = prepared(Asked(str(bundle), (), COUNTERS, (), 1.0, None, None))
    app = WatchApp(watch, for_s=None, replayed=True)
    try:
        async with app.run_test(size=(96, 30)) as pilot:
            while not watch.over:
                await pilot.pause(0.1)
            app.tick()
            await pilot.pause(0.5)
            svg = app.export_screenshot(title="headcount watch")
            return f"<div style='width:994px'>{svg}</div>"
    finally:
        watch.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
