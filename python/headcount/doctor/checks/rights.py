"""Who runs Headcount, and what the kernel lets them do."""

import pwd

from headcount.doctor.machine import Machine
from headcount.doctor.outcome import Outcome, limited, ok


def user(machine: Machine) -> Outcome:
    """Whether Headcount runs as root; always ok, since other checks find the consequences."""
    if machine.uid == 0:
        return ok("root", "Lab servers that refuse root run as nobody.")
    try:
        name = pwd.getpwuid(machine.uid).pw_name
    except KeyError:
        name = f"user {machine.uid}"
    return ok(f"{name}, not root", "Runs do not need root; options that do are listed here.")


def real_time(machine: Machine) -> Outcome:
    """Whether the generator's threads may have the real-time policy."""
    with machine.real_time() as granted:
        pass
    if granted:
        return ok("granted", "A busy server does not delay the generator's timers.")
    if machine.virtual.container is not None:
        how = "--cap-add SYS_NICE" if machine.uid == 0 else "--ulimit rtprio=1"
        fix = f"start the container with {how}"
    elif machine.uid == 0:
        fix = "run where root has CAP_SYS_NICE (capsh --print lists what it has)"
    else:
        fix = (
            "echo '* - rtprio 1' | sudo tee /etc/security/limits.d/headcount.conf, then log in "
            "again"
        )
    return limited(
        "refused",
        "A busy server on this machine can delay the generator's timers and make levels invalid.",
        fix,
    )
