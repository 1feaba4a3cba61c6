"""All experiments, in the order in which they are played."""

from headcount.controller.experiments.alone import ALONE
from headcount.controller.experiments.beside import BESIDE
from headcount.controller.experiments.concurrency import CONCURRENCY
from headcount.controller.experiments.connections import CONNECTIONS
from headcount.controller.experiments.experiment import Experiment
from headcount.controller.experiments.kinds import KINDS
from headcount.controller.experiments.less import LESS
from headcount.controller.experiments.nudge import NUDGE

EXPERIMENTS: tuple[Experiment, ...] = (LESS, BESIDE, NUDGE, CONCURRENCY, KINDS, ALONE, CONNECTIONS)
"""The most informative ones come first: an interrupted test keeps what it has."""
