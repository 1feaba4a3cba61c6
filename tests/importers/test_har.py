"""Recordings become journeys that hold on a server with other tokens."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from har_files import entry, written
from player import Player
from shop import PASSWORD
from typer.testing import CliRunner

from command_line import app
from headcount.importers.har import recording
from headcount.importers.journey import Journey
from headcount.importers.recorded_journey import recorded_journey
from headcount.importers.workload_text import source_text, workload_text

RECORDING = Path(__file__).with_name("recordings") / "shop.har"


def imported(path: Path) -> tuple[Journey, dict[str, Any], str]:
    journey = recorded_journey(recording(path), "visit")
    text = workload_text(journey)
    return journey, tomllib.loads(text), text


def steps(workload: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for one in workload["scenarios"][0]["steps"]:
        found += one["steps"] if "page" in one else [one]
    return [one for one in found if "pause" not in one]


def captures(workload: dict[str, Any]) -> dict[str, Any]:
    return {name: one for step in steps(workload) for name, one in step.get("capture", {}).items()}


def test_a_visit_in_chromium_can_be_played_in_a_shop_with_other_tokens(shop_address: str) -> None:
    journey, workload, text = imported(RECORDING)
    player = Player(shop_address, {"VISIT_PASSWORD": PASSWORD})
    player.play(workload)  # every token, session and number differs from those recorded
    assert player.played[-1] == "replace-api-orders"
    assert {one.name for one in journey.correlations} == {
        "csrf_token",
        "visit",
        "sku",
        "access_token",
        "order_id",
    }
    assert PASSWORD not in text
    assert PASSWORD.replace(" ", "+") not in text
    assert workload["variables"]["email"] == "ada@shop.example"


def test_the_journey_fails_in_the_shop_without_its_captures(shop_address: str) -> None:
    _, workload, _ = imported(RECORDING)
    for step in steps(workload):
        if step["name"] == "login":
            step["capture"]["csrf_token"]["css"] = "title"
            del step["capture"]["csrf_token"]["attribute"]
    with pytest.raises(AssertionError, match="log-in"):
        Player(shop_address, {"VISIT_PASSWORD": PASSWORD}).play(workload)


def test_pages_have_their_resources_and_pauses_are_those_of_the_user() -> None:
    _, workload, text = imported(RECORDING)
    entries = workload["scenarios"][0]["steps"]
    assert [one.get("name") for one in entries[:5]] == ["home", None, "login", None, "log-in"]
    assert entries[0]["resources"] == ["/static.css", "/app.js"]
    assert entries[4]["op"] == "post"
    assert entries[4]["resources"] == ["/static.css", "/app.js"]
    pauses = [float(one["pause"][:-1]) for one in entries if "pause" in one]
    assert len(pauses) == 2
    assert pauses[0] >= 1
    assert pauses[1] >= 2
    assert "# leads to /account" in text
    assert "303" not in [str(one.get("expect")) for one in steps(workload)]
    assert "now_ms" in text  # the page's script asked for the time


def test_requests_to_other_hosts_are_left_out_and_counted(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry("/"),
        entry("/track", site="https://ads.example"),
        entry("/track?2", site="https://ads.example"),
        entry("/font", site="https://fonts.example"),
        entry("/socket", site="ws://shop.example", status=101),
        entry("/gone", status=0),
    )
    journey, workload, text = imported(path)
    assert [one["path"] for one in steps(workload)] == ["/"]
    assert "2 requests to https://ads.example, another host" in journey.left_out
    assert "# - 1 request to https://fonts.example, another host" in text
    assert "WebSockets: 1" in journey.left_out
    assert "requests without a reply (cancelled or blocked): 1" in journey.left_out


def test_what_the_user_typed_is_not_captured(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry("/search?q=lamp42x", reply="<p data-query=lamp42x>3 results for lamp42x</p>"),
        entry("/search?q=lamp42x&sort=price"),
    )
    _, workload, _ = imported(path)
    assert captures(workload) == {}
    assert steps(workload)[1]["path"] == "/search?q=lamp42x&sort=price"


@pytest.mark.parametrize("value", ["true", "42", "en-GB", "2026-11-28", "green", "dark blue"])
def test_values_that_are_equal_by_chance_are_not_captured(tmp_path: Path, value: str) -> None:
    sent = json.dumps({"choice": value})
    path = written(
        tmp_path,
        entry("/options", reply={"offered": value}),
        entry("/choose", method="POST", sent=sent, sent_mime="application/json"),
    )
    _, workload, _ = imported(path)
    assert captures(workload) == {}
    assert steps(workload)[1]["json"] == {"choice": value}


def test_a_small_number_is_captured_where_the_name_matches(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry("/api/products", reply={"products": [{"id": 3}, {"id": 7}], "total": 7}),
        entry("/api/products/7"),
        entry(
            "/api/cart",
            method="POST",
            sent='{"product_id": 7, "quantity": 7}',
            sent_mime="application/json",
        ),
    )
    _, workload, _ = imported(path)
    assert captures(workload) == {"product_id": {"json": "$.products[1].id"}}
    assert steps(workload)[1]["path"] == "/api/products/{product_id}"
    assert steps(workload)[2]["json"] == {"product_id": "{product_id:number}", "quantity": 7}


def test_the_latest_reply_before_its_use_gives_a_value(tmp_path: Path) -> None:
    field = '<input type="hidden" name="state" value="Zk3x9-Qw">'
    path = written(
        tmp_path,
        entry("/one", reply=field),
        entry("/two", reply=field),
        entry("/go", method="POST", sent="state=Zk3x9-Qw"),
        entry("/three", reply=field),
    )
    journey, workload, _ = imported(path)
    assert [one.step for one in journey.correlations] == ["two"]
    assert steps(workload)[2]["form"] == {"state": "{state}"}


def test_two_values_with_one_name_get_two_names(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry("/a", reply={"token": "aaaa-1111"}),
        entry("/b", reply={"token": "bbbb-2222"}),
        entry("/c?x=aaaa-1111&y=bbbb-2222"),
    )
    _, workload, _ = imported(path)
    assert steps(workload)[2]["path"] == "/c?x={token}&y={token_2}"


def test_a_cookie_that_a_script_sends_as_a_header_is_captured(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry(
            "/", reply_headers=[("Set-Cookie", "sid=s3cr3t1; Path=/\nXSRF-TOKEN=q9W8e7; Path=/")]
        ),
        entry(
            "/api/save",
            method="POST",
            headers={
                "X-XSRF-TOKEN": "q9W8e7",
                "Cookie": "sid=s3cr3t1; old=1",
                "Sec-Fetch-Mode": "x",
            },
        ),
    )
    journey, workload, text = imported(path)
    assert captures(workload) == {"xsrf_token": {"cookie": "XSRF-TOKEN"}}
    assert steps(workload)[1]["headers"] == {"X-XSRF-TOKEN": "{xsrf_token}"}
    assert "s3cr3t1" not in text
    assert "the cookie old, which no reply of the recording set" in journey.left_out


@pytest.mark.parametrize(
    ("sent", "written_as"),
    [
        ({"headers": {"X-XSRF-TOKEN": "eyJpdiI6=/x9"}}, "{xsrf_token|url-decode}"),
        ({"sent": "_token=eyJpdiI6%3D%2Fx9"}, "{xsrf_token|url-decode}"),
        (
            {"sent": '{"_token": "eyJpdiI6=/x9"}', "sent_mime": "application/json"},
            "{xsrf_token|url-decode|json}",
        ),
    ],
)
def test_a_cookie_that_a_script_sends_decoded_is_captured(
    tmp_path: Path, sent: dict[str, Any], written_as: str
) -> None:
    """As Laravel's pages, Angular and Axios do: `decodeURIComponent(cookie)`."""
    path = written(
        tmp_path,
        entry("/", reply_headers=[("Set-Cookie", "XSRF-TOKEN=eyJpdiI6%3D%2Fx9; Path=/")]),
        entry("/api/save", method="POST", **sent),
    )
    journey, workload, _ = imported(path)
    assert captures(workload) == {"xsrf_token": {"cookie": "XSRF-TOKEN"}}
    step = steps(workload)[1]
    values = [*step.get("headers", {}).values(), *step.get("form", {}).values()]
    assert [*values, *step.get("json", {}).values()] == [written_as]
    (correlation,) = journey.correlations
    assert source_text(correlation.source) == "cookie XSRF-TOKEN, without percent-encoding"
    assert journey.left_out == []


@pytest.mark.parametrize("version", ['"3"', '"3f80f-1b6-3e1cb03b"', 'W/"0815"'])
def test_a_change_names_the_version_that_was_read(tmp_path: Path, version: str) -> None:
    path = written(
        tmp_path,
        entry("/api/notes/9", reply={"title": "a"}, reply_headers=[("ETag", version)]),
        entry("/api/notes/9", method="PUT", headers={"If-Match": version, "If-None-Match": "x"}),
    )
    _, workload, _ = imported(path)
    assert captures(workload) == {"etag": {"header": "ETag"}}
    assert steps(workload)[1]["headers"] == {"If-Match": "{etag}"}


def test_a_change_names_the_time_of_what_was_read(tmp_path: Path) -> None:
    time = "Sat, 28 Nov 2026 08:12:31 GMT"
    path = written(
        tmp_path,
        entry("/api/notes/9", reply={"title": "a"}, reply_headers=[("Last-Modified", time)]),
        entry("/api/notes/9", method="PUT", headers={"If-Unmodified-Since": time}),
    )
    _, workload, _ = imported(path)
    assert captures(workload) == {"last_modified": {"header": "Last-Modified"}}
    assert steps(workload)[1]["headers"] == {"If-Unmodified-Since": "{last_modified}"}


def test_a_link_among_others_is_found_by_its_number(tmp_path: Path) -> None:
    reply = "".join(f'<li><a href="/orders/{one}">open</a></li>' for one in (90011, 90012, 90013))
    path = written(tmp_path, entry("/orders", reply=reply), entry("/orders/90012"))
    _, workload, _ = imported(path)
    (capture,) = captures(workload).values()
    assert capture["pick"] == 2
    assert steps(workload)[1]["path"] == "/orders/{order_id}"


def test_a_redirect_whose_cookie_is_needed_stays_a_step(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry(
            "/start",
            status=302,
            reply_headers=[("Location", "/next"), ("Set-Cookie", "csrf=Xy12345; Path=/")],
        ),
        entry("/next"),
        entry("/save", method="POST", headers={"X-CSRF": "Xy12345"}),
    )
    _, workload, _ = imported(path)
    assert [(one["path"], one.get("expect")) for one in steps(workload)] == [
        ("/start", 302),
        ("/next", None),
        ("/save", None),
    ]


def test_keys_that_no_reply_gave_come_from_the_environment(tmp_path: Path) -> None:
    path = written(tmp_path, entry("/api", reply={}, headers={"X-Api-Key": "k-93nf03"}))
    _, workload, text = imported(path)
    assert "k-93nf03" not in text
    assert workload["variables"]["api_key"] == {"secret": "VISIT_API_KEY"}
    assert steps(workload)[0]["headers"] == {"X-Api-Key": "{api_key}"}


def test_a_password_is_not_written_where_it_comes_again(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        entry("/register", method="POST", sent="user=ada&password=Tr0ub4dor&password2=Tr0ub4dor"),
        entry("/check?old=Tr0ub4dor"),
        entry("/xml", method="POST", sent="<p>Tr0ub4dor</p>", sent_mime="text/xml"),
    )
    _, workload, text = imported(path)
    assert "Tr0ub4dor" not in text
    assert steps(workload)[0]["form"] == {
        "user": "{user}",
        "password": "{user_password}",
        "password2": "{user_password}",
    }
    assert steps(workload)[1]["path"] == "/check?old={user_password}"


def test_a_token_that_no_reply_gave_is_listed(tmp_path: Path) -> None:
    path = written(tmp_path, entry("/a", method="POST", sent="csrf=4f1c09ab77de2210&note=short"))
    journey, _, text = imported(path)
    assert journey.left_out == [
        "post-a: form csrf is sent as recorded: no reply contains it",
    ]
    assert "# - post-a: form csrf" in text


def test_a_redirect_to_what_is_not_an_address_is_a_step(tmp_path: Path) -> None:
    to = [("Location", "http://[bad")]
    path = written(tmp_path, entry("/a", status=302, reply_headers=to), entry("/b"))
    _, workload, _ = imported(path)
    assert [one.get("expect") for one in steps(workload)] == [302, None]


def test_parts_of_a_form_are_read(tmp_path: Path) -> None:
    sent = (
        '--b\r\nContent-Disposition: form-data; name="token"\r\n\r\nt0k3n-9\r\n'
        '--b\r\nContent-Disposition: form-data; name="photo"; filename="a.txt"\r\n'
        "Content-Type: text/plain\r\n\r\nhello {world}\r\n--b--\r\n"
    )
    path = written(
        tmp_path,
        entry("/form", reply='<input type=hidden name="token" value="t0k3n-9">'),
        entry("/up", method="POST", sent=sent, sent_mime="multipart/form-data; boundary=b"),
    )
    _, workload, _ = imported(path)
    photo = {"filename": "a.txt", "content_type": "text/plain", "content": "hello {{world}"}
    assert steps(workload)[1]["multipart"] == {"token": "{token}", "photo": photo}


def test_the_command_shows_what_was_captured(tmp_path: Path) -> None:
    output = tmp_path / "shop.toml"
    asked = ["import", "har", str(RECORDING), "-o", str(output)]
    shown = CliRunner().invoke(app, [*asked, "--json"])
    assert shown.exit_code == 0, shown.output
    answer = json.loads(shown.stdout)
    token = next(one for one in answer["correlations"] if one["name"] == "access_token")
    assert token["captured_from"] == {"step": "post-api-token", "json": "$.auth.access_token"}
    assert "api-articles: header Authorization" in token["used_in"]
    assert tomllib.loads(output.read_text("utf-8"))["name"] == "shop"
    table = CliRunner().invoke(app, asked, env={"COLUMNS": "200"})
    assert "captured from" in table.stdout
    assert "post-api-token: json $.auth.access_token" in table.stdout
