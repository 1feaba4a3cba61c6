"""Secrets of a k6 script: variables whose values come from the environment, not from the file."""

import contextlib
import re
from typing import Any
from urllib.parse import parse_qsl

from headcount.foreign.json_text import json_value
from headcount.importers import journey
from headcount.importers.body_text import FORM
from headcount.importers.journey import Journey, Variable
from headcount.importers.names import variable_name
from headcount.importers.payload import Payload
from headcount.importers.request_step import JSON_TYPE
from headcount.importers.typed import is_password, is_secret


class Secrets:
    """Takes secrets out of texts, and gives the journey a variable for each."""

    def __init__(self, made: Journey) -> None:
        """Of the journey that gets the variables."""
        self.made = made

    def header(self, name: str, value: str) -> str:
        """A header's value; of `Bearer TOKEN` only the token is secret."""
        scheme, blank, rest = value.partition(" ")
        if name.lower() == "authorization" and blank:
            return f"{scheme} {self.hidden_text(name, rest)}"
        return self.hidden_text(name, value)

    def hidden_text(self, field: str, value: str) -> str:
        """A value as it is, or a variable instead if it is a secret in clear."""
        if not value or journey.OPEN in value or not (is_password(field) or is_secret(field)):
            return value
        return self.mark("token" if field.lower() == "authorization" else field)

    def hidden(self, value: Any, name: str = "") -> Any:
        """A value of JSON without the secrets in it; `name` is the key it stands under."""
        if isinstance(value, dict):
            return {key: self.hidden(one, key) for key, one in value.items()}
        if isinstance(value, list):
            return [self.hidden(one, name) for one in value]
        return self.hidden_text(name, value) if isinstance(value, str) else value

    def hidden_body(self, text: str, content_type: str) -> Payload:
        """A body that is a text, as JSON or a form if it is one, without the secrets in it."""
        kind = content_type.partition(";")[0].strip().lower()
        if text.lstrip()[:1] in ("{", "["):
            with contextlib.suppress(ValueError):
                value = self.hidden(json_value(text.encode("utf-8")))
                return Payload(json=value, has_json=True, content_type=content_type or JSON_TYPE)
        if kind == FORM and "=" in text:
            pairs = parse_qsl(text, keep_blank_values=True)
            return Payload(form=tuple((key, self.hidden_text(key, one)) for key, one in pairs))
        return Payload(text=text, content_type=content_type or "text/plain")

    def mark(self, field: str, environment: str = "") -> str:
        """The mark of a secret's variable, which is made if it is new."""
        name = variable_name(field)
        if not environment:
            environment = re.sub(r"\W", "_", f"{self.made.name}_{name}".upper())
        environment = environment if not environment[0].isdigit() else f"SITE_{environment}"
        if name not in {one.name for one in self.made.variables}:
            comment = f"From the environment: export {environment}=..."
            self.made.variables.append(Variable(name, {"secret": environment}, comment))
        return journey.mark(name)
