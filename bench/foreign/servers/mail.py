"""Dovecot with the mailboxes of all users, and Postfix or Exim, which takes their mail."""

import os
import pwd
import subprocess
from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.servers.start import PASSWORD, Place, Start
from bench.foreign.servers.web import program, written

DOVECOT = """
base_dir = {folder}/run
state_dir = {folder}/state
protocols = imap
listen = {host}
log_path = {folder}/log
info_log_path = /dev/null
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
first_valid_gid = 1
disable_plaintext_auth = no
auth_mechanisms = plain login
ssl = no
mail_location = maildir:~/mail
mail_max_userip_connections = 0
userdb {{
  driver = static
  args = uid={user} gid={group} home={mail}/%u
}}
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Sent {{
    special_use = \\Sent
    auto = create
  }}
  mailbox Trash {{
    special_use = \\Trash
    auto = create
  }}
  mailbox Drafts {{
    special_use = \\Drafts
  }}
}}
default_process_limit = 2000
default_client_limit = 20000
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
{config}
"""
EXIM = """
exim_path = {program}
primary_hostname = mail.test.invalid
spool_directory = {folder}/spool
log_file_path = {folder}/%slog
pid_file_path = {folder}/pid
daemon_smtp_ports = {port}
local_interfaces = {host}
tls_advertise_hosts =
host_lookup =
rfc1413_query_timeout = 0s
keep_environment =
never_users =
smtp_accept_queue_per_connection = 0
acl_smtp_mail = mail
acl_smtp_rcpt = recipient
{main}
begin acl
mail:
{config}
  accept
recipient:
  accept
begin routers
drop:
  driver = redirect
  data = :blackhole:
begin transports
begin retry
begin rewrite
begin authenticators
"""
WITH_ITS_USER = (
    'mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/group" /etc/group && exec "$@"'
)
"""Exim is built for a user whom its package would make."""
PASSDB = "passdb {{\n  driver = static\n  args = password={password} {outside}\n}}\n"
MAIN = """
compatibility_level = 3.6
queue_directory = {queue}
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
maillog_file = {folder}/log
maillog_file_prefixes = {folder}, /dev
myhostname = mail.test.invalid
mydomain = test.invalid
inet_interfaces = all
inet_protocols = ipv4
mynetworks = {users}
mydestination =
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = test.invalid
virtual_mailbox_maps = static:ok
virtual_transport = discard:
default_transport = error:nothing leaves this machine
disable_dns_lookups = yes
smtpd_peername_lookup = no
{config}
"""
MASTER = """
{address} inet n - n - 200 smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


def dovecot(component: Component, place: Place) -> Start:
    """Every name logs on with the password of the bench; `outside` has more of its passdb."""
    home = Path(place.addresses["disk"]) if component.on_disk else place.folder
    root = os.geteuid() == 0
    account = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.geteuid())
    group = "nogroup" if root else str(account.pw_gid)
    for folder in (place.folder / "run", place.folder / "state", home / "mail"):
        folder.mkdir()
    if root:
        os.chown(home / "mail", account.pw_uid, account.pw_gid)
    place.folder.chmod(0o755)
    passdb = PASSDB.format(password=PASSWORD, outside=component.outside)
    text = passdb + DOVECOT.format(
        folder=place.folder,
        user=account.pw_name,
        group=group,
        mail=home / "mail",
        host=place.host,
        port=place.port,
        config=component.config,
    )
    path = written(place, "dovecot.conf", text)
    return Start([program("dovecot"), "-F", "-c", path], place.address)


def postfix(component: Component, place: Place) -> Start:
    """It takes mail for everybody in test.invalid, and drops it once it is queued."""
    home = Path(place.addresses["disk"]) if component.on_disk else place.folder
    owner = pwd.getpwnam("postfix")
    home.chmod(0o755)
    for folder in (place.folder / "etc", place.folder / "data", home / "queue"):
        folder.mkdir()
    os.chown(place.folder / "data", owner.pw_uid, owner.pw_gid)
    main = MAIN.format(
        folder=place.folder, queue=home / "queue", users=place.network, config=component.config
    )
    written(place, "etc/main.cf", main)
    written(place, "etc/master.cf", MASTER.format(address=place.address))
    etc = str(place.folder / "etc")
    subprocess.run([program("postfix"), "-c", etc, "check"], check=True, capture_output=True)
    command = ["/usr/lib/postfix/sbin/master", "-d", "-c", etc]
    return Start(command, place.address)


def exim(component: Component, place: Place) -> Start:
    """It takes mail for everybody, and drops it once it is queued.

    `config` are statements before it accepts a sender, `main` is of the main configuration.
    """
    owner = pwd.getpwnam("nobody")
    home = place.folder / "exim"
    home.mkdir()
    place.folder.chmod(0o755)
    os.chown(home, owner.pw_uid, owner.pw_gid)
    for name, rest in (("passwd", f"{owner.pw_uid}:{owner.pw_gid}::/:/bin/false"), ("group", "")):
        known = Path("/etc", name).read_text("utf-8")
        written(place, name, f"{known}Debian-exim:x:{rest or f'{owner.pw_gid}:'}\n")
    program = place.tools.exim()
    text = EXIM.format(
        program=program,
        folder=home,
        host=place.host,
        port=place.port,
        main=component.main,
        config=component.config,
    )
    path = written(place, "exim.conf", text)
    inside = ["unshare", "--mount", "sh", "-c", WITH_ITS_USER, str(place.folder)]
    return Start([*inside, str(program), "-C", path, "-bdf", "-q1h"], place.address)
