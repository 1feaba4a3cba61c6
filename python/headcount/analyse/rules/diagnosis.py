"""The diagnosis of one recording: findings, conclusion and advice together."""

from dataclasses import dataclass

from headcount.analyse.rules.decide import Decision, decide
from headcount.analyse.rules.examine import examine
from headcount.analyse.rules.facts import facts
from headcount.analyse.rules.finding import Examination, Finding
from headcount.analyse.rules.library import Library, builtin
from headcount.analyse.rules.model import Advice, Profile
from headcount.analyse.rules.series import Frame
from headcount.counters.columns import as_columns
from headcount.counters.recording import Recording
from headcount.errors import InputError

FILE_SERVICE = (
    "system.windows.server.work_queue",
    "system.windows.server.io",
    "system.windows.server.sessions",
    "system.windows.server.files_open",
    "system.windows.smb.requests",
    "system.windows.smb.io",
    "system.windows.smb.queue_length",
    "samba.",
)
"""Counters that only logs of file servers have; the service's pools are in every Windows log."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The options of a diagnosis.

    Attributes:
        profile: The kind of server; None: derived from the counters.
        cpus: Logical CPUs, if the log lacks them.
        memory_bytes: Physical memory, if the log lacks it.
        spindles: Disks behind each device.
        start_s: Earlier samples are left out; in seconds since 1970 (UTC).
        end_s: Later samples are left out.

    """

    profile: Profile | None = None
    cpus: int | None = None
    memory_bytes: float | None = None
    spindles: int | None = None
    start_s: float = float("-inf")
    end_s: float = float("inf")


@dataclass(frozen=True, slots=True)
class LogDiagnosis:
    """One recording, diagnosed.

    Attributes:
        recording: What was diagnosed.
        examination: What every rule found.
        decision: The conclusion.
        advice: What to do, the best first; outdated advice comes last.
        library: The rules that were used.
        notes: The assumptions, in sentences.

    """

    recording: Recording
    examination: Examination
    decision: Decision
    advice: tuple[Advice, ...]
    library: Library
    notes: tuple[str, ...]


def diagnose(
    recording: Recording, asked: Asked | None = None, library: Library | None = None
) -> LogDiagnosis:
    """Diagnose one recording.

    Raises InputError if there are no samples.
    """
    asked = asked or Asked()
    library = library or builtin()
    kept = as_columns(recording.samples).within(asked.start_s, asked.end_s)
    if not len(kept):
        raise InputError(_nothing(recording))
    frame = Frame(kept)
    known = facts(frame, recording.system, asked.cpus, asked.memory_bytes, asked.spindles)
    profile = asked.profile or _profile(frame)
    examination = examine(frame, known, profile, library)
    decision = decide(examination)
    notes = [*recording.notes, *known.sentences()]
    if asked.profile is None:
        notes.append(
            f"{'File' if profile == 'file-server' else 'Application'} server, judging by the "
            "counters: --profile overrides this."
        )
    return LogDiagnosis(
        recording,
        examination,
        decision,
        tuple(_advice(decision, examination, library)),
        library,
        tuple(notes),
    )


def has_samples(recording: Recording, asked: Asked) -> bool:
    """Whether a recording has samples in the time that was asked for."""
    return bool(len(as_columns(recording.samples).within(asked.start_s, asked.end_s)))


def _profile(frame: Frame) -> Profile:
    served = any(name.startswith(FILE_SERVICE) for name in frame.names())
    return "file-server" if served else "app-server"


def _advice(decision: Decision, examination: Examination, library: Library) -> list[Advice]:
    """The advice of the evidence, then of the runner-up and of other findings."""
    if decision.area is None:
        named = {"clients": ["N-50"], "idle": ["N-51", "T-18"], "unknown": ["N-52"]}
        names = named.get(decision.kind, []) if decision.coverage.is_enough else ["N-52"]
        return [library.advice[name] for name in names]
    rest = [
        one
        for one in examination.found
        if one.rule.area == decision.runner_up and one.strength != "note"
    ]
    wanted = [] if decision.coverage.is_enough else ["N-52"]
    wanted += _in_turns(decision.evidence) + _in_turns(rest)
    found = [library.advice[name] for name in dict.fromkeys(wanted)]
    return sorted(found, key=lambda one: not one.holds)


def _in_turns(findings: tuple[Finding, ...] | list[Finding]) -> list[str]:
    """The first advice of each finding, then the second of each, ..."""
    most = max((len(one.rule.advice) for one in findings), default=0)
    return [
        one.rule.advice[place]
        for place in range(most)
        for one in findings
        if place < len(one.rule.advice)
    ]


def _nothing(recording: Recording) -> str:
    if not recording.samples:
        return f"{recording.source} has no samples"
    return (
        f"{recording.source} has no samples between --from and --to; give UTC times within the log"
    )
