"""Broken files of each format; `python tests/support/format_fuzz.py COUNT` does the same for as many as one likes."""

import pytest

from tableseal.audit.io.formats.format import Format
from tableseal.audit.io.formats.registry import FORMATS
from tests.support.format_fuzz import campaign

WRITTEN = [one for one in FORMATS if one.writes]


@pytest.mark.parametrize("target", WRITTEN, ids=[one.key for one in WRITTEN])
def test_broken_files_are_releases_or_errors_for_users(target: Format) -> None:
    # CONVENTION 681
    ((_, outcomes),) = campaign([target], 400)
    assert outcomes["InputError"] > 200
    assert outcomes["read"] > 20
