"""What `ssh` complains of, as what a person can do about it.

The texts are OpenSSH's (sshconnect.c, ssh.c, readconf.c) and those of the C library for errors of
the system. They are not translated.
"""

_REMEDIES = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        (
            "its host key is not the one that is known; find out why, then remove the old one with "
            "`ssh-keygen -R {host}` and log in once by hand"
        ),
    ),
    (
        "Host key verification failed",
        "its host key is not known; log in once by hand with `ssh {login}` and check the key",
    ),
    (
        "Permission denied",
        (
            "it does not let this user in without a password; put a key of yours there "
            "(`ssh-copy-id {login}`), load it with `ssh-add` if it has a passphrase, and try "
            "`ssh -o BatchMode=yes {login} true`"
        ),
    ),
    ("Too many authentication failures", "too many keys were offered; name one in ~/.ssh/config"),
    ("Could not resolve hostname", "there is no machine of that name; check the name"),
    ("Connection refused", "no SSH server listens there; is it running, and is the port right?"),
    ("Connection timed out", "nothing answers; is it up, and does its firewall let SSH through?"),
    ("No route to host", "the network has no way to it; is it up, and in this network?"),
    ("Network is unreachable", "the network has no way to it"),
    ("Bad owner or permissions", "ssh refuses its own configuration on this machine"),
    ("command not found", "its shell has no `sh`; only Linux can be read over SSH"),
)


def explain(said: str, login: str, host: str) -> str:
    """What is wrong and what to do, from what `ssh` wrote to its standard error."""
    for sign, remedy in _REMEDIES:
        if sign in said:
            return remedy.format(login=login, host=host)
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f"ssh says: {lines[-1]}" if lines else "ssh ended without a word"
