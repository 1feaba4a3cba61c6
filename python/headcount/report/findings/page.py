"""The diagnosis of logs as one HTML page that needs nothing from anywhere."""

from collections.abc import Sequence

from headcount import __version__
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.report.findings import log_sentences, sections
from headcount.report.head import head
from headcount.report.markup import Html, element, joined
from headcount.text import unbroken


def render(diagnoses: Sequence[LogDiagnosis], made_at: str) -> str:
    """The whole page. Pure: the same diagnoses give the same page."""
    title = "What limits " + (_name(diagnoses[0]) if len(diagnoses) == 1 else "these machines")
    header = element(
        "header",
        element("p", "Headcount \N{MIDDLE DOT} diagnosis of a log", class_="brand"),
        element("h1", title),
        element("p", f"Made {made_at}.", class_="where"),
    )
    body = [_one(found, number) for number, found in enumerate(diagnoses)]
    footer = f"Made by Headcount {__version__}. This file needs no other files."
    page = element("body", element("main", header, *body), element("footer", footer))
    return f"<!doctype html>\n{element('html', head(title), page, lang='en')}\n"


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
        kind,
        ("", "unknown") if kind in {"unknown", "too_few"} else ("passed", "no bottleneck here"),
    )
    evidence = [
        element(
            "li",
            f"{log_sentences.finding(one)} \N{EM DASH} {log_sentences.when(one)} [{one.rule.id}]",
        )
        for one in found.decision.evidence[:4]
    ]
    return element(
        "section",
        element("span", badge[1], class_=f"badge {badge[0]}".strip()),
        element(
            "p",
            unbroken(log_sentences.verdict(found)),
            class_="sentence",
            id="answer" if not number else f"answer-{number + 1}",
        ),
        element("p", f"Confidence: {log_sentences.confidence(found)}.", class_="interval"),
        *(element("p", unbroken(line), class_="broke") for line in log_sentences.context(found)),
        element("h3", "Why") if evidence else None,
        element("ul", *evidence) if evidence else None,
        element(
            "p",
            f"{log_sentences.of_the_log(found)}. Profile: {found.examination.profile}.",
            class_="note",
        ),
        class_="answer",
        aria_label=f"The answer for {_name(found)}",
    )
