"""Cell keys for magnitudes: every sum changed by the key of its cell, by shares of its largest contributions."""

import numpy as np

from tableseal.audit.linear.naming import plural
from tableseal.audit.model import Amounts
from tableseal.suppression.protections.cell_key import told_moments
from tableseal.suppression.protections.cell_keys.magnitude_settings import MagnitudeKeySettings, all_tables
from tableseal.suppression.protections.cell_keys.of_magnitudes import changed_magnitudes
from tableseal.suppression.protections.method import Changed, Tools
from tableseal.suppression.protections.subject import Subject


def change_magnitudes(subject: Subject, settings: MagnitudeKeySettings, tools: Tools) -> Changed:
    """Nothing is drawn: the keys of the records decide."""
    sensitive = subject.sensitivity(tools.policy).sensitive | subject.cells.sensitive_status
    found = changed_magnitudes(subject, settings, sensitive)
    moments = [f"{kind}: {one}" for kind, table in all_tables(found.tables) for one in told_moments(table, "value")]
    cut = [f"{plural(found.cut, 'change')} made smaller, so that what is told holds"] if found.cut else []
    return Changed(
        shown=Amounts(found.shown, np.ones(len(found.shown), np.bool_)),
        rounding=lambda table: found.stated[table.measure],
        notes=found.notes,
        details=(*moments, *cut),
    )
