"""Requests in few words, for the command line: `region@NUTS2,sex`, `age=0-15`."""

from collections.abc import Sequence
from typing import Any

from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.hypercube.request_document import VERSION_KEY


def request_in_words(
    by: str = "",
    where: Sequence[str] = (),
    areas: str | None = None,
    measure: str | None = None,
    mean: str | None = None,
    share: Sequence[str] = (),
) -> dict[str, Any]:
    """A request as a document.

    by: variables separated by commas, each alone or with @level. where, share: VARIABLE=CODE,..., one each.

    Raises
    ------
    InputError: no equals sign, a variable that stands twice.
    """
    said = {"areas": areas, "measure": measure, "mean": mean}
    return {
        VERSION_KEY: "1",
        "by": [name.strip() for name in by.split(",") if name.strip()],
        "where": _codes(where, "where"),
        **({"share": _codes(share, "share")} if share else {}),
        **{key: value for key, value in said.items() if value is not None},
    }


def _codes(said: Sequence[str], option: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in said:
        name, sign, codes = text.partition("=")
        if not sign or not name.strip() or not codes.strip():
            raise InputError(expected="VARIABLE=CODE,..., such as age=0-15", at=OptionName(option, text))
        if name.strip() in found:
            text = f"the variable {name.strip()} is given twice; list its codes: {name.strip()}=A,B."
            raise InputError(text, at=OptionName(option))
        found[name.strip()] = [code.strip() for code in codes.split(",")]
    return found
