"""Record a visit to the shop with Chromium.

`PYTHONPATH=tests python tests/importers/record.py FILE.har`
"""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright
from shop import PASSWORD, shop

import wsgi_site

CHROMIUM = "/usr/bin/chromium"


def main(path: Path) -> None:
    """Visit the shop as a user does, and write what the browser saw."""
    with wsgi_site.served(shop()) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(record_har_path=path, record_har_content="embed")
        page = context.new_page()
        page.goto(url)
        page.wait_for_timeout(1300)  # the user reads
        page.click("text=log in")
        page.fill("[name=email]", "ada@shop.example")
        page.fill("[name=password]", PASSWORD)
        page.wait_for_timeout(2200)
        page.click("button")
        page.click("text=offers")
        page.click("button")
        page.click("#buy")
        page.wait_for_selector("[data-done]")
        context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
