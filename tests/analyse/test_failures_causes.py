"""What messages of servers mean, by a table written from the protocols' own documents."""

import tomllib
from importlib.resources import files

import pytest

from headcount.analyse.failures import cause_of, is_full
from headcount.analyse.failures.causes import rules

HTTP = "refused"
FOUND = "status 302 Found instead of 200; redirects are not followed"
ERROR = "status 500 Internal Server Error instead of 200"
BAD = "status 400 Bad Request instead of 200"
TLS_PLAIN = "tls-plain"
UNTRUSTED = "the server's certificate is not trusted"
NAME = (
    'certificate not valid for name "127.0.0.1"; certificate is only valid for '
    'DnsName("shop.example.com")'
)
EXPIRED = (
    "certificate expired: verification time 1764003000 (UNIX), but certificate is not valid after "
    "1763916600 (86400 seconds ago)"
)
EARLY = (
    "certificate not valid yet: verification time 1764003000 (UNIX), but certificate is not valid "
    "before 1764089400 (86400 seconds in future)"
)
REQUEST_400 = "GET /: status 400 Bad Request instead of 200"
EITHER = "it is self-signed, or this machine does not know its authority; trust its authority"
CLEAR = "Plaintext authentication disallowed on non-secure (SSL/TLS) connections."
BUSY = "status 503 Service Unavailable instead of 200"
MEANT = [
    # kind, message, rule
    (HTTP, 'POST /a: check failed: the body contains "down": "is down"', "journey-check"),
    (HTTP, "GET /: nothing to capture for t (json $.t): it is not there", "journey-capture"),
    (HTTP, "Lua failed: restock.lua:12: attempt to call a nil value", "journey-lua"),
    (
        HTTP,
        "GET /{t}: {t} has no value yet: the step that captures or sets it has",
        "journey-value",
    ),
    (HTTP, "the rows of the variable who have run out: each user needs a row", "journey-rows"),
    (
        HTTP,
        'after 10 rounds its condition was still not met: until {"value":"{s}"}',
        "journey-rounds",
    ),
    (HTTP, "GET /: status 302 Found instead of 200; redirects are not followed", "http-redirect"),
    (HTTP, "GET /: status 301 Moved Permanently instead of 200", "http-redirect"),
    (HTTP, f"GET /: {FOUND}; Location: /login", "http-redirect-login"),
    (HTTP, f"GET /: {FOUND}; Location: https://sso.example.org/", "http-redirect-login"),
    (HTTP, f"GET /: {FOUND}; Location: /users/sign_in", "http-redirect-login"),
    (HTTP, f"GET /: {FOUND}; Location: /wp-login.php", "http-redirect-login"),
    (HTTP, f"GET /: {FOUND}; Location: /oauth2/start", "http-redirect-login"),
    (HTTP, f"GET /: {FOUND}; Location: /authors/7", "http-redirect"),
    (HTTP, f"GET /: {FOUND}; Location: /blog-intro", "http-redirect"),
    (HTTP, f"GET /: {FOUND}; Location: /signing-keys", "http-redirect"),
    (HTTP, f"GET /: {FOUND}; Location: https://example.org/", "http-redirect-tls"),
    (HTTP, f'GET /: {FOUND}; Location: /b; body: "https://a.test/login"', "http-redirect"),
    (HTTP, 'POST /x: status 403 Forbidden instead of 200; body: "Bad CSRF token"', "http-csrf"),
    (HTTP, 'POST /x: status 419 ? instead of 200; body: "Page Expired"', "http-csrf"),
    (HTTP, f'GET /: {ERROR}; body: "sorry, too many clients already"', "http-database"),
    (HTTP, f'GET /: {ERROR}; body: "QueuePool limit of size 5 reached"', "http-database"),
    ("refused", "sending: MAIL: 451 Temporary local problem - please try later", "mail-later"),
    (HTTP, f'GET /: {ERROR}; body: "sqlite3: database is locked"', "http-locked"),
    (HTTP, f'GET /: {ERROR}; body: "Error 1205: Lock wait timeout exceeded"', "http-locked"),
    (HTTP, f'GET /: {ERROR}; body: "500 Internal Server Error nginx/1.22.1"', "http-nginx"),
    (HTTP, f'GET /: {ERROR}; body: "500 Internal Server Error nginx"', "http-nginx"),
    (HTTP, f'GET /: {ERROR}; body: "500 Internal Server Error"', "http-error"),
    (HTTP, f'GET /: {ERROR}; body: "java.lang.OutOfMemoryError"', "http-memory"),
    (HTTP, f'GET /: {BAD}; body: "The plain HTTP request was sent to HTTPS port"', "http-plain"),
    (HTTP, f'GET /: {BAD}; body: "Client sent an HTTP request to an HTTPS server."', "http-plain"),
    (HTTP, f'GET /: {ERROR}; body: "accept: too many open files"', "http-handles"),
    (HTTP, f'GET /: {ERROR}; body: "connection refused: status 404"', "http-error"),
    (HTTP, f'GET /: {BUSY}; Retry-After: 30; body: "Down for maintenance"', "http-maintenance"),
    (HTTP, f"GET /: {BUSY}; Retry-After: 30", "http-unavailable"),
    (HTTP, "GET /a: status 401 Unauthorized instead of 200", "http-login"),
    ("login", "GET /a: user u1 is not accepted: status 401 Unauthorized", "http-login"),
    (HTTP, "POST /cart: status 403 Forbidden instead of 200", "http-forbidden"),
    (HTTP, "GET /x: status 404 Not Found instead of 200", "http-missing"),
    (HTTP, "GET /x: status 410 Gone instead of 200", "http-missing"),
    (HTTP, "POST /x: status 405 Method Not Allowed instead of 200", "http-request"),
    (HTTP, "POST /x: status 400 Bad Request instead of 200", "http-request"),
    (HTTP, "POST /x: status 422 Unprocessable Entity instead of 200", "http-request"),
    (HTTP, "POST /x: status 408 Request Timeout instead of 200", "http-late-request"),
    (HTTP, "PUT /x: status 413 Payload Too Large instead of 201", "http-too-large"),
    (HTTP, "GET /x: status 429 Too Many Requests instead of 200", "http-rate"),
    (HTTP, "GET /x: status 500 Internal Server Error instead of 200", "http-error"),
    (HTTP, "GET /x: status 501 Not Implemented instead of 200", "http-error"),
    (HTTP, "GET /x: status 502 Bad Gateway instead of 200", "http-gateway"),
    (HTTP, "GET /x: status 504 Gateway Timeout instead of 200", "http-gateway"),
    (
        HTTP,
        'GET /x: status 502 Bad Gateway instead of 200; body: "cannot assign requested address"',
        "http-ports",
    ),
    (HTTP, "GET /x: status 503 Service Unavailable instead of 200", "http-unavailable"),
    (
        HTTP,
        f'GET /: {BUSY}; body: "No server is available to handle this request."',
        "http-no-server",
    ),
    (
        "connect",
        "no more connections allowed (max_client_conn) (SQLSTATE 08P01)",
        "sql-pooler-clients",
    ),
    (HTTP, "GET /x: status 204 No Content instead of 200", "http-status"),
    ("connect", "FATAL: sorry, too many clients already (SQLSTATE 53300)", "sql-connections"),
    ("refused", "could not extend file: No space left on device (SQLSTATE 53100)", "sql-space"),
    ("refused", "out of memory (SQLSTATE 53200)", "sql-memory"),
    ("connect", "the database system is starting up (SQLSTATE 57P03)", "sql-starting"),
    ("disconnected", "terminating connection (SQLSTATE 57P01)", "sql-starting"),
    ("refused", "canceling statement due to statement timeout (SQLSTATE 57014)", "sql-cancelled"),
    ("refused", "deadlock detected (SQLSTATE 40P01)", "sql-deadlock"),
    ("refused", "could not serialize access (SQLSTATE 40001)", "sql-serialization"),
    ("refused", "canceling statement due to lock timeout (SQLSTATE 55P03)", "sql-lock"),
    (
        "refused",
        "cannot execute INSERT in a read-only transaction (SQLSTATE 25006)",
        "sql-read-only",
    ),
    ("refused", "current transaction is aborted (SQLSTATE 25P02)", "sql-aborted"),
    ("refused", 'prepared statement "s3" does not exist (SQLSTATE 26000)', "sql-prepared"),
    ("refused", 'prepared statement "s0" already exists (SQLSTATE 42P05)', "sql-prepared"),
    ("refused", "permission denied for table orders (SQLSTATE 42501)", "sql-rights"),
    ("refused", 'relation "orders" does not exist (SQLSTATE 42P01)', "sql-missing"),
    ("login", 'password authentication failed for user "app" (SQLSTATE 28P01)', "sql-password"),
    ("login", 'role "app" is not permitted to log in (SQLSTATE 28000)', "sql-login"),
    ("login", 'database "shop" does not exist (SQLSTATE 3D000)', "sql-database"),
    (
        "refused",
        "cannot insert multiple commands into a prepared statement (SQLSTATE 42601)",
        "sql-several",
    ),
    (
        "refused",
        "duplicate key value violates unique constraint (SQLSTATE 23505)",
        "sql-constraint",
    ),
    ("refused", "syntax error at end of input (SQLSTATE 42601)", "sql-statement"),
    ("refused", "could not read block (SQLSTATE XX001)", "sql-broken"),
    ("refused", "WRITE: STATUS_DISK_FULL (0xC000007F): the server's disk is full", "smb-full"),
    ("refused", "WRITE: STATUS_QUOTA_EXCEEDED (0xC0000044): the quota is used up", "smb-full"),
    ("refused", "CREATE: STATUS_ACCESS_DENIED (0xC0000022): not permitted", "smb-rights"),
    ("refused", "CREATE: STATUS_SHARING_VIOLATION (0xC0000043): open", "smb-sharing"),
    ("refused", "WRITE: STATUS_MEDIA_WRITE_PROTECTED (0xC00000A2): read-only", "smb-read-only"),
    ("login", "SESSION_SETUP: STATUS_LOGON_FAILURE (0xC000006D): wrong", "smb-login"),
    (
        "login",
        "SESSION_SETUP: NTSTATUS 0xC000205A: the server accepts no more sessions",
        "smb-places",
    ),
    ("refused", "CREATE: STATUS_TOO_MANY_OPENED_FILES (0xC000011F): too many", "smb-places"),
    ("refused", "TREE_CONNECT: STATUS_BAD_NETWORK_NAME (0xC00000CC): no share", "smb-missing"),
    ("refused", "CREATE: STATUS_OBJECT_NAME_NOT_FOUND (0xC0000034): nothing", "smb-missing"),
    ("refused", "CREATE: STATUS_VIRUS_INFECTED (0xC0000906): a virus", "smb-virus"),
    ("disconnected", "READ: STATUS_USER_SESSION_DELETED (0xC0000203): ended", "smb-ended"),
    ("refused", "READ: STATUS_IO_TIMEOUT (0xC00000B5): no answer in time", "smb-device"),
    ("refused", "CREATE: STATUS_INVALID_PARAMETER (0xC000000D): invalid", "smb-request"),
    ("refused", "write: ENOSPC: no space", "smb-full"),
    ("refused", "open: EACCES: this user may not do it", "smb-rights"),
    ("refused", "sending: <u1@a.test>: 450 4.2.0 Greylisted, try later", "mail-greylisted"),
    ("refused", "sending: <u1@a.test>: 451 4.7.1 Please try again later", "mail-greylisted"),
    ("refused", "sending: <u1@a.test>: 552 5.2.2 Mailbox full", "mail-full"),
    ("refused", "sending: <u1@a.test>: 452 4.3.1 Insufficient system storage", "mail-full"),
    ("refused", "APPEND: NO [OVERQUOTA] Quota exceeded", "mail-full"),
    ("connect", "greeting: 421 4.7.0 Too many connections from your IP", "mail-places"),
    ("login", "LOGIN: NO [UNAVAILABLE] maximum number of connections", "mail-places"),
    ("refused", "sending: <u1@a.test>: 554 5.7.1 Relay access denied", "mail-relay"),
    ("refused", "sending: <u1@a.test>: 550 5.1.1 User unknown", "mail-recipient"),
    ("refused", "sending: MAIL FROM: 450 4.5.3 rate limit exceeded", "mail-rate"),
    ("refused", "sending: MAIL: 450 4.7.1 Error: too much mail from 192.0.2.7", "mail-rate"),
    ("refused", "sending: <u1@a.test>: 450 4.7.1 Error: too many recipients", "mail-rate"),
    (
        "refused",
        "sending: <u1@a.test>: 451 4.7.1 Greylisted: separate 5 minutes",
        "mail-greylisted",
    ),
    ("refused", "sending: end of data: 552 5.3.4 Error: message file too big", "mail-size"),
    ("refused", "sending: MAIL FROM: 552 5.3.4 Message size exceeds fixed limit", "mail-size"),
    ("login", "LOGIN: NO [AUTHENTICATIONFAILED] Authentication failed.", "mail-login"),
    ("refused", "sending: end of data: 451 4.3.0 Temporary failure", "mail-later"),
    ("refused", "sending: end of data: 554 5.6.0 Message rejected", "mail-refused"),
    ("connect", "no connection: Connection refused (os error 111)", "connection-refused"),
    ("connect", "no connection: No route to host (os error 113)", "no-route"),
    ("connect", "no connection: Cannot assign: all local ports are taken", "local-ports"),
    ("connect", "no connection: Too many open files (os error 24)", "local-handles"),
    ("connect", f"{UNTRUSTED}: {NAME}; trust its authority with", "tls-certificate-name"),
    ("connect", f"{UNTRUSTED}: {EXPIRED}; trust its authority", "tls-certificate-expired"),
    ("connect", f"{UNTRUSTED}: it expired 3 days ago", "tls-certificate-expired"),
    ("connect", f"{UNTRUSTED}: Expired; trust its authority", "tls-certificate-expired"),
    ("connect", f"{UNTRUSTED}: NotValidYet; trust its authority", "tls-certificate-early"),
    ("connect", f"{UNTRUSTED}: {EARLY}; trust its authority", "tls-certificate-early"),
    ("connect", f"{UNTRUSTED}: {EITHER}", "tls-certificate-authority"),
    ("connect", f"{UNTRUSTED}: it is self-signed; trust it", "tls-certificate-self-signed"),
    ("connect", f"{UNTRUSTED}: Revoked", "tls-certificate"),
    (
        "refused",
        f'{REQUEST_400}; body: "400 No required SSL certificate was sent"',
        "http-users-certificate-missing",
    ),
    (
        "connect",
        "the server asks users for a certificate, and they have none",
        "tls-users-certificate-missing",
    ),
    (
        "connect",
        "the server does not accept the certificate of the users (--client certificate): check",
        "tls-users-certificate-refused",
    ),
    (
        "login",
        "connection requires a valid client certificate (SQLSTATE 28000)",
        "tls-users-certificate-missing",
    ),
    (
        "refused",
        f'{REQUEST_400}; body: "The SSL certificate error"',
        "http-users-certificate-refused",
    ),
    ("login", f"user u1: AUTHENTICATE: NO [PRIVACYREQUIRED] {CLEAR}", "imap-needs-tls"),
    ("login", "the server forbids LOGIN on this connection: use TLS", "imap-needs-tls"),
    ("refused", "MAIL FROM: 530 5.7.0 Must issue a STARTTLS command first", "smtp-needs-tls"),
    ("login", "AUTH: 538 5.7.11 Encryption required for requested mechanism", "smtp-needs-tls"),
    (
        "login",
        "the server offers neither AUTH PLAIN nor LOGIN on this connection",
        "smtp-needs-tls",
    ),
    ("", "user u1: APPEND: NO [OVERQUOTA] Quota exceeded", "mail-full"),
    ("", "user u1: <u1@a.test>: 452 4.2.2 Mailbox is full", "mail-full"),
    ("", "the server is busy", "other"),
    ("connect", "no logon: error performing TLS: server does not support TLS", "sql-no-tls"),
    (
        "login",
        "the server asks for the password in clear text, which require_auth does not allow",
        "sql-method",
    ),
    (
        "malformed",
        "the server sent a message ('D') of 99 bytes; at most 9 are read",
        "sql-too-much",
    ),
    (
        "malformed",
        "the server sent more than 256 MiB in one answer, which is the most",
        "sql-too-much",
    ),
    ("connect", "no TLS handshake: peer closed", "tls-handshake"),
    ("connect", "no connection: something else", "connect"),
    ("connect", "no TLS handshake: received corrupt message of type InvalidContentType", TLS_PLAIN),
    ("connect", "no TLS handshake: the server speaks another protocol there", TLS_PLAIN),
    ("wrong-data", "message 7 of u1 to u2 was altered in its header", "mail-rewritten"),
    (
        "wrong-data",
        (
            'message 7 of u1 to u2 was altered in its header (only "[EXT]" was put before its '
            'subject: if a gateway does so by rule, allow it with --client subject_tag="[EXT]")'
        ),
        "mail-tagged",
    ),
    (
        "wrong-data",
        (
            "message 7 of u1 to u2 was altered at byte 1024 below its header (98 bytes follow its "
            "text: if a gateway appends a footer by rule, allow it with --client footer=allowed, "
            'or its text with --client footer="...")'
        ),
        "mail-footer",
    ),
    ("wrong-data", "message 7 of u1 to u2 was altered in its body", "wrong-data"),
    ("wrong-data", "GET /a: 3 bytes came instead of 700", "wrong-data"),
    ("timeout", "no answer within the time limit of a step", "timeout"),
    ("login", "the token is not accepted", "login"),
    ("disconnected", "the server closed the connection", "disconnected"),
    ("malformed", "the reply belongs to another request", "malformed"),
    ("refused", "the server is busy", "other"),
]


@pytest.mark.parametrize(("kind", "message", "rule"), MEANT)
def test_a_message_has_its_rule(kind: str, message: str, rule: str) -> None:
    assert cause_of(kind, message).id == rule


def test_every_rule_is_reached_by_a_message() -> None:
    """Except rules of protocols with a file of their own, which have their own tests."""
    own = files("headcount.analyse.failures").joinpath("protocols")
    texts = [one.read_text("utf-8") for one in own.iterdir()] if own.is_dir() else []
    others = {entry["id"] for text in texts for entry in tomllib.loads(text)["cause"]}
    assert {rule for _, _, rule in MEANT} == {rule.id for rule in rules()} - others


def test_every_failure_has_a_cause() -> None:
    assert cause_of("a kind of a later version", "").cause == "unknown"
    assert [rule.id for rule in rules()][-1] == "other"
    assert len({rule.id for rule in rules()}) == len(rules())


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_every_rule_says_what_to_do(rule: object) -> None:
    meaning, advice = rule.meaning, rule.advice  # type: ignore[attr-defined]
    assert meaning[0].isupper()
    assert not meaning.endswith(".")
    assert advice.endswith(".")


@pytest.mark.parametrize(
    ("message", "full"),
    [
        ("the server closes the connection: 421 Too many concurrent SMTP connections", True),
        ("GET /: status 503 Service Unavailable instead of 200", True),
        ("FATAL: sorry, too many clients already (SQLSTATE 53300)", True),
        ("no connection: Connection refused (os error 111)", False),
        ('GET /: status 503; body: "No server is available to handle this request"', False),
        ("no answer within the time limit of a step", False),
        ("GET /: status 500 Internal Server Error instead of 200", False),
    ],
)
def test_messages_of_full_servers_are_recognised(message: str, full: bool) -> None:
    assert is_full(message) is full
