"""nginx's configuration: what is read of any text, and that editing leaves the rest as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import InputError
from headcount.tune.servers.nginx_text import directives, inserted, replaced

TEXT = """\
# a comment with { and ; in it
user www-data;worker_processes 4; # two in a line
events { worker_connections 768; }
http {
    log_format main '$remote_addr "$request" ; {'
                    "$status";
    map $uri $name { default "a;b"; ~^/x\\;y  2; }
    server { listen 80 default_server; location ~ ^/(a|b)\\{2\\}$ { return 200 "}"; } }
}
"""


def test_directives_are_found_with_their_blocks() -> None:
    found = [(one.context, one.name, one.words) for one in directives(TEXT)]
    assert found[:4] == [
        ("", "user", ("www-data",)),
        ("", "worker_processes", ("4",)),
        ("", "events", ()),
        ("events", "worker_connections", ("768",)),
    ]
    assert ("http", "log_format", ("main", '$remote_addr "$request" ; {', "$status")) in found
    assert ("http map", "default", ("a;b",)) in found
    assert ("http server", "listen", ("80", "default_server")) in found
    assert ("http server location", "return", ("200", "}")) in found


LUA = """\
http {
    init_by_lua_block { t = { a = "}" } -- it's {
        --[==[ { ]] ]==] s = [[ ' { ]] u = 'it\\'s {' }
    server { set_by_lua_block $x { return 1 } listen 80; content_by_lua_block { ngx.say('a;b') } }
}
"""


def test_programs_in_lua_are_passed_over() -> None:
    found = [(one.context, one.name, one.words) for one in directives(LUA)]
    assert found == [
        ("", "http", ()),
        ("http", "init_by_lua_block", ()),
        ("http", "server", ()),
        ("http server", "set_by_lua_block", ("$x",)),
        ("http server", "listen", ("80",)),
        ("http server", "content_by_lua_block", ()),
    ]
    with pytest.raises(InputError, match="a block of Lua is not closed"):
        list(directives("a_by_lua_block { x = '}' "))


def test_a_directive_is_replaced_and_nothing_else() -> None:
    found = next(one for one in directives(TEXT) if one.name == "worker_processes")
    assert replaced(TEXT, found, "worker_processes auto;") == TEXT.replace(
        "worker_processes 4;", "worker_processes auto;"
    )


@pytest.mark.parametrize(
    ("context", "before", "after"),
    [
        ("", "# a comment with", "sendfile on;\n# a comment with"),
        ("http", "http {", "http {\nsendfile on;"),
        ("http server", "server {", "server {\nsendfile on;"),
    ],
)
def test_a_directive_is_put_into_its_block(context: str, before: str, after: str) -> None:
    assert inserted(TEXT, context, "sendfile on;") == TEXT.replace(before, after, 1)


def test_there_is_no_such_block() -> None:
    assert inserted(TEXT, "stream", "x on;") is None


@pytest.mark.parametrize(
    "text", ["http {", "}", "a b", "a 'b;", ";", "a { b; ", "a ${b;", "{ }", "http { } }"]
)
def test_a_broken_text_is_an_error(text: str) -> None:
    with pytest.raises(InputError):
        list(directives(text))


WORDS = st.from_regex(r"[a-z0-9_/:.=$]{1,12}", fullmatch=True)


@st.composite
def configurations(draw: st.DrawFn, depth: int = 0) -> str:
    """Directives and blocks, with comments and blanks between."""
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        words = draw(st.lists(WORDS, min_size=1, max_size=4))
        blank = draw(st.sampled_from([" ", "\n", "\t\n  ", " # x;{}\n"]))
        text = " ".join(words)
        if depth < 2 and draw(st.booleans()):
            parts.append(f"{blank}{text} {{{draw(configurations(depth + 1))}\n}}")
        else:
            parts.append(f"{blank}{text};")
    return "".join(parts)


@given(configurations(), st.data())
def test_any_directive_can_be_replaced(text: str, data: st.DataObject) -> None:
    found = [one for one in directives(text) if not one.is_block]
    if not found:
        return
    one = data.draw(st.sampled_from(found))
    edited = replaced(text, one, "changed to;")
    kept = [(x.context, x.name, x.words) for x in directives(text)]
    new = [(x.context, x.name, x.words) for x in directives(edited)]
    place = kept.index((one.context, one.name, one.words))
    at = [x.start for x in directives(text)].index(one.start)
    assert place <= at
    assert new == [*kept[:at], (one.context, "changed", ("to",)), *kept[at + 1 :]]


@given(st.text(alphabet="ab{};\"'\\#$ \n", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = list(directives(text))
    except InputError:
        return
    assert all(0 <= one.start < one.end <= len(text) for one in found)
