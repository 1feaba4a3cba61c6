"""SVG logos, which are untrusted: an SVG can contain code that its viewers run."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from headcount.errors import InputError

MOST_ELEMENTS = 5000
"""Elements drawn, repeated ones counted each time; a logo has a few dozen."""
MOST_DEPTH = 40

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_DRAWN = frozenset(
    "svg g defs symbol use title desc path rect circle ellipse line polyline polygon "  # noqa: SIM905
    "linearGradient radialGradient stop clipPath mask style".split()
)
"""Elements that can draw and do nothing else."""
_ELSEWHERE = re.compile(
    r"url\(\s*[\"']?\s*(?!#)|@import|expression\s*\(|javascript:", re.IGNORECASE
)
_HINT = {
    "text": "fonts differ between machines: convert the text to outlines (paths)",
    "tspan": "fonts differ between machines: convert the text to outlines (paths)",
    "image": "give the picture itself as a PNG, or draw it as paths",
    "script": "a logo must not run anything",
    "foreignObject": "a logo cannot contain an HTML page",
}


def check_vector(data: bytes, path: Path) -> str:
    """Return the text of an SVG that is safe to draw; raises InputError that says why it is not."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refused(path, "it is neither a PNG nor text in UTF-8") from error
    # Checked before parsing: entities can expand without end, and read files.
    if "<!DOCTYPE" in text.upper() or "<!ENTITY" in text.upper():
        raise _refused(path, "it declares a document type; save it as plain SVG without one")
    if "<?xml-stylesheet" in text.lower():
        raise _refused(path, "it loads a style sheet from elsewhere")
    try:
        root = ET.fromstring(text)  # noqa: S314 - it declares no entities: see above
    except ET.ParseError as error:
        raise _refused(path, f"it is neither a PNG nor valid SVG: {error}") from error
    if root.tag != f"{_SVG}svg":
        raise _refused(path, "its first element is not <svg> of http://www.w3.org/2000/svg")
    if not root.get("viewBox") and not (root.get("width") and root.get("height")):
        raise _refused(path, "it has no viewBox, so its size is not known")
    for element in _elements(root, path):
        _check(element, path)
    named = {name: one for one in root.iter() if (name := one.get("id"))}
    if _drawn(root, named, 0, path) > MOST_ELEMENTS:
        raise _refused(path, f"it draws more than {MOST_ELEMENTS:,} elements; simplify it")
    return _plain(root)


def _refused(path: Path, why: str) -> InputError:
    return InputError(f"the logo {path} cannot be used: {why}")


def _elements(root: ET.Element, path: Path) -> Iterator[ET.Element]:
    """All elements, parents first; raises InputError if nested deeper than a drawing needs."""
    waiting = [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        if depth > MOST_DEPTH:
            raise _refused(path, f"its elements are nested more than {MOST_DEPTH} deep")
        yield element
        waiting += [(child, depth + 1) for child in element]


def _foreign(element: ET.Element) -> bool:
    """Whether an element is of another namespace, such as a drawing program's metadata."""
    return not str(element.tag).startswith(_SVG)


def _check(element: ET.Element, path: Path) -> None:
    if _foreign(element):
        return  # dropped below
    name = str(element.tag).removeprefix(_SVG)
    if name == "metadata":
        return
    if name not in _DRAWN:
        hint = _HINT.get(name, "a logo is made of shapes, colours and gradients")
        raise _refused(path, f"it holds <{name[:40]}>; {hint}")
    for key, value in element.attrib.items():
        if key.lower().startswith("on"):
            raise _refused(path, f"it runs something by itself ({key[:40]}); remove that")
        if key in ("href", _XLINK) and not value.startswith("#"):
            raise _refused(path, "it points to something outside of it (href); put it inside")
        if _ELSEWHERE.search(value):
            raise _refused(path, f"it loads something from elsewhere ({key[:40]})")
    if name == "style" and _ELSEWHERE.search("".join(element.itertext())):
        raise _refused(path, "its style sheet loads something from elsewhere")


def _drawn(element: ET.Element, named: Mapping[str, ET.Element], depth: int, path: Path) -> int:
    """How many elements are drawn, including the copies that <use> makes."""
    if depth > MOST_DEPTH:
        raise _refused(path, "its <use> elements use each other")
    total = 1
    target = element.get("href") or element.get(_XLINK)
    if element.tag == f"{_SVG}use" and target:
        used = named.get(target[1:])
        total += _drawn(used, named, depth + 1, path) if used is not None else 0
    for child in element:
        total += _drawn(child, named, depth + 1, path)
        if total > MOST_ELEMENTS:
            break
    return total


def _plain(root: ET.Element) -> str:
    """The SVG as text, without the metadata of drawing programs."""
    for parent in list(root.iter()):
        for child in list(parent):
            if _foreign(child) or child.tag == f"{_SVG}metadata":
                parent.remove(child)
    ET.register_namespace("", "http://www.w3.org/2000/svg")
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return ET.tostring(root, encoding="unicode")
