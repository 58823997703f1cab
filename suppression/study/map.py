"""The risk-utility map of a study, as `compare` draws one for each table.

Source: Shlomo, Antal & Elliot 2015, figure 2; there utility runs to the right, here what is lost of it.
"""

from tableseal.suppression.comparison.chart import Chart, Dot, chart
from tableseal.suppression.study.study import Study

TOLERABLE = 0.15
"""The paper's example of a risk above which a table is not released: the line of the map."""


def study_maps(study: Study) -> list[Chart]:
    """A chart for each request, with its risk before as an open circle; methods above the line are open, too."""
    charts = []
    for asked in study.asked:
        dots = [Dot("R1", f"before: {asked.risk:.3f}", 0.0, asked.risk, False)]
        for answer in (a for a in study.answered if a.name == asked.name):
            text = f"{answer.method}: risk {answer.risk:.3f}, utility {answer.utility:.4f}"
            dots.append(Dot(answer.method, text, 1 - answer.utility, answer.risk, answer.risk <= TOLERABLE))
        drawn = chart(asked.name, "utility lost", "risk", dots, [], (TOLERABLE, "tolerable risk"))
        assert drawn is not None
        charts.append(drawn)
    return charts
