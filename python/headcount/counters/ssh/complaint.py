"""Error messages of `ssh`, each with its remedy.

The texts are OpenSSH's (sshconnect.c, ssh.c, readconf.c) and those of the C library for errors of
the system. They are not translated.
"""

_REMEDIES = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        (
            "its host key has changed; find out why, then remove the old one with "
            "`ssh-keygen -R {host}` and log in once"
        ),
    ),
    (
        "Host key verification failed",
        "its host key is unknown; log in once with `ssh {login}` and check the key",
    ),
    (
        "Permission denied",
        (
            "it requires a password from this user; install your key "
            "(`ssh-copy-id {login}`), load it with `ssh-add` if it has a passphrase, and try "
            "`ssh -o BatchMode=yes {login} true`"
        ),
    ),
    ("Too many authentication failures", "ssh offered too many keys; select one in ~/.ssh/config"),
    ("Could not resolve hostname", "there is no host of that name; check the name"),
    ("Connection refused", "no SSH server listens there; is it running, and is the port correct?"),
    ("Connection timed out", "no answer; is it up, and does its firewall allow SSH?"),
    ("No route to host", "no route to it; is it up, and in this network?"),
    ("Network is unreachable", "its network is unreachable"),
    ("Bad owner or permissions", "ssh rejects its own configuration on this machine"),
    ("command not found", "it has no `sh`; only Linux can be read over SSH"),
)


def explain(written: str, login: str, host: str) -> str:
    """What is wrong and what to do, from the standard error of `ssh`."""
    for sign, remedy in _REMEDIES:
        if sign in written:
            return remedy.format(login=login, host=host)
    lines = [line.strip() for line in written.splitlines() if line.strip()]
    return f"ssh says: {lines[-1]}" if lines else "ssh ended without a message"
