"""`tableseal protect`: change values, and find out what is left to be worked out."""

from typing import TYPE_CHECKING

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.cli.written import refuse_mixtures, release_targets, write_release
from tableseal.api.options.protect import ProtectOptions, ProtectOutputs
from tableseal.api.options.release import ReleaseOptions
from tableseal.audit.language import lines_said, speaking

if TYPE_CHECKING:
    from tableseal.audit.report.call import Call
    from tableseal.suppression.protections.protect import Protection

LIMIT = 40
"""Cells listed in the text; the rest is in the JSON result."""


def protect_verb(
    context: typer.Context, release: ReleaseArgument, options: ProtectOptions, said: ReleaseOptions, to: ProtectOutputs
) -> Code:
    """Change the values of a release by a method, audit what is released, and say risk and utility.

    OUT holds no true value and nothing else that only the agency may know. Exit code: 0 the audit says safe, 1 unsafe,
    3 undecided.

    Example: tableseal protect release.yaml --method random-rounding --base 3 --seed 7 -o protected.yaml
    """
    from tableseal.api.protecting import chosen_settings, run_protection

    inputs = (release, said.policy)
    targets = {"--json": to.json, "--html": to.html}
    check_targets(targets | {"--output": to.output, "--confidential": to.confidential}, inputs=inputs)
    refuse_mixtures(output=to.output, confidential=to.confidential, symbol=to.symbol)
    chosen_settings(options)  # what was asked for wrongly is said before anything is read
    loaded = release_of(release, said)
    written = release_targets(loaded, "--output", to.output)
    written |= release_targets(loaded, "--confidential", to.confidential)
    check_targets(targets | written, inputs=(*inputs, *loaded.files))
    with Progress() as progress:
        found = run_protection(loaded, options, progress=progress)
    _write(found, given_call(context), to)
    return VERDICTS[found.verdict]


def _write(found: "Protection", call: "Call", to: ProtectOutputs) -> None:
    """The protected release first, if it may go out, then the results; the text moves to standard error where standard
    output is taken."""
    from tableseal.suppression.protections.document import protection_json
    from tableseal.suppression.protections.public import public_release
    from tableseal.suppression.protections.text import protection_text

    safe = found.verdict == "safe"
    if safe and to.output is not None:
        write_release(public_release(found.release), to.output, to.symbol)
    if safe and to.confidential is not None:
        write_release(found.release, to.confidential)
    if to.json is not None:
        write_target(to.json, protection_json(found, public=to.public))
    if to.html is not None:
        from tableseal.audit.report import public_copy, render_html

        with speaking(to.lang):
            page = render_html(public_copy(found.report) if to.public else found.report, found.release)
        write_target(to.html, page)
    kept = () if safe else tuple(file for file in (to.output, to.confidential) if file is not None)
    taken = STREAM in (to.json, to.html, to.output, to.confidential)
    with speaking(to.lang):
        text = lines_said(protection_text(found, limit=LIMIT, call=call, unwritten=kept, public=to.public))
    say(text, error=taken)
