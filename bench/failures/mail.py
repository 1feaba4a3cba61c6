"""A foreign mail server: Dovecot and Postfix, configured by a case. Only root can start it."""

import contextlib
import os
import pwd
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.failures import certificates
from bench.failures.case import Case
from bench.failures.servers import free_port, process

DOMAIN = "example.org"
"""The domain of the users."""
HOST = "127.0.0.2"
"""Dovecot's address. Users come from 127.0.0.1: Dovecot requires no TLS from its own address."""
ACCOUNT = "nobody"
"""Who owns the mail."""
USERS = 1000
DOVECOT = """
base_dir = {folder}/run
state_dir = {folder}/state
protocols = imap lmtp
listen = {host}
log_path = {folder}/dovecot.log
first_valid_uid = 1
first_valid_gid = 1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_format = %Ln
passdb {
  driver = passwd-file
  args = {folder}/users
}
userdb {
  driver = static
  args = uid={account} gid=nogroup home={folder}/mail/%u
}
mail_location = maildir:~/mail
mail_max_userip_connections = 0
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
}
service imap-login {
  inet_listener imap {
    port = {imap}
  }
  inet_listener imaps {
    port = 0
  }
}
service lmtp {
  inet_listener lmtp {
    address = {host}
    port = {lmtp}
  }
}
protocol lmtp {
  postmaster_address = postmaster@example.org
}
{config}
"""
POSTFIX = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
multi_instance_enable = no
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}, /dev
myhostname = mx.example.org
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
mydestination =
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = example.org
virtual_mailbox_maps = static:ok
virtual_transport = lmtp:inet:[{host}]:{lmtp}
default_transport = error:nothing leaves this machine
relay_transport = error:nothing leaves this machine
disable_dns_lookups = yes
smtpd_peername_lookup = no
lmtp_dns_support_level = disabled
smtp_dns_support_level = disabled
in_flow_delay = 0
{outside}
"""
MASTER = """
127.0.0.1:{smtp} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""


@contextlib.contextmanager
def mail(case: Case, folder: Path) -> Iterator[tuple[str, str]]:
    """The addresses of IMAP and SMTP, broken."""
    imap, lmtp, smtp = (free_port() for _ in range(3))
    given: dict[str, object] = {"{folder}": folder, "{host}": HOST, "{account}": ACCOUNT}
    given |= {"{imap}": imap, "{lmtp}": lmtp, "{smtp}": smtp}
    owner = pwd.getpwnam(ACCOUNT)
    folder.chmod(0o755)
    for name in ("run", "state", "mail", "etc", "queue", "data"):
        (folder / name).mkdir(0o755)
    os.chown(folder / "mail", owner.pw_uid, owner.pw_gid)
    os.chown(folder / "data", pwd.getpwnam("postfix").pw_uid, -1)
    certificates.make("good", folder, HOST)
    for name, text in case.files.items():
        (folder / name).write_text(text, "utf-8")
    users = [f"u{number:05}:{{PLAIN}}{case.password}::::::\n" for number in range(USERS)]
    (folder / "users").write_text("".join(users), "utf-8")
    dovecot = _filled(DOVECOT.replace("{config}", case.config), given)
    (folder / "dovecot.conf").write_text(dovecot, "utf-8")
    (folder / "etc" / "main.cf").write_text(
        _filled(POSTFIX.replace("{outside}", case.outside), given), "utf-8"
    )
    (folder / "etc" / "master.cf").write_text(_filled(MASTER, given), "utf-8")
    etc = str(folder / "etc")
    subprocess.run(["postfix", "-c", etc, "check"], check=True, capture_output=True)
    daemons = subprocess.check_output(["postconf", "-dh", "daemon_directory"], text=True).strip()
    (folder / "for-dovecot").mkdir()
    (folder / "for-postfix").mkdir()
    with (
        process(
            ["dovecot", "-F", "-c", str(folder / "dovecot.conf")],
            folder / "for-dovecot",
            imap,
            HOST,
        ),
        process([f"{daemons}/master", "-d", "-c", etc], folder / "for-postfix", smtp),
    ):
        yield f"{HOST}:{imap}", f"127.0.0.1:{smtp}"


def _filled(text: str, given: dict[str, object]) -> str:
    """The text with its names filled in; other braces are the configuration's own."""
    for name, value in given.items():
        text = text.replace(name, str(value))
    return text.lstrip()
