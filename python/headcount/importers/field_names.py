"""Ids in the names of a form's fields: `doc-7-title` of the form of document 7."""

import re
from collections.abc import Iterable

from headcount.importers.correlation import Link
from headcount.importers.journey import Step, mark

_NUMBER = re.compile(r"(?<![^\W_])[0-9]+(?![^\W_])")
"""A number that stands by itself in a name."""


def put_ids_in_names(step: Step, links: Iterable[Link]) -> None:
    """Replace the id in a step's path also in the names of its fields.

    Only if no name has another number: rows are numbered, too, such as `form-0-title` and
    `form-1-title`.
    """
    fields = step.form if step.form is not None else step.multipart
    found = {number for name in fields or () for number in _NUMBER.findall(name)}
    ids = {sent.value: link.name for link in links for _, sent in link.uses}
    if len(found) != 1 or not found <= ids.keys():
        return
    marked = mark(ids[found.pop()])
    if step.form is not None:
        step.form = {_NUMBER.sub(marked, name): value for name, value in step.form.items()}
    elif step.multipart is not None:
        step.multipart = {_NUMBER.sub(marked, key): one for key, one in step.multipart.items()}
