"""What a plan's `[server]` table may set for `lab:samba`, and which parameter of Samba that is."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.lab.setting import PROFILE, STOCK, check_profile


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        default: Samba's own default unless `why` gives a reason.
        values: What it can be; empty if it is not a choice among words.
        parameter: What it is called in smb.conf(5); none if it is the lab's own.
        why: What it does to a capacity.

    """

    default: str
    values: tuple[str, ...]
    parameter: str | None
    why: str


YES_NO = ("yes", "no")

SETTINGS: Mapping[str, Setting] = {
    "profile": Setting(PROFILE.default, PROFILE.values, None, PROFILE.why),
    "shares": Setting(
        "1",
        (),
        None,
        "How many shares. Each smbd reads all of smb.conf at a logon: 8,000 shares cost every user "
        "about 17 MB of memory and 40 ms of CPU.",
    ),
    "signing": Setting(
        "auto",
        ("auto", "mandatory", "disabled"),
        "server signing",
        "Costs CPU on both sides. With auto the client decides, as on most file servers; from SMB "
        "2 on, disabled means auto.",
    ),
    "encryption": Setting(
        "off",
        ("off", "desired", "required"),
        "server smb encrypt",
        "Costs more CPU than anything else a server does with a cached message. Off does not offer "
        "it.",
    ),
    "min_protocol": Setting(
        "SMB2_10",
        ("SMB2_10", "SMB3_00", "SMB3_11"),
        "server min protocol",
        "The oldest dialect to accept; the default is the oldest of Headcount's clients.",
    ),
    "strict_sync": Setting(
        "yes",
        YES_NO,
        "strict sync",
        "Whether a client that asks for its data to be on disk waits for it. No is fast, and a "
        "power failure loses data.",
    ),
    "max_processes": Setting(
        "0",
        (),
        "max smbd processes",
        "Most smbd processes: one per connection and two more; further connections are refused. 0: "
        "no limit.",
    ),
    "oplocks": Setting(
        "yes",
        YES_NO,
        "oplocks",
        "Whether clients may cache files: fewer messages, but taking the right back on shared "
        "files takes time.",
    ),
    "read_only": Setting(
        "no",
        YES_NO,
        "read only",
        "Whether shares are read-only; Samba's own default is yes.",
    ),
    "socket_options": Setting(
        "TCP_NODELAY",
        (),
        "socket options",
        "Without TCP_NODELAY small answers wait for acknowledgements; SO_SNDBUF and SO_RCVBUF turn "
        "off Linux's own choice, which is mostly better.",
    ),
    "aio_read_size": Setting(
        "1",
        ("0", "1"),
        "aio read size",
        "1 hands each read to a thread, so that a disk access does not hold up the user's other "
        "requests; 0 saves two thread switches if the data is in memory.",
    ),
    "aio_write_size": Setting(
        "1", ("0", "1"), "aio write size", "The same for writes, which mostly go to memory."
    ),
    "use_sendfile": Setting(
        "no",
        YES_NO,
        "use sendfile",
        "Yes sends files without a copy, unless they are signed, encrypted or read by a thread "
        "(aio_read_size = 1).",
    ),
    "strict_locking": Setting(
        "auto",
        ("auto", "yes", "no"),
        "strict locking",
        "Whether reads and writes first look for others' locks: auto without an oplock, no leaves "
        "it to clients that ask.",
    ),
    "posix_locking": Setting(
        "yes",
        YES_NO,
        "posix locking",
        "Whether the kernel knows clients' locks, for programs on the server and NFS. Only with no "
        "are handles durable, so that clients have them back after a lost connection.",
    ),
    "store_dos_attributes": Setting(
        "yes",
        YES_NO,
        "store dos attributes",
        "Whether to keep hidden and archive bits and the creation time: one more write per new "
        "file, one more read per entry of a listing.",
    ),
    "case_sensitive": Setting(
        "auto",
        ("auto", "yes", "no"),
        "case sensitive",
        "Names match in any case, so Samba reads the whole folder for a missing one. Yes looks "
        "once, but Windows users may then miss files.",
    ),
}
MOST_SHARES = 100_000
"""Their numbers have five digits."""
SOCKET_OPTION = re.compile(
    r"(TCP_NODELAY|TCP_QUICKACK|SO_KEEPALIVE)(=[01])?"
    r"|(SO_SNDBUF|SO_RCVBUF|TCP_KEEPIDLE|TCP_KEEPINTVL|TCP_KEEPCNT|TCP_USER_TIMEOUT)=[0-9]{1,9}"
    r"|IPTOS_LOWDELAY|IPTOS_THROUGHPUT"
)
"""Socket options of smb.conf(5) that Linux knows and that affect a load."""


def complete(given: Mapping[str, str]) -> dict[str, str]:
    """All settings, with defaults for what is not given; raises InputError for wrong ones.

    With the profile `stock`, only the profile.
    """
    for key, value in given.items():
        if key not in SETTINGS:
            raise InputError(f"lab:samba has no setting {key}; it has: {', '.join(SETTINGS)}")
        allowed = _refusal(key, value)
        if allowed is not None:
            raise InputError(f'{key} is "{value}"; it can be {allowed}')
    check_profile(given, ["profile"])
    if given.get("profile") == STOCK:
        return dict(given)
    return {key: given.get(key, setting.default) for key, setting in SETTINGS.items()}


def _refusal(key: str, value: str) -> str | None:
    """What a setting can be, if it cannot be this."""
    if key == "shares":
        number = int(value) if re.fullmatch(r"[1-9][0-9]{0,5}", value) else 0
        return None if 0 < number <= MOST_SHARES else f"1 to {MOST_SHARES}"
    if key == "max_processes":
        allowed = re.fullmatch(r"0|[1-9][0-9]{0,5}", value) is not None
        return None if allowed else "0 to 999999"
    if key == "socket_options":
        words = value.split(" ")
        allowed = all(SOCKET_OPTION.fullmatch(word) for word in words)
        return None if allowed else "options of smb.conf(5) such as TCP_NODELAY SO_SNDBUF=131072"
    values = SETTINGS[key].values
    return None if value in values else f"one of: {', '.join(values)}"


def parameters(settings: Mapping[str, str]) -> list[str]:
    """The lines of smb.conf's `[global]` for them; shares inherit what is theirs."""
    return [
        f"{setting.parameter} = {settings[key]}"
        for key, setting in SETTINGS.items()
        if setting.parameter is not None
    ]
