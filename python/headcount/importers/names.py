"""Names of steps and variables, from paths and fields."""

import re
from collections.abc import Collection
from urllib.parse import unquote

from headcount.importers.journey import CLOSE, OPEN

BUILT_IN = frozenset(
    {"n", "iteration", "uuid", "now", "now_s", "now_ms", "username", "password", "true", "false"}
)
"""Names that already have a meaning."""
_LONGEST = 40
_ID = re.compile(
    r"\d+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}|(?=[^/]*\d)[\w-]{20,}", re.IGNORECASE
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def variable_name(text: str) -> str:
    """A name for a variable: `X-CSRF-Token` becomes `csrf_token`, `orderId` becomes `order_id`."""
    text = re.sub(r"^[Xx]-", "", text)
    name = "_".join(word.lower() for word in _WORD.findall(text))[:_LONGEST].strip("_")
    if not name:
        return "value"
    if name[0].isdigit():
        name = f"value_{name}"
    return f"user_{name}" if name in BUILT_IN else name


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if it is taken."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def singular(word: str) -> str:
    """The singular of a word: `orders` becomes `order`, `categories` becomes `category`."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")) and not word.endswith("cases"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us")) else word


def looks_like_id(segment: str) -> bool:
    """Whether a part of a path identifies one thing of many."""
    return OPEN in segment or CLOSE in segment or bool(_ID.fullmatch(segment))


def step_name(method: str, path: str, *, is_log_in: bool = False) -> str:
    """What a person would call a request: `log-in`, `home`, `api-orders`, `delete-cart`."""
    parts = [unquote(part) for part in path.partition("?")[0].split("/")]
    words = []
    for part in parts:
        if not part or looks_like_id(part):
            continue
        plain = re.sub(r"\.(?:html?|php|aspx?|jsp|do|json|cgi)$", "", part)
        words += re.findall(r"[^\W_]+", plain)
    name = label_name(" ".join(words)) if words else ""
    if is_log_in:
        return "log-in"
    if method in ("PUT", "PATCH", "DELETE"):
        verb = {"PUT": "replace", "PATCH": "change", "DELETE": "delete"}[method]
        return f"{verb}-{name}".strip("-")
    if method not in ("GET", "HEAD", "OPTIONS"):
        return f"{method.lower()}-{name}".strip("-")
    return name or "home"


def folded(name: str) -> str:
    """A name for comparison: without case and separators."""
    return re.sub(r"[\W_]", "", name).lower()


def label_name(text: str) -> str:
    """A name that a step may have: without blanks and commas, which separate names in logs."""
    return re.sub(r"[^\w.-]+", "-", text.lower())[:60].strip("-") or "step"


def workload_name(text: str) -> str:
    """A name that a workload may have: lower-case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "site"
