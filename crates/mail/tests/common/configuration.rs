//! The configuration of the private Dovecot.

use std::path::Path;

use super::dovecot::{Account, PASSWORD};

/// The text of its configuration, with these lines at the end. Users are those of the file `users`,
/// or of any name.
pub fn configuration(
    base: &Path,
    ports: [u16; 3],
    account: &Account,
    are_listed: bool,
    extra: &str,
) -> String {
    let base = base.display().to_string();
    let Account { user, group, .. } = account;
    let [imap, imaps, lmtp] = ports;
    let users = users(&base, account, are_listed);
    format!(
        "base_dir = {base}/run
state_dir = {base}/state
protocols = imap lmtp
listen = 127.0.0.1
instance_name = headcount-test
log_path = {base}/log/dovecot.log
default_internal_user = {user}
default_internal_group = {group}
default_login_user = {user}
first_valid_uid = 1
first_valid_gid = 1
last_valid_uid = 0
ssl = yes
ssl_cert = <{base}/server.pem
ssl_key = <{base}/server.key
disable_plaintext_auth = no
auth_mechanisms = plain login
auth_username_format = %Ln
{users}
mail_location = maildir:~/Maildir
mail_fsync = never
mail_save_crlf = yes
auth_failure_delay = 0
lda_mailbox_autocreate = yes
mailbox_list_index = yes
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Sent {{
    auto = create
    special_use = \\Sent
  }}
  mailbox Trash {{
    auto = create
    special_use = \\Trash
  }}
}}
default_process_limit = 4096
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
  service_count = 0
  process_min_avail = 1
  client_limit = 10000
  inet_listener imap {{
    address = 127.0.0.1
    port = {imap}
  }}
  inet_listener imaps {{
    address = 127.0.0.1
    port = {imaps}
    ssl = yes
  }}
}}
service imap {{
  process_limit = 64
  service_count = 0
  client_limit = 200
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
protocol lmtp {{
  postmaster_address = postmaster@test.invalid
}}
protocol imap {{
  mail_max_userip_connections = 50
}}
{extra}
"
    )
}

/// The settings of the users, and of where their mail is.
fn users(base: &str, account: &Account, are_listed: bool) -> String {
    let Account { user, group, .. } = account;
    if are_listed {
        format!(
            "passdb {{
  driver = passwd-file
  args = {base}/users
}}
userdb {{
  driver = passwd-file
  args = {base}/users
  override_fields = uid={user} gid={group}
}}"
        )
    } else {
        format!(
            "passdb {{
  driver = static
  args = password={PASSWORD}
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={base}/spool/%u
}}"
        )
    }
}
