"""The files of a private Dovecot: its configuration and its users."""

import os
import string
from collections.abc import Mapping
from pathlib import Path

from headcount.lab import certificate, port
from headcount.lab.account import Account

FOLDERS = ("run", "state", "log", "mail")
LOG = "log/errors"
USER = "u{n:05}"
"""The pattern of user names."""
READY = "ready"
"""A user of the lab's own, who logs on when it starts."""
STATS = "run/stats-reader"
"""The socket with Dovecot's metrics."""
MASTER = "run/master"
"""The socket that lists the processes of its services."""

CONFIGURATION = """\
base_dir = $place/run
state_dir = $place/state
instance_name = headcount
protocols = imap lmtp
listen = $host
log_path = $place/$log
info_log_path = $info
default_internal_user = $user
default_internal_group = $group
default_login_user = $user
first_valid_uid = 1
first_valid_gid = 1
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_format = %Ln
passdb {
  driver = passwd-file
  args = $place/users
}
userdb {
  driver = static
  args = uid=$user gid=$group home=$place/mail/%2Mu/%u
}
mail_location = $location
mail_fsync = $fsync
mail_max_userip_connections = 0
mail_plugins =$plugins
$plugin
namespace inbox {
  inbox = yes
  separator = /
  mailbox Drafts {
    special_use = \\Drafts
  }
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
}
default_process_limit = 20000
default_client_limit = 100000
service anvil {
  chroot =
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
service imap-login {
  chroot =
  $login
  inet_listener imap {
    port = $imap
  }
  inet_listener imaps {
    port = $imaps
    ssl = yes
  }
}
service imap {
  process_limit = 20000
  service_count = $sessions_ever
  client_limit = $client_limit
  process_min_avail = $imap_processes
}
service lmtp {
  process_limit = $lmtp_processes
  inet_listener lmtp {
    address = $host
    port = $lmtp
  }
}
protocol lmtp {
  postmaster_address = postmaster@test.invalid
}
protocol imap {
  mail_plugins = \\$mail_plugins$imap_plugins
}
metric deliveries {
  filter = event=mail_delivery_finished
}
metric logins {
  filter = event=auth_request_finished AND success=yes
}
metric auths {
  filter = event=auth_request_finished
}
metric commands {
  filter = event=imap_command_finished
}
metric logouts {
  filter = event=mail_user_session_finished AND category=service:imap
}
$tls
"""
"""Nothing of this machine's own Dovecot. All users come from one address, so limits by address are
off: sessions of a user, and the penalty for others' wrong passwords. Limits of helper services are
high: otherwise they stop logons at 1,000. No chroot, which only root can do. All else has
Dovecot's defaults."""
LOGIN = (
    "service_count = 0\n  process_min_avail = {0}\n  process_limit = {0}\n  client_limit = 20000"
)
"""imap-login in its mode for performance."""
SECURE_LOGIN = """\
service_count = 1
  process_limit = 20000"""
"""Its default: a process for each connection."""
TLS = """\
ssl = yes
ssl_cert = <{place}/{certificate}
ssl_key = <{place}/{key}
"""


def configuration(
    place: Path, account: Account, ports: tuple[int, int, int], settings: Mapping[str, str]
) -> str:
    """The configuration for these ports of IMAP, IMAP over TLS (0: none) and LMTP."""
    is_tls = settings["tls"] == "on"
    plugins = ""
    plugin = []
    if settings["compress"] != "off":
        plugins += " zlib"
        plugin.append(f"  zlib_save = {settings['compress']}")
    if settings["quota"] == "on":
        plugins += " quota"
        plugin.append("  quota = count:User quota\n  quota_vsizes = yes")
    shared = settings["client_limit"] != "1"
    logins = settings["login_processes"]
    tls = TLS.format(place=place, certificate=certificate.CERTIFICATE, key=certificate.KEY)
    return string.Template(CONFIGURATION.replace("\\$", "$$")).substitute(
        place=place,
        host=port.host(),
        log=LOG,
        info=f"{place}/log/info" if settings["log"] == "on" else "/dev/null",
        user=account.user,
        group=account.group,
        location=f"{settings['format']}:~/mail",
        fsync=settings["fsync"],
        plugins=plugins,
        plugin="\n".join(["plugin {", *plugin, "}"]) if plugin else "",
        imap_plugins=" imap_quota" if settings["quota"] == "on" else "",
        login=SECURE_LOGIN if logins == "0" else LOGIN.format(logins),
        imap=ports[0],
        imaps=ports[1],
        lmtp=ports[2],
        sessions_ever=0 if shared else 1,
        client_limit=settings["client_limit"],
        imap_processes=settings["imap_processes"],
        lmtp_processes=settings["lmtp_processes"],
        tls=tls if is_tls else "ssl = no",
    )


def write_users(path: Path, users: int, password: str) -> None:
    """Write the users and their password into a file that nobody else can read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(f"{READY}:{{PLAIN}}{password}::::::\n")
        file.writelines(f"{USER.format(n=n)}:{{PLAIN}}{password}::::::\n" for n in range(users))
