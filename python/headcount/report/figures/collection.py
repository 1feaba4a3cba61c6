"""All figures of one run, in the order in which they are read."""

from headcount.analyse.answers import seconds
from headcount.analyse.heat import heat as mapped
from headcount.bundle.reader import Bundle
from headcount.report.figures import heat, response, spectrum, throughput, transfer, utilisation
from headcount.report.figures.record import Figure


def of_bundle(bundle: Bundle) -> list[Figure]:
    """Draw what a bundle has the numbers for: from the answer to its details."""
    run = seconds(bundle)
    drawn = [
        throughput.figure(bundle),
        response.figure(bundle),
        utilisation.figure(bundle),
        transfer.figure(bundle),
        spectrum.figure(spectrum.of_run(bundle, run), bundle),
        heat.figure(mapped(run, heat.COLUMNS), mapped(run, heat.NARROW_COLUMNS)),
    ]
    return [figure for figure in drawn if figure is not None]
