"""Notes of a release and of a report, and the codes that programs know them by."""

from dataclasses import dataclass
from typing import Annotated

from tableseal.audit.codec.declared import PUBLIC
from tableseal.audit.codec.kinds import Count


@dataclass(frozen=True)
class Note:
    """Something the reader of the report should know: what was assumed, passed over or warned about."""

    code: Annotated[str, "Short name of the kind of note, for programs.", PUBLIC]
    text: Annotated[str, "What to know, for people.", PUBLIC]
    count: Annotated[Count, "How often it applied.", PUBLIC] = 1


COLUMNS_LEFT_OUT = "columns_left_out"
"""Code of the note on columns of numbers that a bare data file holds besides its values: nobody looked at them."""

SUMS_UNCHECKED = "sums_unchecked"
"""Code of the note on a classification of a bare data file of which nothing bears out how its codes add up."""

MEASURE_NOT_JUDGED = "measure_not_judged"
"""Code of the note on measures of which neither a rule nor a status says what is sensitive, beside others."""

CONTRIBUTORS_UNUSED = "contributors_unused"
"""Code of the note on columns that by their names are about contributors, beside counts, and that nothing names."""

BELIEVABLE = "believable"
"""Code of the note on changed counts that readers may believe, because nearly all were left as they are."""

MISSING_KEYS = "missing_keys"
"""Code of the note on records without a key, which change no cell key."""

UNSTATED = "confidence_unstated"
"""Code of the note that it is not computed how far changed counts may be believed."""

ABOUT_CHANGES = (BELIEVABLE, MISSING_KEYS, UNSTATED)
"""Codes of the notes on how values were changed: an agency's copy keeps them, for later audits."""

RULE_IDLE = "rule_idle"
"""Code of the note on rules of a policy that look at no table of a release, because of what it tabulates."""

FACTS_DIFFER = "facts_differ"
"""Code of the note on what the agency says of contributors and that cannot all be true."""

OLD_FIGURES = "old_figures"
"""Code of the note on tables of a publication that were revised and that could not be combined with those of today."""

APART = "apart"
"""Code of the note on tables of a publication that nothing relates to a new release, and that were not judged again."""

WHAT_IF = "what_if"
"""Code of the note that something else was audited than the release as it is."""

CONSENT_UNCHECKED, ACCEPT_UNCHECKED = "consent_unchecked", "accept_unchecked"
"""Codes of notes on consent, and on what is accepted, that has an end in a release that gives no date."""
