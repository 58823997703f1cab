"""`tableseal compare`: several methods of protection side by side."""

from typing import TYPE_CHECKING

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.cli.workers import refuse_two_places, workers
from tableseal.api.options.compare import CompareOptions, CompareOutputs
from tableseal.api.options.release import ReleaseOptions
from tableseal.audit.language import lines_said, speaking

if TYPE_CHECKING:
    from tableseal.audit.report.call import Call
    from tableseal.suppression.comparison.compare import Comparison


def compare_verb(
    context: typer.Context, release: ReleaseArgument, options: CompareOptions, said: ReleaseOptions, to: CompareOutputs
) -> Code:
    """Protect a release in several ways and audit each: cells, cost, intervals, entropy and rank side by side.

    Withheld cells need their true values. Nothing that is written here is for the public.

    Example: tableseal compare release.yaml --methods optimal,modular,rank --html compare.html
    """
    from tableseal.api.suppressing import run_comparison

    refuse_two_places(to.scheduler, to.jobs)
    targets = {"--json": to.json, "--html": to.html}
    check_targets(targets, inputs=(release, said.policy))
    loaded = release_of(release, said)
    check_targets(targets, inputs=(release, said.policy, *loaded.files))
    with Progress() as progress, workers(to.scheduler, to.jobs, here=True) as executor:
        comparison = run_comparison(loaded, options, progress=progress, executor=executor)
    _write(comparison, given_call(context), to)
    return Code.DONE


def _write(comparison: "Comparison", call: "Call", to: CompareOutputs) -> None:
    """Files first, then the text; the text moves to standard error where standard output is taken."""
    from tableseal.suppression.comparison.document import comparison_json
    from tableseal.suppression.comparison.text import comparison_text

    if to.json is not None:
        write_target(to.json, comparison_json(comparison))
    if to.html is not None:
        from tableseal.suppression.comparison.html import comparison_html

        with speaking(to.lang):
            page = comparison_html(comparison)
        write_target(to.html, page)
    with speaking(to.lang):
        text = lines_said(comparison_text(comparison, explain=to.explain, asked=call))
    say(text, error=STREAM in (to.json, to.html))
