"""The head of every page that Headcount writes: complete in itself, and safe to open."""

from importlib.resources import files

from headcount.report.markup import Html, element
from headcount.report.palette import variables

# Values of servers and logs end up in pages; if one were ever not escaped, the page still loads
# and runs nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def head(title: str, generator: str | None = None) -> Html:
    """Return the head of a page: its title, its style, and that nothing else may be loaded or run.

    `generator` is the program and version that made the figures, where the page is of a run.
    """
    style = variables() + files("headcount.report.html").joinpath("style.css").read_text("utf-8")
    made = [element("meta", name="generator", content=generator)] if generator is not None else []
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        *made,
        # Without this a browser asks the web server for /favicon.ico.
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Html(style)),
    )
