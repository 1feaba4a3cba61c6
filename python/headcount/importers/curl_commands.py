"""cURL commands, as browsers copy them: parsed as a shell would, and never run."""

import re
import shlex
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit, urlunsplit

from headcount.errors import InputError
from headcount.importers.body_text import FORM
from headcount.importers.exchange import METHODS, Exchange, basic_token, split_url
from headcount.importers.journey import CLOSE, OPEN, File
from headcount.importers.payload import Payload, payload

MOST_COMMANDS = 1000
_WITH_VALUE = {
    "-X": "--request", "-H": "--header", "-d": "--data", "-F": "--form", "-u": "--user",
    "-b": "--cookie", "-A": "--user-agent", "-e": "--referer", "-o": "--output", "-m": "--max-time",
    "-c": "--cookie-jar", "-x": "--proxy", "-w": "--write-out", "-E": "--cert",
    "-T": "--upload-file",
    "-D": "--dump-header", "-r": "--range", "-K": "--config",
}  # fmt: skip
_FLAGS = {
    "-G": "--get", "-I": "--head", "-k": "--insecure", "-L": "--location", "-s": "--silent",
    "-S": "--show-error", "-i": "--include", "-v": "--verbose", "-f": "--fail", "-g": "--globoff",
    "-N": "--no-buffer", "-O": "--remote-name", "-#": "--progress-bar", "-4": "--ipv4",
    "-6": "--ipv6",
}  # fmt: skip
_VALUES = frozenset(_WITH_VALUE.values()) | {
    "--data-raw", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "--url",
    "--form-string", "--connect-timeout", "--retry", "--max-redirs", "--cacert", "--key",
    "--resolve",
    "--oauth2-bearer", "--interface", "--retry-delay", "--proxy-header", "--limit-rate",
    "--url-query",
}  # fmt: skip
_IGNORED = frozenset(_FLAGS.values()) - {"--get", "--head"} | {
    "--compressed", "--http1.1", "--http2", "--http1.0", "--http3", "--fail-with-body",
    "--path-as-is", "--tlsv1.2", "--no-progress-meter", "--location-trusted", "--basic",
    "--ssl-no-revoke",
}  # fmt: skip
_READ_ELSEWHERE = ("--config", "--upload-file")
_QUOTED = re.compile(
    r"""\\.|'[^']*'|"(?:[^"\\]|\\.)*"|\$'(?P<escaped>(?:[^'\\]|\\.)*)'"""
    r"""|(?P<dropped>(?<![^\s;&|])(?:\#[^\n]*|[0-9]?>>?&?[ \t]*[^\s;&|<>'"]+))""",
    re.DOTALL,
)
"""What a shell does not read as plain words: quotes, `$'...'` with escapes, comments, `> file`."""
_ESCAPE = re.compile(
    r"\\(?:u(?P<code>[0-9a-fA-F]{4})|x(?P<byte>[0-9a-fA-F]{1,2})|(?P<other>.))", re.DOTALL
)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\ufffd"}


@dataclass
class _Command:
    """What the options of a command ask for."""

    place: str
    urls: list[str] = field(default_factory=list)
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    parts: list[tuple[str, str | File]] = field(default_factory=list)
    query: list[str] = field(default_factory=list)
    json: bool = False
    get: bool = False
    head: bool = False
    put: bool = False
    files: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Commands:
    """The requests of commands, as if a browser had recorded them without replies."""

    exchanges: tuple[Exchange, ...]
    left_out: tuple[str, ...]


def commands(text: str, what: str) -> Commands:
    """Read one or more commands; `what` names them in errors, which are InputError."""
    found: list[Exchange] = []
    left_out: list[str] = []
    for number, words in enumerate(_split(text, what), 1):
        if number > MOST_COMMANDS:
            raise InputError(f"{what} has more than {MOST_COMMANDS:,} commands; split it")
        command = _command(words, f"{what}, command {number}")
        found += _exchanges(command, len(found))
        left_out += (f"the file {one}, whose contents a request sent" for one in command.files)
    if not found:
        raise InputError(f'{what} has no command; give one such as: curl "https://HOST/path"')
    return Commands(tuple(found), tuple(left_out))


def _split(text: str, what: str) -> list[list[str]]:
    """The words of each command; `;`, `&&`, `&` and ends of lines separate commands."""
    text = text.replace("\\\r\n", " ").replace("\\\n", " ").replace("\r\n", "\n")
    if "^\n" in text:
        raise InputError(f'{what} is for Windows (cmd); choose "Copy as cURL (bash)"')
    lexer = shlex.shlex(_without_comments(text), posix=True, punctuation_chars=";&|\n")
    lexer.commenters = ""  # its own would begin within a word, and take the end of the line along
    lexer.whitespace = " \t"
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError as error:
        raise InputError(f"{what}: a quote is not closed; copy the whole command") from error
    found: list[list[str]] = [[]]
    for token in tokens:
        if token and not token.strip(";&|\n"):
            found.append([])
        else:
            found[-1].append(token)
    return [words for words in found if words]


def _without_comments(text: str) -> str:
    r"""The text without comments and redirections, and with plain quotes for `$'a\nb'`."""
    return _QUOTED.sub(_requoted, text)


def _requoted(found: re.Match[str]) -> str:
    if found["escaped"] is not None:
        word = _ESCAPE.sub(_character, found["escaped"])
        # Browsers write a character outside the first 65,536 as two.
        return shlex.quote(word.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"))
    return "" if found["dropped"] is not None else found[0]


def _character(found: re.Match[str]) -> str:
    digits = found["code"] or found["byte"]
    if digits is None:
        return _ESCAPES.get(found["other"], found["other"])
    code = int(digits, 16)
    return chr(code) if 0 < code < 0x110000 and chr(code) not in (OPEN, CLOSE) else "\ufffd"


def _command(words: list[str], place: str) -> _Command:
    if words[0].rpartition("/")[2] not in ("curl", "curl.exe"):
        raise InputError(
            f'{place} begins with "{words[0][:40]}"; only commands of curl are imported'
        )
    found = _Command(place)
    rest = words[1:]
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word == "-":
            found.urls.append(word)
            continue
        name, value = _option(word, rest, place)
        if value is None:
            found.get |= name == "--get"
            found.head |= name == "--head"
        else:
            _apply(found, name, value)
    if not found.urls:
        raise InputError(f"{place} has no address; copy the whole command")
    return found


def _option(word: str, rest: list[str], place: str) -> tuple[str, str | None]:
    """An option's long name and its value; puts flags that follow in the same word back."""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        if name in _VALUES:
            return name, value if equals else _next(rest, word, place)
        if name in _IGNORED or name in ("--get", "--head"):
            return name, None
    elif word[:2] in _WITH_VALUE:
        return _WITH_VALUE[word[:2]], word[2:] or _next(rest, word, place)
    elif word[:2] in _FLAGS:
        if word[2:]:
            rest.insert(0, f"-{word[2:]}")
        return _FLAGS[word[:2]], None
    raise InputError(f'{place} has "{word[:40]}", which import does not know; take it out')


def _next(rest: list[str], word: str, place: str) -> str:
    if not rest:
        raise InputError(f"{place}: {word} has no value; copy the whole command")
    return rest.pop(0)


def _apply(found: _Command, name: str, value: str) -> None:
    match name:
        case "--request":
            found.method = value.upper()
        case "--url":
            found.urls.append(value)
        case "--header":
            _add_header(found, value)
        case "--user":
            token = b64encode(value.encode("utf-8", "replace")).decode()
            found.headers.append(("Authorization", f"Basic {token}"))
        case "--oauth2-bearer":
            found.headers.append(("Authorization", f"Bearer {value}"))
        case "--cookie":
            found.headers.append(("Cookie", value))
        case "--form" | "--form-string":
            _add_part(found, value, is_plain=name == "--form-string")
        case _ if name in _READ_ELSEWHERE:
            found.files.append(value)
            found.put |= name == "--upload-file"
        case _:
            _add_data(found, name, value)


def _add_header(found: _Command, value: str) -> None:
    key, _, rest = value.partition(":")
    if value.startswith("@"):
        found.files.append(value[1:])
    elif rest.strip():
        found.headers.append((key.strip(), rest.strip()))


def _add_data(found: _Command, name: str, value: str) -> None:
    if name == "--data-urlencode":
        found.data.append(_url_encoded(found, value))
    elif name == "--url-query":
        found.query.append(_url_encoded(found, value))
    elif name in ("--data", "--data-ascii", "--data-raw", "--data-binary", "--json"):
        found.json |= name == "--json"
        if value.startswith("@") and name != "--data-raw":
            found.files.append(value[1:])
            found.data.append("")
        else:
            found.data.append(value)


def _url_encoded(found: _Command, value: str) -> str:
    """A value of --data-urlencode: `content`, `=content`, `name=content`."""
    name, equals, content = value.partition("=")
    if not equals:
        if "@" in value:
            found.files.append(value.partition("@")[2])
            return ""
        return quote(value, safe="")
    return f"{name}={quote(content, safe='')}" if name else quote(content, safe="")


def _add_part(found: _Command, value: str, *, is_plain: bool) -> None:
    name, _, content = value.partition("=")
    if is_plain:
        found.parts.append((name, content))
        return
    if content[:1] not in ("@", "<"):
        found.parts.append((name, _literal_part(content)))
        return
    path, *options = content[1:].split(";")
    kinds = dict(one.partition("=")[::2] for one in options)
    found.files.append(path)
    filename = kinds.get("filename", path.rpartition("/")[2]).strip('"')
    kind = kinds.get("type", "application/octet-stream")
    found.parts.append((name, File(filename, kind, "the contents of the file")))


def _literal_part(content: str) -> str | File:
    """A part given by its value, `value;type=text/csv`; in double quotes it may contain `;`."""
    quoted = re.match(r'"((?:[^"\\]|\\.)*)"(?=;|$)', content, re.DOTALL)
    value = re.sub(r'\\(["\\])', r"\1", quoted[1]) if quoted else content.partition(";")[0]
    options = content[quoted.end() :] if quoted else content[len(value) :]
    kinds = {key.strip(): one for key, _, one in (one.partition("=") for one in options.split(";"))}
    filename = kinds.get("filename")
    if filename is None and "type" not in kinds:
        return value
    return File(filename and filename.strip('"'), kinds.get("type", "text/plain"), value)


def _exchanges(command: _Command, before: int) -> list[Exchange]:
    data = ("" if command.json else "&").join(filter(None, command.data))
    headers = command.headers
    kind = next((value for name, value in headers if name.lower() == "content-type"), "")
    if command.json:
        kind = kind or "application/json"
        if not any(name.lower() == "accept" for name, _ in headers):
            headers = [*headers, ("Accept", "application/json")]
    body = Payload(parts=tuple(command.parts)) if command.parts else Payload()
    if data and not command.get:
        body = payload(data, kind or FORM)
    has_body = body != Payload() or (bool(command.data) and not command.get)
    usual = "HEAD" if command.head else "PUT" if command.put else "POST" if has_body else "GET"
    method = command.method or usual
    if method not in METHODS:
        raise InputError(f'{command.place}: the method "{method[:20]}" cannot be played')
    found = []
    for number, address in enumerate(command.urls, before + 1):
        query = [*command.query, *([data] if command.get and data else [])]
        try:
            parts = split_url(address if "://" in address else f"http://{address}")
        except ValueError as error:
            raise InputError(f"{command.place}: {error}") from error
        token = basic_token(parts)
        has_own = any(name.lower() == "authorization" for name, _ in headers)
        log_on = [("Authorization", f"Basic {token}")] if token and not has_own else []
        if query:
            whole = "&".join([*([parts.query] if parts.query else []), *query])
            parts = urlsplit(urlunsplit(parts._replace(query=whole)))
        found.append(
            Exchange(number, 0.0, 0.0, method, parts, (*headers, *log_on), body, 200, (), "", "")
        )
    return found
