"""Labels of codes (.cdl): `code,label` on each line."""

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus.words import lines_of
from tableseal.audit.wording import quoted


def read_code_list(text: str, source: str) -> dict[str, str]:
    """Code (without blanks around it) -> label. Codes that the data do not have say nothing.

    Raises
    ------
    InputError: a line without a comma, a code with two labels.
    """
    labels: dict[str, str] = {}
    for number, line in enumerate(lines_of(text), start=1):
        if not line.strip():
            continue
        code, comma, label = line.partition(",")
        place = Place(source, line=number)
        if not comma:
            raise InputError(found=quoted(line.strip()), expected="a code, a comma and its label", at=place)
        code, label = code.strip().strip('"').strip(), label.strip().strip('"').strip()
        if labels.setdefault(code, label) != label:
            raise InputError(f"code {quoted(code)} has another label above.", at=place)
    return labels
