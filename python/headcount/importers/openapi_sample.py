"""Values that fit an OpenAPI schema: its example, its default, or one made from its type."""

from typing import Any
from urllib.parse import unquote

from headcount.importers.journey import mark, unmarked, unmarked_value
from headcount.importers.pattern_sample import LONGEST_TEXT, pattern_sample
from headcount.importers.stranger import table

DEEPEST = 12
"""Most nested schemas; deeper ones, such as of trees, are cut off."""
MOST_VALUES = 20_000
"""Most values of a whole description: a few mutual references can make billions."""
MOST_STEPS = 1_000_000
"""References followed in a whole description."""
_BY_FORMAT = {
    "date-time": mark("now"),
    "date": "2026-01-15",
    "time": "12:00:00Z",
    "uuid": mark("uuid"),
    "email": "user" + mark("n") + "@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "byte": "aGVhZGNvdW50",
    "binary": "headcount",
}


class Description:
    """A description with its references."""

    def __init__(self, document: dict[str, Any]) -> None:
        """Keep the whole document, into which references lead."""
        self.document = document
        self.unmatched_patterns: set[str] = set()
        """Patterns that the text made for them may not match."""
        self.values_left = MOST_VALUES
        self.steps_left = MOST_STEPS
        self.depth = 0

    def resolved(self, value: Any) -> dict[str, Any]:
        """An object with its references followed; empty if one leads nowhere or in a circle."""
        found = table(value)
        for _ in range(DEEPEST):
            reference = found.get("$ref")
            if not isinstance(reference, str):
                return found
            self.steps_left -= 1
            if self.steps_left < 0:
                return {}
            if not reference.startswith("#"):
                return {}
            found = table(self._at(reference))
        return {}

    def _at(self, pointer: str) -> Any:
        """What a JSON pointer (RFC 6901) leads to, through references to whole files."""
        target: Any = self.document
        for part in pointer.removeprefix("#").split("/")[1:]:
            key = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(target, list):
                target = target[int(key)] if key.isdecimal() and int(key) < len(target) else None
                continue
            if key not in table(target) and "$ref" in table(target) and self.depth < DEEPEST:
                self.depth += 1
                target = self.resolved(target)
                self.depth -= 1
            target = table(target).get(key)
        return target

    def properties(self, schema: Any, depth: int = 0) -> dict[str, Any]:
        """The properties of an object, also those of the parts that it consists of."""
        found = self.resolved(schema)
        parts = found.get("allOf")
        inherited: dict[str, Any] = {}
        if isinstance(parts, list) and depth < DEEPEST:
            for one in parts[:50]:
                self.values_left -= 1
                if self.values_left > 0:
                    inherited |= self.properties(one, depth + 1)
        return inherited | table(found.get("properties"))

    def sample(self, schema: Any, depth: int = 0) -> Any:
        """A value that fits a schema; None if nothing is known of it."""
        self.values_left -= 1
        if depth > DEEPEST or self.values_left < 0:
            return None
        found = self.resolved(schema)
        given = _given(found)
        if given is not None:
            return given
        for key in ("oneOf", "anyOf"):
            options = found.get(key)
            if isinstance(options, list) and options and "properties" not in found:
                return self.sample(options[0], depth + 1)
        parts = found.get("allOf")
        if isinstance(parts, list):
            return self._all_of(parts, found, depth)
        return self._by_type(found, depth)

    def _all_of(self, parts: list[Any], found: dict[str, Any], depth: int) -> Any:
        values = [self.sample(one, depth + 1) for one in parts[:50]]
        if "properties" in found:
            values.append(self._object(found, depth))
        objects = [one for one in values if isinstance(one, dict)]
        if not objects:
            return next((one for one in values if one is not None), None)
        return {key: value for one in objects for key, value in one.items()}

    def _by_type(self, found: dict[str, Any], depth: int) -> Any:
        kind = found.get("type")
        if isinstance(kind, list):  # 3.1: with "null" among them
            kind = next((one for one in kind if one != "null"), None)
        if kind == "object" or (kind is None and "properties" in found):
            return self._object(found, depth)
        if kind == "array":
            item = self.sample(found.get("items"), depth + 1)
            return [] if item is None else [item]
        if kind in ("integer", "number"):
            return _number(found)
        if kind == "string":
            return self._string(found)
        return True if kind == "boolean" else None

    def _string(self, found: dict[str, Any]) -> str:
        by_format = _BY_FORMAT.get(str(found.get("format")))
        if by_format is not None:
            return by_format
        least, most = _length(found, "minLength", 0), _length(found, "maxLength", LONGEST_TEXT)
        pattern = found.get("pattern")
        if isinstance(pattern, str):
            matching = pattern_sample(unmarked(pattern), least, most)
            if matching is not None:
                return unmarked(matching)  # \ue000 in a pattern is a mark's own character
            self.unmatched_patterns.add(unmarked(pattern)[:100])
        return "text".ljust(least, "x")[:most]

    def _object(self, found: dict[str, Any], depth: int) -> dict[str, Any]:
        properties = table(found.get("properties"))
        required = found.get("required")
        names = (
            [one for one in required if isinstance(one, str)] if isinstance(required, list) else []
        )
        sample = {}
        for name, schema in properties.items():
            one = self.resolved(schema)
            wanted = name in names or not names or _given(one) is not None
            if wanted and one.get("readOnly") is not True and isinstance(name, str):
                value = self.sample(one, depth + 1)
                if value is not None:
                    sample[unmarked(name)] = value
        return sample


def _given(schema: dict[str, Any]) -> Any:
    """The value that a schema states, such as an example."""
    examples = schema.get("examples")
    options = (
        schema.get("example"),
        examples[0] if isinstance(examples, list) and examples else None,
        schema.get("const"),
        schema.get("default"),
        next(iter(schema["enum"]), None) if isinstance(schema.get("enum"), list) else None,
    )
    return unmarked_value(next((one for one in options if one is not None), None))


def _number(schema: dict[str, Any]) -> int | float:
    low = _bound(schema, "minimum", "exclusiveMinimum", 1)
    high = _bound(schema, "maximum", "exclusiveMaximum", -1)
    value = 1 if low is None else low
    if high is not None and value > high:
        value = high if low is None else (low + high) / 2
    return int(value) if schema.get("type") == "integer" and abs(value) < 1e15 else value


def _bound(schema: dict[str, Any], key: str, outside: str, step: int) -> int | float | None:
    """A limit; `outside` excludes it: a number in OpenAPI 3.1, whether `key` is excluded in 3.0."""
    limit, excluded = schema.get(key), schema.get(outside)
    if isinstance(excluded, int | float) and not isinstance(excluded, bool):
        return excluded + step
    if not isinstance(limit, int | float) or isinstance(limit, bool):
        return None
    return limit + step if excluded is True else limit


def _length(schema: dict[str, Any], key: str, otherwise: int) -> int:
    value = schema.get(key)
    return value if isinstance(value, int) and 0 <= value <= LONGEST_TEXT else otherwise
