"""How response times are spread: the percentile spectrum, and the map of them over the run."""

from headcount.report.content import ReportContent
from headcount.report.figures import heat, spectrum
from headcount.report.html.drawn import folded as of_figure
from headcount.report.markup import Html


def spread(content: ReportContent) -> Html | None:
    """Draw the percentile spectrum; nothing where no histograms were kept."""
    return of_figure(spectrum.figure(content.spectra, content))


def over_time(content: ReportContent) -> Html | None:
    """Draw the heat map; nothing where no histograms were kept."""
    return of_figure(heat.figure(content.heat, content.narrow_heat))
