"""What recordings of real applications need so that they replay: each case is from one of them."""

import tomllib
from base64 import b64encode
from email import message_from_bytes
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus

import pytest
from har_files import entry, written

from headcount.importers.har import recording
from headcount.importers.journey import Journey
from headcount.importers.recorded_journey import recorded_journey
from headcount.importers.workload_text import workload_text

BASIC = {"Authorization": f"Basic {b64encode(b'ada:open sesame').decode()}"}
FORM = "application/x-www-form-urlencoded"
ASKED = [("WWW-Authenticate", 'Basic realm="files"')]
MADE = "e03d5fdf-2a02-7d98-9b5e-ece542c04a3e"


def imported(folder: Path, *entries: dict[str, Any]) -> tuple[Journey, list[dict[str, Any]], str]:
    journey = recorded_journey(recording(written(folder, *entries)), "visit")
    text = workload_text(journey)
    return journey, tomllib.loads(text)["scenarios"][0]["steps"], text


def test_a_page_that_leads_elsewhere_follows_its_redirect(tmp_path: Path) -> None:
    to = [("Location", "/home")]
    _, steps, _ = imported(
        tmp_path, entry("/", status=302, reply_headers=to), entry("/home"), entry("/about")
    )
    assert [(one["path"], one.get("redirects")) for one in steps] == [("/", 10), ("/about", None)]


def test_http_log_on_is_left_to_the_user(tmp_path: Path) -> None:
    journey, steps, text = imported(
        tmp_path,
        entry("/", status=401, reply_headers=ASKED),
        entry("/", headers=BASIC),
        entry("/hello.txt", headers=BASIC),
    )
    assert [(one["path"], one.get("headers")) for one in steps] == [
        ("/", None),
        ("/hello.txt", None),
    ]
    assert journey.log_on == "ada"
    assert "# headcount run visit.toml --target http://shop.example --user ada" in text
    assert "HEADCOUNT_PASSWORD" in text
    assert "sesame" not in text
    assert BASIC["Authorization"] not in text


def test_a_log_on_with_digest_is_left_to_the_user(tmp_path: Path) -> None:
    asked = [("WWW-Authenticate", 'Digest realm="files", nonce="n1", qop="auth"')]
    answer = 'Digest username="ada \\"x\\"", realm="files", nonce="n1", uri="/", response="c0ffee"'
    journey, steps, text = imported(
        tmp_path,
        entry("/", status=401, reply_headers=asked),
        entry("/", headers={"Authorization": answer}),
    )
    assert [(one["path"], one.get("headers"), one.get("expect")) for one in steps] == [
        ("/", None, None)
    ]
    assert journey.log_on == 'ada "x"'
    assert tomllib.loads(text)["client"] == {"auth": "digest"}
    assert "c0ffee" not in text


def test_a_log_on_in_the_address_is_left_to_the_user(tmp_path: Path) -> None:
    journey, steps, text = imported(tmp_path, entry("/", site="http://ada:sesame@shop.example"))
    assert (journey.log_on, steps[0]["path"]) == ("ada", "/")
    assert "sesame" not in text


def test_a_number_that_the_page_made_is_new_in_each_visit(tmp_path: Path) -> None:
    _, steps, _ = imported(
        tmp_path,
        entry("/ada/", method="PROPFIND", status=207, sent="<propfind/>", sent_mime="text/xml"),
        entry(f"/calendars/{MADE}/", method="MKCOL", status=201),
        entry("/api", method="POST", sent=f'{{"id": "{MADE}"}}', sent_mime="application/json"),
    )
    assert steps[0] == {"set": {"calendar_id": "{uuid}"}}
    assert [one["op"] for one in steps[1:]] == ["propfind", "mkcol", "post"]
    assert steps[2]["path"] == "/calendars/{calendar_id}/"
    assert steps[3]["json"] == {"id": "{calendar_id}"}


def test_a_reply_names_the_comment_it_answers(tmp_path: Path) -> None:
    mime = "application/json"
    _, steps, _ = imported(
        tmp_path,
        entry("/"),
        entry(
            *("/new",), method="POST", sent='{"text": "a", "parent": null, "notify": 0}',
            sent_mime=mime, status=201, reply={"id": 1, "parent": None, "notify": 0},
        ),
        entry(
            *("/new",), method="POST", sent='{"text": "b", "parent": 1, "notify": 0}',
            sent_mime=mime,
        ),
    )  # fmt: skip
    assert steps[1]["capture"] == {"new_id": {"json": "$.id"}}
    assert steps[2]["json"] == {"text": "b", "parent": "{new_id:number}", "notify": 0}


def test_a_new_record_is_found_by_the_sentence_that_names_it(tmp_path: Path) -> None:
    links = "".join(f"<a href='?edit=book&where%5Bid%5D={n}'>edit</a>" for n in (1, 2, 3))
    _, steps, _ = imported(
        tmp_path,
        entry("/?new", method="POST", status=302, reply_headers=[("Location", "/?list")]),
        entry("/?list", reply=f"<p>Item 2 has been inserted.</p>{links}"),
        entry("/?edit=book&where%5Bid%5D=2"),
    )
    assert steps[0]["capture"] == {"where_id": {"regex": r"Item (\d+) has been"}}
    assert steps[1]["path"] == "/?edit=book&where%5Bid%5D={where_id}"


def test_the_last_of_a_list_stays_the_last(tmp_path: Path) -> None:
    links = "".join(f"<a href='?edit=book&where%5Bid%5D={n}'>edit</a>\n" for n in (1, 2, 3))
    _, steps, _ = imported(
        tmp_path, entry("/?list", reply=links), entry("/?edit=book&where%5Bid%5D=3")
    )
    assert steps[0]["capture"]["where_id"]["pick"] == "last"


def test_files_that_the_browser_did_not_record_are_listed(tmp_path: Path) -> None:
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    journey, steps, _ = imported(
        tmp_path, entry("/form"), entry("/up", method="POST", headers=kind)
    )
    (line,) = journey.left_out
    assert "the body of post-up, a form with files" in line
    assert "headcount record" in line
    assert "headers" not in steps[1]


def form(*names: str) -> str:
    """What Chromium records of a form whose files have these names."""
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n'
        "Content-Type: text/plain\r\n\r\n\r\n"
        for field, name in zip("fgh", names, strict=False)
    ]
    return "".join(parts) + "--b--\r\n"


@pytest.mark.parametrize(
    ("names", "sizes", "instead"),
    [
        (("a.txt",), (200,), (200,)),
        (("a.txt", "", "b.txt"), (101, 0, 100), (101, 0, 100)),
        (("big.bin",), (5_000_000,), (65_536,)),
    ],
)
def test_files_without_contents_are_as_long_as_they_were(
    tmp_path: Path, names: tuple[str, ...], sizes: tuple[int, ...], instead: tuple[int, ...]
) -> None:
    kind, text = "multipart/form-data; boundary=b", form(*names)
    length = {"Content-Type": kind, "Content-Length": str(len(text) + sum(sizes))}
    up = entry("/up", method="POST", headers=length, sent=text, sent_mime=kind)
    journey, steps, _ = imported(tmp_path, entry("/form"), up)
    found = tuple(len(one["content"]) for one in steps[1]["multipart"].values())
    assert found == instead
    named = [name for name in names if name]
    lines = [
        f"the {size:,} bytes of {name}, which"
        for size, name in zip(sizes, names, strict=True)
        if name
    ]
    assert len(journey.left_out) == len(named)
    assert all(one in line for one, line in zip(lines, journey.left_out, strict=True))


def test_complete_files_stay(tmp_path: Path) -> None:
    kind, text = "multipart/form-data; boundary=b", form("a.txt")
    text = text.replace("plain\r\n\r\n", "plain\r\n\r\nwhole")
    length = {"Content-Type": kind, "Content-Length": str(len(text))}
    up = entry("/up", method="POST", headers=length, sent=text, sent_mime=kind)
    journey, steps, _ = imported(tmp_path, entry("/form"), up)
    assert steps[1]["multipart"]["f"]["content"] == "whole"
    assert journey.left_out == []


def test_a_file_is_moved_to_a_path(tmp_path: Path) -> None:
    to = {"Destination": "http://shop.example/b.txt"}
    _, steps, _ = imported(tmp_path, entry("/a.txt", method="MOVE", status=201, headers=to))
    assert steps[0]["headers"] == {"Destination": "/b.txt"}


def test_an_id_that_a_redirect_names_is_captured(tmp_path: Path) -> None:
    to = [("Location", "/issue1?@template=item")]
    _, steps, _ = imported(
        tmp_path,
        entry("/issue", method="POST", sent="title=a", status=302, reply_headers=to),
        entry("/issue1?@template=item", reply='<form method=post action="issue1">'),
        entry("/issue1", method="POST", sent="note=b"),
    )
    assert steps[0]["capture"] == {"id": {"regex": r'action="([\w-]+)"'}}
    assert steps[1]["path"] == "/{id}"


def test_each_visit_begins_without_cookies(tmp_path: Path) -> None:
    given = [("Set-Cookie", "sid=1; Path=/")]
    assert (
        'client = { new_visitors = "on" }' in imported(tmp_path, entry("/", reply_headers=given))[2]
    )
    assert "new_visitors" not in imported(tmp_path, entry("/"))[2]


def test_a_small_number_that_a_redirect_names_is_captured(tmp_path: Path) -> None:
    to = [("Location", "/ticket/1")]
    _, steps, _ = imported(
        tmp_path,
        entry("/newticket", method="POST", sent="title=a", status=302, reply_headers=to),
        entry("/ticket/1", reply='<a href="/ticket/1">#1</a>'),
        entry("/ticket/1", method="POST", sent="note=b"),
    )
    assert steps[1]["path"] == "/ticket/{ticket_id}"


def test_a_token_in_a_form_that_is_a_text_of_json_is_found(tmp_path: Path) -> None:
    form = '<input type="hidden" name="csrf" value="WAKu6yawMaSyxLIa61haiBb1">'
    _, steps, _ = imported(
        tmp_path,
        entry("/"),
        entry("/up", method="POST", reply={"form": form}),
        entry("/save", method="POST", sent="csrf=WAKu6yawMaSyxLIa61haiBb1"),
    )
    assert steps[2]["form"] == {"csrf": "{csrf}"}


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        ("doc-7-title=a&doc-7-tags=&token=x", ["doc-{doc_id}-title", "doc-{doc_id}-tags", "token"]),
        ("form-0-title=a&form-7-title=b", ["form-0-title", "form-7-title"]),
        ("doc-8-title=a", ["doc-8-title"]),
        ("title7=a", ["title7"]),
    ],
)
def test_an_id_in_names_of_fields_is_that_of_the_path(
    tmp_path: Path, sent: str, names: list[str]
) -> None:
    _, steps, _ = imported(
        tmp_path,
        entry("/docs", method="POST", reply={"doc_id": 7}),
        entry("/docs/7/", method="POST", sent=sent, sent_mime=FORM),
    )
    assert steps[1]["path"] == "/docs/{doc_id}/"
    assert list(steps[1]["form"]) == names


def test_a_form_whose_field_comes_twice_hides_the_password(tmp_path: Path) -> None:
    given = "aB3+/dEf9kLm=="
    page = f'<form><input name="authenticity_token" value="{given}"></form>'
    sent = f"authenticity_token={quote_plus(given)}&tag=a+b&tag=%7Bc&password=hunter22"
    _, steps, text = imported(
        tmp_path, entry("/login", reply=page), entry("/login", method="POST", sent=sent)
    )
    assert "hunter22" not in text
    assert steps[1]["body"] == (
        "authenticity_token={authenticity_token|url}&tag=a+b&tag=%7Bc&password={user_password|url}"
    )
    assert steps[1]["content_type"] == "application/x-www-form-urlencoded"


def test_parts_with_one_name_are_all_sent(tmp_path: Path) -> None:
    params = [
        {"name": "note", "value": "one"},
        {"name": "note", "value": "two"},
        {"name": "scan", "fileName": "a.pdf", "contentType": "application/pdf", "value": "%PDF"},
        {"name": "password", "value": "hunter22"},
    ]
    up = entry("/up", method="POST", sent="-")
    up["request"]["postData"] = {"mimeType": "multipart/form-data; boundary=b", "params": params}
    _, steps, text = imported(tmp_path, entry("/form"), up)
    assert "hunter22" not in text
    head = f"Content-Type: {steps[1]['content_type']}\r\n\r\n".encode()
    message = message_from_bytes(head + steps[1]["body"].encode())
    found = [part for part in message.walk() if not part.is_multipart()]
    assert [one.get_param("name", header="content-disposition") for one in found] == [
        *("note", "note", "scan", "password"),
    ]
    assert [one.get_payload() for one in found] == ["one", "two", "%PDF", "{user_password}"]
    assert found[2].get_filename() == "a.pdf"


@pytest.mark.parametrize("kind", [FORM, "text/plain;charset=UTF-8", ""])
def test_json_of_another_type_hides_the_password(tmp_path: Path, kind: str) -> None:
    sent = '{"email": "ada@a.example", "password": "hunter22"}'
    _, steps, text = imported(
        tmp_path, entry("/api/login", method="POST", sent=sent, sent_mime=kind)
    )
    assert "hunter22" not in text
    assert steps[0]["body"] == '{"email": "{email}", "password": "{user_password}"}'
    assert steps[0].get("content_type", "") == kind


def test_a_word_that_is_not_a_form_is_sent_as_it_is(tmp_path: Path) -> None:
    _, steps, _ = imported(tmp_path, entry("/ping", method="POST", sent="hello"))
    assert steps[0]["body"] == "hello"


@pytest.mark.parametrize(
    ("method", "address", "reason"),
    [
        ("GET", "chrome://new-tab-page/", "addresses inside the browser"),
        ("GET", "safari-web-extension://AB/x.js", "addresses inside the browser"),
        ("GET", "file:///home/ada/start.html", "addresses inside the browser"),
        ("CONNECT", "shop.example:443", "requests with the method CONNECT"),
    ],
)
def test_what_is_not_a_request_to_a_server_is_left_out(
    tmp_path: Path, method: str, address: str, reason: str
) -> None:
    journey, steps, _ = imported(tmp_path, entry(address, method=method, site=""), entry("/a"))
    assert [step["path"] for step in steps] == ["/a"]
    assert journey.left_out == [f"{reason}: 1"]


def test_a_part_of_a_video_stays_a_part(tmp_path: Path) -> None:
    part = {"headers": {"Range": "bytes=0-99", "If-Range": "x"}, "mime": "video/mp4"}
    _, steps, _ = imported(
        tmp_path, entry("/a"), entry("/b.mp4", status=206, **part), entry("/c.mp4", **part)
    )
    (page,) = steps
    (video,) = page["steps"][1:]
    assert (video["path"], video["expect"]) == ("/b.mp4", 206)
    assert video["headers"] == {"Range": "bytes=0-99"}
    assert page["steps"][0]["resources"] == ["/c.mp4"]
