"""Plays a workload file's steps against a real server, to see whether its captures hold there."""

import json
import re
from typing import Any
from urllib.parse import quote

import jsonpath
import requests
from selectolax.lexbor import LexborHTMLParser

PLACEHOLDER = re.compile(r"\{\{|\{([A-Za-z_]\w*)(?::(\w+))?\}")


class Player:
    """One user, with the cookies and captured values of their own."""

    def __init__(self, target: str, secrets: dict[str, str]) -> None:
        self.target, self.secrets = target, secrets
        self.session = requests.Session()
        self.values: dict[str, str] = {"now_ms": "1700000000000", "uuid": "0"}
        self.played: list[str] = []

    def play(self, workload: dict[str, Any]) -> None:
        for name, value in workload.get("variables", {}).items():
            is_text = isinstance(value, str)
            self.values[name] = value if is_text else self.secrets[value["secret"]]
        for scenario in workload["scenarios"]:
            self.play_all(scenario["steps"])

    def play_all(self, entries: list[dict[str, Any]]) -> None:
        for entry in entries:
            if "page" in entry:
                self.play_all(entry["steps"])
            elif "pause" not in entry:
                self.step(entry)

    def step(self, step: dict[str, Any]) -> None:
        wanted = step.get("expect", 200)
        path = self.text(step["path"], lambda value: quote(value, safe=""))
        sent: dict[str, Any] = {key: self.text(one) for key, one in step.get("headers", {}).items()}
        body: dict[str, Any] = {}
        if "form" in step:
            body["data"] = {key: self.text(one) for key, one in step["form"].items()}
        elif "json" in step:
            body["json"] = self.deep(step["json"])
        elif "multipart" in step:
            body["files"] = {key: self.part(one) for key, one in step["multipart"].items()}
        elif "body" in step:
            body["data"] = self.text(step["body"]).encode()
            sent["Content-Type"] = step.get("content_type", "text/plain")
        reply = self.session.request(
            step["op"].upper(),
            self.target + path,
            headers=sent,
            allow_redirects=not 300 <= wanted < 400,
            timeout=10,
            **body,
        )
        assert reply.status_code == wanted, (step["name"], reply.status_code, reply.text[:300])
        for path in step.get("resources", ()):
            address = self.target + self.text(path, lambda value: quote(value, safe=""))
            assert self.session.get(address, timeout=10).ok, (step["name"], path)
        for name, source in step.get("capture", {}).items():
            self.values[name] = found(reply, source)
        for check in step.get("check", []):
            verify(reply, check)
        self.played.append(step["name"])

    def text(self, text: str, encode=str) -> str:
        return PLACEHOLDER.sub(lambda one: encode(self.values[one[1]]) if one[1] else "{", text)

    def part(self, value: Any):
        if isinstance(value, str):
            return (None, self.text(value))
        return (value["filename"], self.text(value["content"]), value["content_type"])

    def deep(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self.deep(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.deep(one) for one in value]
        if isinstance(value, str):
            whole = PLACEHOLDER.fullmatch(value)
            is_number = whole is not None and whole[2] == "number"
            return json.loads(self.values[whole[1]]) if is_number else self.text(value)
        return value


def found(reply: requests.Response, source: dict[str, Any]) -> str:
    pick = source.get("pick", 1) - 1
    if "json" in source:
        value = [one.value for one in jsonpath.finditer(source["json"], reply.json())][pick]
        return value if isinstance(value, str) else json.dumps(value)
    if "css" in source:
        node = LexborHTMLParser(reply.text).css(source["css"])[pick]
        name = source.get("attribute")
        return node.attributes[name] if name else node.text().strip()
    if "header" in source:
        return reply.headers[source["header"]]
    if "cookie" in source:
        return reply.cookies[source["cookie"]]
    if "regex" in source:
        return list(re.finditer(source["regex"], reply.text))[pick][1]
    assert source.get("of", "body") == "body"
    return reply.text


def verify(reply: requests.Response, check: dict[str, Any]) -> None:
    value = found(reply, check)
    if "equals" in check:
        wanted = check["equals"]
        assert value == (wanted if isinstance(wanted, str) else json.dumps(wanted)), check
    elif "contains" in check:
        assert check["contains"] in value, check
    elif "matches" in check:
        assert re.search(check["matches"], value), check
    elif "lacks" in check:
        assert check["lacks"] not in value, check
    else:
        raise AssertionError(check)
