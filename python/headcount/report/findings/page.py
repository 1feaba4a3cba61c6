"""The diagnosis of logs as one HTML page that needs nothing from anywhere."""

from collections.abc import Sequence
from importlib.resources import files

from headcount import __version__
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.report.findings import sections, wording
from headcount.report.markup import Html, element, joined
from headcount.text import unbroken

# As in headcount.report.html.page: nothing is loaded and nothing runs, whatever happens.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"


def render(diagnoses: Sequence[LogDiagnosis], made_at: str) -> str:
    """The whole page. Pure: the same diagnoses give the same page."""
    title = "What limits " + (_name(diagnoses[0]) if len(diagnoses) == 1 else "these machines")
    style = files("headcount.report.html").joinpath("style.css").read_text("utf-8")
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("link", rel="icon", href="data:,"),
        element("title", title),
        element("style", Html(style)),
    )
    header = element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} diagnosis of a log", class_="brand"),
        element("h1", title),
        element("p", f"Made {made_at}.", class_="where"),
    )
    body = [_one(found, number) for number, found in enumerate(diagnoses)]
    footer = f"Made by Headcount {__version__}. This file is complete in itself."
    page = element("body", element("main", header, *body), element("footer", footer))
    return f"<!doctype html>\n{element('html', head, page, lang='en')}\n"


def _name(found: LogDiagnosis) -> str:
    return found.recording.host or "this machine"


def _one(found: LogDiagnosis, number: int) -> Html:
    return joined(
        [
            _answer(found, number),
            sections.advice(found),
            *sections.findings(found),
            sections.others(found),
            sections.taken_back(found),
            sections.not_judged(found),
            sections.about(found),
        ]
    )


def _answer(found: LogDiagnosis, number: int) -> Html:
    kind = found.decision.kind
    badge = {"limited": ("failed", "bottleneck"), "signs": ("", "signs only")}.get(
        kind, ("", "not known") if kind == "unknown" else ("passed", "no bottleneck here")
    )
    evidence = [
        element("li", f"{wording.finding(one)} \N{EM DASH} {wording.when(one)} [{one.rule.id}]")
        for one in found.decision.evidence[:4]
    ]
    return element(
        "section",
        element("span", badge[1], class_=f"badge {badge[0]}".strip()),
        element(
            "p",
            unbroken(wording.verdict(found)),
            class_="sentence",
            id="answer" if not number else f"answer-{number + 1}",
        ),
        element("p", f"How sure: {wording.sure(found)}.", class_="interval"),
        *(element("p", unbroken(line), class_="broke") for line in wording.context(found)),
        element("h3", "Why") if evidence else None,
        element("ul", *evidence) if evidence else None,
        element(
            "p",
            f"{wording.of_the_log(found)}. Judged as {found.examination.profile}.",
            class_="note",
        ),
        class_="answer",
        aria_label=f"The answer for {_name(found)}",
    )
