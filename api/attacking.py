"""Releases that are attacked together: the command line and Python come through here."""

from collections.abc import Sequence

from tableseal.audit.errors import InputError
from tableseal.audit.model import Release
from tableseal.audit.wording import listing, quoted, repeated


def side_by_side(named: Sequence[tuple[str, Release]]) -> Release:
    """What readers have who hold all of these; one release is itself. Each with what messages call it.

    Raises
    ------
    InputError: one of them twice; releases that do not agree, as `audit.together.combine`.
    """
    if len(named) == 1:
        return named[0][1]
    from tableseal.audit.together import Member, combine

    twice = repeated(label for label, _ in named)
    if twice:
        raise InputError(f"{quoted(twice[0])} is there twice.")
    return combine([Member(*one) for one in named], title=listing(release.title or label for label, release in named))
