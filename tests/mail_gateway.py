"""A real mail gateway: Postfix that tags subjects and has altermime append a footer."""

import contextlib
import os
import pwd
import socket
import string
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from processes import wait_for

TAG = "[EXTERNAL]"
FOOTER = "This message comes from outside.\nBe careful with what is attached.\n"

MAIN = r"""
compatibility_level = 3.6
queue_directory = $home/queue
data_directory = $home/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
multi_instance_enable = no
maillog_file = $home/log
maillog_file_prefixes = $home
myhostname = gateway.test.invalid
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
mydestination =
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = test.invalid
virtual_mailbox_maps =
virtual_transport = lmtp:inet:[$lmtp_host]:$lmtp_port
default_transport = error:nothing leaves the test
relay_transport = error:nothing leaves the test
smtpd_relay_restrictions = reject_unauth_destination
disable_dns_lookups = yes
smtpd_peername_lookup = no
lmtp_tls_security_level = none
in_flow_delay = 0
header_checks = $checks
"""
MASTER = """\
127.0.0.1:$port inet n - n - 50 smtpd $filter
127.0.0.1:$back inet n - n - 50 smtpd
 -o receive_override_options=no_header_body_checks
footer unix - n n - 4 pipe
 flags=q user=nobody argv=$home/footer $${sender} $${recipient}
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
lmtp unix - - n - 50 lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
FILTER = """\
#!/usr/bin/python3 -IS
import smtplib, subprocess, sys, tempfile
with tempfile.NamedTemporaryFile() as message:
    message.write(sys.stdin.buffer.read())
    message.flush()
    subprocess.run(
        ["altermime", f"--input={message.name}", "--disclaimer=$home/disclaimer"], check=True
    )
    with open(message.name, "rb") as changed, smtplib.SMTP("127.0.0.1", $back) as post:
        post.sendmail(sys.argv[1], sys.argv[2:], changed.read())
"""


@contextlib.contextmanager
def gateway(lmtp: str, *, tags: bool = True, signs: bool = True) -> Iterator[str]:
    """Its address as long as it is needed, before an LMTP server; only root can start it.

    With `tags` it puts TAG before subjects, with `signs` it appends FOOTER to texts.
    """
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)  # its processes are of several users
        port, back = _free_port(), _free_port()
        _write(home, lmtp, (port, back), tags=tags, signs=signs)
        _postfix(home, "start")
        try:
            wait_for(lambda: _listens(port) and _listens(back))
            yield f"127.0.0.1:{port}"
        finally:
            _postfix(home, "stop")


def _write(home: Path, lmtp: str, ports: tuple[int, int], *, tags: bool, signs: bool) -> None:
    for name in ("etc", "queue", "data"):
        (home / name).mkdir(0o755)
    owner = pwd.getpwnam("postfix")
    os.chown(home / "data", owner.pw_uid, owner.pw_gid)
    host, _, number = lmtp.rpartition(":")
    fields = {
        "home": str(home),
        "lmtp_host": host,
        "lmtp_port": number,
        "port": str(ports[0]),
        "back": str(ports[1]),
        "checks": f"regexp:{home}/etc/checks" if tags else "",
        "filter": "-o content_filter=footer:" if signs else "",
    }
    (home / "etc" / "checks").write_text(f"/^Subject: (.*)$/ REPLACE Subject: {TAG} $1\n", "ascii")
    (home / "disclaimer").write_text(FOOTER, "ascii")
    for name, text in (("etc/main.cf", MAIN), ("etc/master.cf", MASTER), ("footer", FILTER)):
        (home / name).write_text(string.Template(text).substitute(fields), "ascii")
    (home / "footer").chmod(0o755)


def _postfix(home: Path, verb: str) -> None:
    # Into a file: the server would keep a pipe open for as long as it runs.
    with (home / "output").open("wb") as output:
        done = subprocess.run(
            ["/usr/sbin/postfix", "-c", str(home / "etc"), verb],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
    assert done.returncode == 0, (home / "output").read_text("utf-8")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0
