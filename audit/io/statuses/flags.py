"""Does a column say which cells are withheld, in flags that nobody has explained?

Two things speak for it: its name (`suppressed`, `is_withheld`, `conf`, `Geheimhaltung`, `flag`, ...) with entries that
are no measured numbers, and entries that mark some rows and not others (0/1, TRUE/FALSE, yes/no, x and nothing, letters
and nothing, `ok` and `suppressed`) whatever its name. What the flags mean is never guessed.
"""

import json
import re
from collections.abc import Mapping

from tableseal.audit.io.column import Column
from tableseal.audit.io.numbers import looks_like_number

_CLEAR_NO = frozenset(("", "0", "false", "no", "non", "nein", "nej", "nei", "falsch", "faux", "falso", "off", "-"))
_NO = _CLEAR_NO | {"f", "n", ".", "na", "nan", "null", "none"}
# fmt: off
_YES = frozenset((
    "1", "true", "t", "yes", "y", "oui", "ja", "j", "si", "sí", "sì", "tak", "da", "on", "wahr", "vrai", "vero",
    "verdadero", "x", "xx", "✓", "✔", "☑", "☒", "*", "**", "***", "#", "+",
))
# fmt: on
"""Entries that say that something is not so (N and F may be letters of a scheme), or that it is; in lower case."""

_NAME = re.compile(
    r"suppr|withh[eo]ld|confidenti|confidencial|konfiden|geheim|gesperrt|sperr(?:ung|vermerk)|vertraulich|"
    r"unterdr(?:ue|u|ü)ck|redact|censor|zensier|undertrykt|skjult|prikk|riservat|segret|oculto|masqu|"
    r"(?:^|_)(?:conf|flags?|masked|hidden|hide|secret|disclosive|sensitive|unsafe|primary|secondary|primaer|prim[äa]r|"
    r"sekund[äa]r|protected|blanked|anonymi[sz]ed)(?:_(?:status|flag|code|ind|indicator|cell|yn|x))?$|"
    r"^(?:(?:conf|obs|cell|disclosure|sdc)_?)?status$|^flags?_|_flags?$"
)
"""Names of columns that say which cells are withheld (lower case, words joined by `_`)."""

_MEASURED = re.compile(r"confidence|(?:^|_)(?:n|no|number|count|share|percent|pct|lower|upper|low|high)(?:_|$)")
"""Names that speak of something measured all the same."""

_INVERSE = re.compile(
    r"(?:^|_)(?:publish(?:ed|able)?|publi[ck]\w*|releas\w*|disclos(?:ed|able)|visible|shown?|open|safe|ok|freigegeben|"
    r"veröffentlicht|veroeffentlicht|diffusable)(?:_|$)|^pub(?:_|$)"
)
"""Names of columns that say which cells are not withheld."""

_WORD = re.compile(
    r"(?:(?:primary|secondary|complementary|is|was|cell|value)[ _-])?"
    r"(?:suppress(?:ed|ion)?|withh[eo]ld|confidential|masked|redacted|hidden|secret|sensitive|unsafe|disclosive|geheim|"
    r"geheimgehalten|gesperrt|vertraulich|unterdrückt|supprimé|confidentiel|secreto|riservato|"
    r"konfidentiell|not (?:to be )?(?:published|released|disclosed)|do not (?:publish|release))"
    r"(?:[ _-](?:cell|value|suppression|data))?"
)
"""Entries that say in words that a cell is withheld."""

_SHORT = 4
"""Characters of a letter or sign that marks a row."""

_CODES = 20
"""Whole numbers up to here may be codes of statuses."""


def looks_like_flags(name: str, entries: Column) -> bool:
    """Whether a column that is used for nothing else may say that some of the rows are withheld."""
    found = {_plain(entry) for entry in entries.texts}
    texts = found - {""}
    if not texts:
        return False
    if found <= _NO | _YES and found & _NO and (found & _YES or says_published(name)):
        return True
    numbers = [text for text in texts if looks_like_number(text)]
    if named_like_flags(name):
        measured = len(numbers) == len(found) and not all(map(_is_code, numbers))
        return not measured and not found <= _CLEAR_NO
    return not numbers and (any(map(_WORD.fullmatch, texts)) or ("" in found and all(len(t) <= _SHORT for t in texts)))


def are_yes_or_no(entries: Column) -> bool:
    """Whether all entries say yes or no (0/1, TRUE/FALSE, x and nothing, ...), and some say one of them."""
    found = {_plain(entry) for entry in entries.texts}
    return found <= _NO | _YES and found != {""}


def named_like_flags(name: str) -> bool:
    """Whether a column's name says that it holds flags of withheld cells."""
    plain = _name(name)
    return _NAME.search(plain) is not None and _MEASURED.search(plain) is None


def says_published(name: str) -> bool:
    """Whether a column's name says that its flags mark what is not withheld."""
    plain = _name(name)
    return _INVERSE.search(plain) is not None and not named_like_flags(name)


def flags_of(entries: Column) -> dict[str, int]:
    """Flags that may be shown, as written, each with its number of rows: of numbers, which may be values, 0 and 1."""
    found: dict[str, int] = {}
    for entry, rows in zip(entries.texts, entries.counts().tolist(), strict=True):
        text = (entry or "").strip()
        plain = _plain(entry)
        if text and (plain in _NO | _YES or (len(text) <= _SHORT and not looks_like_number(text))):
            found[text] = found.get(text, 0) + rows
    return found


def meanings(name: str, entries: Column) -> Mapping[str, str]:
    """What flags of that name would usually mean: a proposal for a person. flag -> status word, `...` where that is
    open (letters)."""
    plain = _name(name)
    if not are_yes_or_no(entries):
        return dict.fromkeys(flags_of(entries), "...")
    reason = next((word for word in ("primary", "secondary") if word in plain), "withheld")
    no, yes = (reason, "published") if says_published(name) else ("published", reason)
    return {flag: no if _plain(flag) in _NO else yes for flag in flags_of(entries)}


def map_text(said: Mapping[str, str]) -> str:
    """Meanings as a release file says them."""
    return ", ".join(f"{json.dumps(flag, ensure_ascii=False)}: {word}" for flag, word in said.items())


def _plain(entry: str | None) -> str:
    text = (entry or "").strip().lower()
    return re.sub(r"^([01])[.,]0+$", r"\1", text)


def _name(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", words).strip("_").lower()


def _is_code(number: str) -> bool:
    return re.fullmatch(r"[0-9]{1,2}(?:[.,]0+)?", number) is not None and int(re.split("[.,]", number)[0]) <= _CODES
