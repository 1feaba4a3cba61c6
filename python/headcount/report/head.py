"""The head of every page that Headcount writes: self-contained, and safe to open."""

import base64
import hashlib
from importlib.resources import files

from headcount.report.markup import Html, element
from headcount.report.palette import variables

# Values of servers and logs end up in pages. Even if one were not escaped, the page would load
# nothing, and run nothing but the script with this hash.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def policy(script: str | None = None) -> str:
    """Return the security policy of a page, with the one script it may run, if it has any."""
    if script is None:
        return _POLICY
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return f"{_POLICY}; script-src 'sha256-{digest}'"


def head(
    title: str, generator: str | None = None, script: str | None = None, library: str | None = None
) -> Html:
    """Return the head of a page: its title, its style, and its security policy.

    Args:
        title: What the page is called.
        generator: The program and version that made the figures, if the page is about a run.
        script: The exact contents of the page's script element; None if it has none.
        library: Style sheet of the library that the script uses.

    """
    style = variables() + files("headcount.report.html").joinpath("style.css").read_text("utf-8")
    made = [element("meta", name="generator", content=generator)] if generator is not None else []
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy(script)),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        *made,
        # Without this a browser asks the web server for /favicon.ico.
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Html(style)),
        element("style", Html(library)) if library else None,
    )
