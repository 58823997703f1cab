"""Broken files for each reader; `python3 do.py fuzz` does the same with as many as one likes (a million)."""

import pytest

from tests.support.fuzz.campaign import campaign
from tests.support.fuzz.readers import readers

FEW_ARE_READ = ("archive", "jj", "policy")
"""Nearly everything in them is needed."""


@pytest.mark.parametrize("key", readers())
def test_broken_files_are_read_or_errors_for_users(key: str) -> None:
    # CONVENTION 681
    # CONVENTION 854
    *_, outcomes = campaign(key, range(150))
    if outcomes.faults:
        seed, what, error = outcomes.faults[0]
        raise AssertionError(f"{key} {seed}: {what}") from error
    assert outcomes.counts["read"] > (0 if key in FEW_ARE_READ else 5)
    assert outcomes.counts["read"] < 100
