"""All figures of one run, in the order in which they are read."""

from collections.abc import Sequence

from headcount.analyse.answers import seconds
from headcount.analyse.heat import heat as mapped
from headcount.analyse.published.series import Series
from headcount.bundle import stacks
from headcount.bundle.reader import Bundle
from headcount.report.agents import fleets_of
from headcount.report.figures import (
    agents,
    cost,
    flames,
    gains,
    heat,
    outage,
    published,
    published_capacity,
    response,
    spectrum,
    throughput,
    transfer,
    utilisation,
)
from headcount.report.figures.figure_types import Figure, Run


def of_bundle(bundle: Bundle) -> list[Figure]:
    """All figures for which the bundle has numbers, from the answer to its details."""
    if bundle.tuning is not None:  # turns are not levels of a search: nothing to draw against users
        drawn_gains = gains.figure(bundle.tuning)
        return [drawn_gains] if drawn_gains is not None else []
    if bundle.failover is not None:
        drawn_outage = outage.of_bundle(bundle, bundle.failover)
        return [drawn_outage] if drawn_outage is not None else []
    run = seconds(bundle)
    drawn = [
        throughput.figure(bundle),
        response.figure(bundle),
        utilisation.figure(bundle),
        transfer.figure(bundle),
        agents.figure(bundle, fleets_of(bundle)),
        spectrum.figure(spectrum.of_run(bundle, run), bundle),
        heat.figure(mapped(run, heat.COLUMNS), mapped(run, heat.NARROW_COLUMNS)),
        cost.of_run(bundle),
    ]
    drawn += [
        flames.figure(one) for one in flames.flames(stacks.read(bundle.folder), bundle.verdict)
    ]
    return [figure for figure in drawn if figure is not None]


def beside_published(run: Run, found: Sequence[Series]) -> list[Figure]:
    """Figures of a run beside published results: its capacity, and each figure that both have."""
    by_figure: dict[str, list[Series]] = {}
    for one in found:
        by_figure.setdefault(one.figure, []).append(one)
    drawn = [published_capacity.figure(run, by_figure.get("capacity", []))]
    drawn += [published.figure(run, by_figure.get(of, []), of) for of in published.KINDS]
    return [figure for figure in drawn if figure is not None]
