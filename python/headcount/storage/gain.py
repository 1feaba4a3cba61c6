"""What a change gained, both ways of saying it: time saved, and times as fast."""

from headcount.storage import sources
from headcount.storage.checks import positive
from headcount.storage.formula import Formula


def time_saved(before_s: float, after_s: float) -> float:
    """Share of the time that a change saved; negative if it cost some (S-08).

    All percentages of the paper are of this kind: only so do they agree with its times. "44%
    slower" is then 1 / (1 - 0.44) = 1.79 times as long, and not 1.44 times.
    """
    positive("the time before", before_s, "57.8s")
    positive("the time after", after_s, "39.7s")
    return (before_s - after_s) / before_s


def speed_up(before_s: float, after_s: float) -> float:
    """How many times as fast it became (R-16)."""
    positive("the time before", before_s, "57.8s")
    positive("the time after", after_s, "39.7s")
    return before_s / after_s


SAVED = Formula(
    rule="S-08",
    name="time_saved",
    title="time saved",
    unit="share",
    template="({before_s} - {after_s}) / {before_s}",
    source=f"{sources.SORT_TIMES}; {sources.DERIVED}",
    function=time_saved,
)
SPEED_UP = Formula(
    rule="R-16",
    name="speed_up",
    title="speed-up",
    unit="times as fast",
    template="{before_s} / {after_s}",
    source=f"{sources.PAPER}, appendix C; {sources.DERIVED}",
    function=speed_up,
)
