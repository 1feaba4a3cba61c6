"""Users with access tokens of a real authorization server (Authlib)."""

import json
import re
import socket
import ssl
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.lab import certificate
from processes import Ended, Headcount
from token_site import CLIENT, SECRET, TokenSite, served, served_apart

WORKLOAD = """
name = "orders"
title = "Orders"
protocol = "http"
criteria = ["errors<1%"]
pace = {{ kind = "closed", time = {{ draw = "fixed", mean = "0.1s" }} }}
run = {{ duration = "5s" }}

[oauth2]
{oauth2}

[[scenarios]]
name = "look"
weight = 1
limit = "5s"
steps = [{steps}]
"""
JOURNEY = Path(__file__).resolve().parents[2] / "examples" / "journeys" / "oauth2-orders.toml"
ORDERS = '{ name = "orders", op = "get", path = "/orders" }'
CLIENT_GRANT = f"""
token_url = "/oauth/token"
grant = "client-credentials"
client_id = "{CLIENT}"
client_secret = {{ secret = "SHOP_SECRET" }}
"""
PASSWORD_GRANT = CLIENT_GRANT.replace("client-credentials", "password")
ANY = {"SHOP_SECRET": "not asked for"}
LEVEL = ("--ramp", "0s", "--settle", "0s", "--no-trial", "--json")


@pytest.fixture
def site() -> Iterator[tuple[TokenSite, str]]:
    """An application that takes tokens and gives them, and its address."""
    site = TokenSite()
    with served(site) as url:
        yield site, url


def workload(folder: Path, oauth2: str, steps: str = ORDERS) -> str:
    """A workload file whose users have tokens."""
    file = folder / "orders.toml"
    file.write_text(WORKLOAD.format(oauth2=oauth2, steps=steps), "utf-8")
    return str(file)


def tried(headcount: Headcount, file: str, url: str, *options: str, secret: str = SECRET) -> Ended:
    """One user's try."""
    return headcount.run("try", file, "--target", url, *options, SHOP_SECRET=secret)


def level_of(headcount: Headcount, file: str, url: str, users: str, *options: str) -> dict:
    """A level of this many users, from its bundle."""
    more = ("--users", users, *LEVEL, *options)
    done = headcount.run("run", file, "--target", url, *more, SHOP_SECRET=SECRET)
    assert done.code == 0, done.out + done.err
    folder = Path(done.json["bundle"])
    for path in folder.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes(), path
    return json.loads((folder / "levels.json").read_bytes())["levels"][0]


@pytest.mark.parametrize("auth", ["basic", "body"])
def test_a_client_gets_a_token_and_nothing_shows_it(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path, auth: str
) -> None:
    application, url = site
    echo = '{ name = "echo", op = "get", path = "/open?token={access_token}"'
    steps = f'{ORDERS}, {echo}, capture = {{ sent = {{ json = "$.sent" }} }} }}'
    file = workload(tmp_path, CLIENT_GRANT + f'auth = "{auth}"\nscope = "read"\n', steps)
    for more in ((), ("--json",), ("--bodies",)):
        done = tried(headcount, file, url, *more)
        assert done.code == 0, done.out + done.err
        user, token = application.seen[-1]
        assert user == CLIENT
        for secret in (SECRET, token):
            assert secret not in done.out + done.err
    assert "setup / token" in done.out
    assert "> POST /oauth/token" in done.out
    assert '"access_token": "***"' in done.out
    assert "{sent} = Bearer ***" in done.out
    assert ("client_secret" in application.bodies[-1]) == (auth == "body")
    assert application.bodies[-1]["scope"] == "read"
    shown = headcount.run("workloads", "show", file).out
    assert "access tokens of /oauth/token (client-credentials): each user has one" in shown


def test_an_answer_with_the_token_in_it_is_kept_without_it(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    application, url = site
    file = workload(
        tmp_path, CLIENT_GRANT, '{ name = "echo", op = "get", path = "/open?status=409" }'
    )
    options = ("--users", "1", "--duration", "2s", *LEVEL)
    done = headcount.run("run", file, "--target", url, *options, SHOP_SECRET=SECRET)
    assert done.code == 1, done.out + done.err
    files = [path for path in Path(done.json["bundle"]).rglob("*") if path.is_file()]
    kept = b"".join(path.read_bytes() for path in files)
    assert b"status 409 Conflict instead of 200" in kept
    assert b"Bearer ***" in kept
    assert application.access_tokens
    assert not any(token.encode() in kept for token in application.access_tokens)


def test_each_user_logs_on_and_its_tokens_are_renewed_before_they_end(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    application, url = site
    names = ("ada", "grace", "edsger")
    people = tmp_path / "people.csv"
    rows = [f"{name},{name[::-1]}" for name in names]
    people.write_text("\n".join(["username,password", *rows]), "utf-8")
    people.chmod(0o600)
    level = level_of(
        headcount, workload(tmp_path, PASSWORD_GRANT), url, "3", "--logins", str(people)
    )
    assert level["scenarios"][0]["failed"] == 0
    # Each refresh token works once, so a user who took another's would be refused.
    asked = Counter(application.asked)
    for name in names:
        assert asked["password", name] == 1
        assert asked["refresh_token", name] >= 2
    assert {user for user, _ in application.seen} == set(names)
    assert application.refused == 0
    assert "token" in {step["name"] for step in level["steps"]}
    assert level["requests"]["POST"] >= 3


def test_the_example_is_played(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    application, url = site
    people = tmp_path / "people.csv"
    people.write_text("username,password\nbob,ada\n", "utf-8")
    wrong = tried(headcount, str(JOURNEY), url, "--logins", str(people))
    people.write_text("username,password\ngrace,ecarg\n", "utf-8")
    done = tried(headcount, str(JOURNEY), url, "--logins", str(people))
    assert done.code == 0, done.out + done.err
    assert application.seen[-1][0] == "grace"
    assert "ecarg" not in done.out + done.err
    assert wrong.code != 0
    assert "no token: invalid_grant; check the user's name and password" in wrong.out


def test_a_revoked_token_is_replaced_once(headcount: Headcount, tmp_path: Path) -> None:
    application = TokenSite(life_s=3600)
    revoked = []

    def revoke_first() -> None:
        # After the first answer: the next request comes with a revoked token.
        if application.seen and not revoked:
            revoked.append(application.seen[-1])
            application.revoke()

    application.both.before_request(revoke_first)
    with served(application) as url:
        steps = f"{ORDERS}, {ORDERS.replace('orders', 'again', 1)}"
        done = tried(headcount, workload(tmp_path, CLIENT_GRANT, steps), url)
    assert done.code == 0, done.out + done.err
    assert application.refused == 1
    assert [grant for grant, _ in application.asked] == ["client_credentials"] * 2
    assert len({token for _, token in application.seen}) == 2
    assert "< 401" in done.out


def test_a_server_that_refuses_every_token_is_asked_only_twice(
    headcount: Headcount, tmp_path: Path
) -> None:
    application = TokenSite(life_s=3600)
    application.both.before_request(application.revoke)
    with served(application) as url:
        done = tried(headcount, workload(tmp_path, CLIENT_GRANT), url)
    assert done.code != 0
    assert "status 401 Unauthorized" in done.out
    assert application.refused == 2
    assert len(application.asked) == 2


def test_users_share_one_token(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    application, url = site
    file = workload(tmp_path, CLIENT_GRANT + 'share = "all"\n')
    level = level_of(headcount, file, url, "8")
    assert level["scenarios"][0]["failed"] == 0
    assert application.refused == 0
    # One at first, and one each 1.8 s of a level of 5 s and of what follows it.
    assert 2 <= len(application.asked) <= 6
    assert len(application.seen) > 8


def test_a_user_begins_with_a_refresh_token_of_its_own(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    application, url = site
    rows = [application.first_refresh_token(user) for user in ("ada", "grace")]
    (tmp_path / "first.csv").write_text("\n".join(["token", *rows]), "utf-8")
    oauth2 = CLIENT_GRANT.replace("client-credentials", "refresh-token")
    oauth2 += """refresh_token = "{first.token}"
[variables]
first = { file = "first.csv", order = "unique", each = "user" }
"""
    level = level_of(headcount, workload(tmp_path, oauth2), url, "2")
    assert level["scenarios"][0]["failed"] == 0
    assert {grant for grant, _ in application.asked} == {"refresh_token"}
    assert {user for user, _ in application.seen} == {"ada", "grace"}


def test_the_token_server_may_be_another(headcount: Headcount, tmp_path: Path) -> None:
    application = TokenSite()
    with served_apart(application) as (url, tokens):
        oauth2 = CLIENT_GRANT.replace('"/oauth', f'"{tokens}oauth')
        file = workload(tmp_path, oauth2)
        done = tried(headcount, file, url)
        assert done.code == 0, done.out + done.err
        assert "> POST /oauth/token" in done.out
        level = level_of(headcount, file, url, "2")
    assert level["scenarios"][0]["failed"] == 0
    assert application.refused == 0


def test_a_token_server_of_another_authority_is_trusted_on_demand(
    headcount: Headcount, tmp_path: Path
) -> None:
    certificate.make(tmp_path)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / certificate.CERTIFICATE, tmp_path / certificate.KEY)
    application = TokenSite()
    with served_apart(application, tls) as (url, tokens):
        assert tokens.startswith("https://")
        file = workload(tmp_path, CLIENT_GRANT.replace('"/oauth', f'"{tokens}oauth'))
        stranger = tried(headcount, file, url)
        trust = ("--client", f"verify_certificates={tmp_path / certificate.AUTHORITY}")
        done = tried(headcount, file, url, *trust)
        assert done.code == 0, done.out + done.err
        assert application.seen[-1][0] == CLIENT
        level = level_of(headcount, file, url, "2", *trust)
    assert stranger.code != 0
    shown = re.sub(r"\s+", " ", stranger.out + stranger.err)
    assert "no token: the token server fails: " in shown
    assert "--client verify_certificates=FILE" in shown
    assert application.refused == 0
    # Tokens live for two seconds: they were renewed over TLS, too.
    assert (level["scenarios"][0]["failed"], len(application.asked) > 4) == (0, True)


def test_another_token_server_needs_its_owner_to_agree(
    headcount: Headcount, tmp_path: Path
) -> None:
    oauth2 = CLIENT_GRANT.replace('"/oauth', '"https://192.0.2.7/oauth')
    file = workload(tmp_path, oauth2)
    for verb in ("try", "run"):
        done = headcount.run(verb, file, "--target", "http://127.0.0.1:1", **ANY)
        assert done.code == 2, done.out + done.err
        assert "192.0.2.7:443 is not this machine" in done.err
        assert "--authorised-by" in done.err


def test_secrets_are_not_sent_in_clear_text(headcount: Headcount, tmp_path: Path) -> None:
    oauth2 = CLIENT_GRANT.replace('"/oauth', '"http://192.0.2.7/oauth')
    file = workload(tmp_path, oauth2)
    where = ("--target", "http://127.0.0.1:1", "--authorised-by", "Ada")
    done = headcount.run("try", file, *where, **ANY)
    assert done.code == 2
    assert "in clear text to http://192.0.2.7: use https:// in token_url" in done.err


def test_failures_are_explained(
    headcount: Headcount, site: tuple[TokenSite, str], tmp_path: Path
) -> None:
    _, url = site
    # A port that is taken, and at which nobody listens.
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        _check_sentences(headcount, url, f"http://127.0.0.1:{nobody.getsockname()[1]}", tmp_path)


def _check_sentences(headcount: Headcount, url: str, down: str, tmp_path: Path) -> None:
    password = PASSWORD_GRANT + 'username = "ada"\npassword = { secret = "SHOP_SECRET" }\n'
    wrong_client = CLIENT_GRANT.replace("SHOP_SECRET", "WRONG")
    cases = {
        wrong_client: "no token: invalid_client; check client_id, client_secret and auth",
        CLIENT_GRANT + 'scope = "everything"\n': "no token: invalid_scope; check scope",
        password: "no token: invalid_grant; check the user's name and password",
        CLIENT_GRANT.replace("/oauth/token", "/moved"): "redirects of a token server are not",
        CLIENT_GRANT.replace("/oauth/token", "/open"): "status 405",
        CLIENT_GRANT.replace('"/oauth', f'"{down}/oauth'): "no token: the token server fails: "
        + down.removeprefix("http://"),
    }
    for oauth2, sentence in cases.items():
        done = headcount.run(
            "try", workload(tmp_path, oauth2), "--target", url, SHOP_SECRET=SECRET, WRONG="wr0ng!"
        )
        assert done.code != 0
        assert sentence in re.sub(r"\s+", " ", done.out), done.out
        assert SECRET not in done.out + done.err
        assert "wr0ng!" not in done.out + done.err


def test_mistakes_are_found_without_a_server(headcount: Headcount, tmp_path: Path) -> None:
    plain = 'token_url = "/t"\ngrant = "client-credentials"\nclient_id = "a"\n'
    cases = {
        'token_url = "t"\ngrant = "password"\n': "write a path of the target",
        'token_url = "https://a:0/t"\ngrant = "password"\n': "port must be from 1 to 65535",
        'token_url = "/{team}/t"\ngrant = "password"\n': "placeholders are not replaced",
        'token_url = "/t"\ngrant = "code"\n': "grant",
        'token_url = "/t"\ngrant = "client-credentials"\n': "needs client_id",
        'token_url = "/t"\ngrant = "refresh-token"\n': "needs refresh_token",
        plain + 'client_secret = "hunter2"\n': "a secret does not belong in a file",
        plain + 'username = "ada"\n': 'username belongs to grant = "password"',
        plain + 'client_id_ = "ada"\n': "client_id_",
        plain + 'scope = "{team}"\n': "no step captures or sets {team}",
        plain + 'scope = "{team"\n': "oauth2.scope",
        'token_url = "/t"\ngrant = "password"\nshare = "all"\n': 'share = "all" is for clients',
    }
    for oauth2, sentence in cases.items():
        done = headcount.run("workloads", "check", workload(tmp_path, oauth2))
        assert done.code == 2, oauth2 + done.out
        shown = re.sub(r"\s+", " ", done.out + done.err)
        assert sentence in shown, shown
    # The step for the token is not in the file: others keep their places.
    file = Path(workload(tmp_path, plain))
    file.write_text(file.read_text("utf-8") + '[[setup]]\nname = "a"\nop = "gte"\npath = "/"\n')
    done = headcount.run("workloads", "check", str(file))
    assert "setup.1.op" in done.out + done.err or "setup.0.op" in done.out + done.err


def test_a_missing_secret_is_named(headcount: Headcount, tmp_path: Path) -> None:
    done = headcount.run("try", workload(tmp_path, CLIENT_GRANT), "--target", "http://127.0.0.1:1")
    assert done.code == 2
    assert "environment variable SHOP_SECRET, which is not set" in done.err
