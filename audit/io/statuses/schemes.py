"""Status letters of other tools: scheme -> letter as written in files -> status. A new scheme is an entry here.

Sources: the tools' manuals and code lists.
"""

from collections.abc import Mapping
from typing import Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.model import Status
from tableseal.audit.model.status import WORDS
from tableseal.audit.plugins import load, refusal
from tableseal.audit.wording import listing, quoted, suggestion

_P, _S, _W, _U, _Z = (
    Status.PUBLISHED,
    Status.SECONDARY,
    Status.WITHHELD,
    Status.PRIMARY,
    Status.STRUCTURAL_ZERO,
)

SCHEMES: Mapping[str, Mapping[str, Status]] = {
    "words": WORDS,
    # tau-ARGUS: <SAFE> S, <UNSAFE> U, <PROTECT> P; M is written for secondary suppressions; numbers 1-14 (CellStatus).
    "tau-argus": {"": _P, "S": _P, "P": Status.MUST_PUBLISH, "U": _U, "M": _S, "X": _S, "Z": _Z}
    # E: empty, the published zero of a cell without contributors; it is not sensitive.
    | {"E": _P}
    | {"1": _P, "2": _P, "3": _U, "4": _U, "5": _U, "6": _U, "7": _U, "8": _U, "9": _U}
    | {"10": Status.MUST_PUBLISH, "11": _S, "12": _S, "13": _Z, "14": _Z},
    # SBS output of tau-ARGUS: A frequency, B and C dominance, D secondary, F p% rule, V safe.
    "sbs": {"": _P, "V": _P, "A": _U, "B": _U, "C": _U, "D": _S, "F": _U},
    "sdctable": {"": _P, "s": _P, "z": Status.MUST_PUBLISH, "u": _U, "x": _S, "w": Status.MISSING},
    # gconfid (suppressschema.py, auditschema.py): Status P published, S sensitive, X suppressed, V other; OutStatus P
    # published, X suppressed, whether sensitive or not.
    "gconfid": {"": _P, "V": _P, "P": _P, "S": _U, "X": _W},
    # CL_CONF_STATUS
    "sdmx-conf": {"": _P, "F": _P, "A": _U, "G": _U, "M": _U, "O": _U, "T": _U, "X": _U, "D": _S, "S": _S}
    | {"C": _W, "N": _W, "E": _W},
    # CL_OBS_STATUS: only M (cannot exist), Q (suppressed), L and O (not there) say something about disclosure.
    "sdmx-obs": {"": _P}
    | dict.fromkeys(("A", "B", "D", "E", "F", "I", "P", "S", "U", "V", "N", "W"), _P)
    | {"M": _Z, "Q": _W, "L": Status.MISSING, "O": Status.MISSING, "K": Status.MISSING},
}

GROUP: Final = "tableseal.status_schemes"


def scheme_letters(scheme: str | None, where: Place) -> Mapping[str, Status]:
    """The letters of a scheme, one of ours or one that an installed package adds; words if None.

    Raises
    ------
    InputError: no such scheme; `where` says where it was named. PluginError: a package that cannot be loaded, or adds
        something else than letters with status words.
    """
    if scheme is None or scheme in SCHEMES:
        return SCHEMES[scheme or "words"]
    found = load(GROUP, scheme, SCHEMES)
    if found is None:
        text = (
            f"there is no status scheme {quoted(scheme)}{suggestion(scheme, SCHEMES)}; schemes are {listing(SCHEMES)}."
        )
        raise InputError(text, at=where, found=quoted(scheme), expected=listing(SCHEMES))
    if not isinstance(found, Mapping) or not all(
        isinstance(letter, str) and isinstance(word, str) and word in WORDS for letter, word in found.items()
    ):
        raise refusal(GROUP, scheme, f"is no mapping of letters to status words ({listing(filter(None, WORDS))})")
    return {letter: WORDS[word] for letter, word in found.items()}
