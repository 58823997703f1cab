"""Every value of every shipped case comes out as expected."""

import pytest

from tableseal.api.cases import case_names, load_case, run_case


@pytest.mark.parametrize("name", case_names())
def test_case(name: str) -> None:
    deviating = [
        (found.expected.run, found.expected.what, found.expected.value, found.computed)
        for found in run_case(load_case(name))
        if not found.agrees
    ]
    assert not deviating
