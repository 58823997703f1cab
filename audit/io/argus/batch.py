"""Jobs of tau-ARGUS (.arb): text -> commands. Whether what they name is there is not asked here."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.words import Word, lines_of, unknown_keyword, whole_number, words
from tableseal.audit.io.numbers import decimal
from tableseal.audit.wording import listing, quoted, suggestion

_SIGNS = "(),|"
_HIGHEST_POWER = 10


def read_batch(text: str, source: str) -> list[c.Command]:
    """The commands of a job, in order.

    Raises
    ------
    InputError: an unknown keyword or an argument that is missing or wrong; names line, column and keyword.
    """
    found: list[c.Command] = []
    for number, line in enumerate(lines_of(text), start=1):
        if line.lstrip().startswith(("//", "\\\\")):
            continue
        said = words(line, Place(source, line=number), _SIGNS)
        comment = next(
            (at for at, word in enumerate(said) if word.kind == "plain" and word.text.startswith("//")), None
        )
        said = said[:comment]
        if not said:
            continue
        if said[0].kind != "keyword":
            raise InputError(found=said[0].shown, expected="a keyword, such as <OPENTABLEDATA>", at=said[0].at)
        if said[0].text not in _COMMANDS:
            raise unknown_keyword(said[0], tuple(_COMMANDS))
        rest = _Line(said)
        found.append(_COMMANDS[said[0].text](rest))
        rest.end()
    if not found:
        raise InputError("holds no command.", at=source)
    return found


class _Line:
    """The words of a line, taken one after another."""

    def __init__(self, said: list[Word]) -> None:
        self.keyword, self._words, self._next = said[0], said, 1

    @property
    def at(self) -> Place:
        """Of the keyword."""
        return self.keyword.at

    def peek(self) -> Word | None:
        """The next word, if any."""
        return self._words[self._next] if self._next < len(self._words) else None

    def take(self, what: str) -> Word:
        """The next word; `what` says what is expected."""
        word = self.peek()
        if word is None:
            raise InputError(f"{self.keyword.text}: the line ends where {what} is expected.", at=self._words[-1].at)
        self._next += 1
        return word

    def text(self, what: str) -> Word:
        """The next word, which is no sign."""
        word = self.take(what)
        if word.kind == "sign":
            raise self.wrong(word, what)
        return word

    def sign(self, sign: str) -> None:
        """The next word is this sign."""
        word = self.take(f'"{sign}"')
        if word.kind != "sign" or word.text != sign:
            raise self.wrong(word, f'"{sign}"')

    def has(self, sign: str) -> bool:
        """Whether the next word is this sign, which is taken then."""
        word = self.peek()
        if word is None or word.kind != "sign" or word.text != sign:
            return False
        self._next += 1
        return True

    def up_to(self, signs: str) -> list[Word]:
        """Words before the next of these signs, or the end."""
        found = []
        while (word := self.peek()) is not None and not (word.kind == "sign" and word.text in signs):
            found.append(word)
            self._next += 1
        return found

    def wrong(self, word: Word, expected: str) -> InputError:
        """A word that should not be here."""
        found = f"{word.shown} behind {self.keyword.text}"
        return InputError(found=found, expected=expected, at=word.at)

    def end(self) -> None:
        """Nothing more stands in the line."""
        word = self.peek()
        if word is not None:
            raise self.wrong(word, "the end of the line")


def _file(line: _Line) -> str:
    return "".join(word.text if at == 0 else f" {word.text}" for at, word in enumerate(_file_words(line)))


def _file_words(line: _Line) -> list[Word]:
    """A name of a file: in quotes, or the rest of the line."""
    first = line.take("the name of a file")
    found = [first]
    while first.kind != "quoted" and (word := line.peek()) is not None and word.kind == "plain":
        found.append(line.take("the name of a file"))
    if first.kind == "sign" or not first.text.strip():
        raise line.wrong(first, "the name of a file")
    return found


def _specify(line: _Line) -> c.SpecifyTable:
    variables = line.up_to("|")
    if not variables:
        raise InputError("<SPECIFYTABLE>: names no variable that spans the table.", at=line.at)
    for at, word in enumerate(variables):
        if word.text.casefold() in {before.text.casefold() for before in variables[:at]}:
            raise InputError(f"<SPECIFYTABLE>: names {quoted(word.text)} twice; expected each once.", at=word.at)
    line.sign("|")
    response = line.text("the response, or <freq>").text
    shadow = cost = None
    power = Fraction(1)
    if line.has("|"):
        shadow = _joined(line.up_to("|"))
    if line.has("|"):
        cost = _joined(line.up_to(",|"))
    if line.has(",") or line.has("|"):
        rest = line.up_to("")
        if rest:
            power = _decimal(rest[0], line, "the power of the costs (lambda)")
            if not 0 <= power <= _HIGHEST_POWER:
                raise line.wrong(rest[0], f"a power of the costs (lambda) from 0 to {_HIGHEST_POWER}")
    return c.SpecifyTable(line.at, tuple(word.text for word in variables), response, shadow, cost, power)


def _joined(said: list[Word]) -> str | None:
    return " ".join(word.text for word in said).strip() or None


def _rules(line: _Line) -> c.SafetyRule:
    rules: list[c.RuleCall] = []
    while (word := line.peek()) is not None:
        name = line.text("a rule").text.upper()
        if name not in c.RULES:
            text = f"rule {word.shown} is not known{suggestion(name, c.RULES)}; rules are {listing(c.RULES)}."
            raise InputError(text, at=word.at, found=word.shown, expected=listing(c.RULES))
        numbers = [_decimal(number, line, "a number") for number in _arguments(line)]
        least, most = c.RULES[name]
        if not least <= len(numbers) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise InputError(f"{name} has {len(numbers)} numbers in its brackets, expected {wanted}.", at=word.at)
        rules.append(c.RuleCall(name, tuple(numbers), word.at))
        if not line.has("|"):
            break
    return c.SafetyRule(line.at, tuple(rules))


def _arguments(line: _Line) -> list[Word]:
    """`(a, b, c)`; one that is left out is an empty word."""
    line.sign("(")
    found = []
    while True:
        said = line.up_to("),")
        if len(said) > 1:
            raise line.wrong(said[1], '"," or ")"')
        found.append(said[0] if said else Word("", "plain", line.at))
        if line.has(")"):
            return found
        line.sign(",")


def _read_table(line: _Line) -> c.ReadTable:
    if line.peek() is None:
        return c.ReadTable(line.at, 0)
    word = line.text("0, 1, 1T or 2")
    said = word.text.upper()
    if said not in ("0", "1", "1F", "1T", "2"):
        raise line.wrong(word, "0 (totals as given), 1 (computed), 1T (computed, statuses kept) or 2")
    return c.ReadTable(line.at, int(said[0]), said == "1T")


def _apriori(line: _Line) -> c.Apriori:
    file = _file(line)
    line.sign(",")
    table = whole_number(line.text("the number of a table"), "number of a table", 1)
    line.sign(",")
    separator = line.text('the separator, such as ";"').text
    if not separator:
        raise InputError('<APRIORI>: the separator is empty, expected one such as ";".', at=line.at)
    flags = [True, False]
    for at in range(2):
        if line.has(","):
            said = line.up_to(",")
            if said and said[0].text not in ("0", "1"):
                raise line.wrong(said[0], "0 or 1")
            flags[at] = said[0].text == "1" if said else flags[at]
    return c.Apriori(line.at, file, table, separator, *flags)


def _recode(line: _Line) -> c.RecodeTable:
    table = whole_number(line.text("the number of a table"), "number of a table", 1)
    line.sign(",")
    variable = line.text("a variable").text
    line.sign(",")
    by = _file(line)
    return c.RecodeTable(line.at, table, variable, int(by) if len(by) == 1 and by in "123456789" else by)


def _suppress(line: _Line) -> c.Suppress:
    word = line.text("a method")
    method = word.text.upper()
    if method not in c.METHODS:
        text = f"method {word.shown} is not known{suggestion(method, c.METHODS)}; methods are {listing(c.METHODS)}."
        raise InputError(text, at=word.at, found=word.shown, expected=listing(c.METHODS))
    arguments = _arguments(line)
    table = whole_number(arguments[0], "number of a table, 0 for all as linked")
    behind = _behind(line) if method == "CKM" else ()
    return c.Suppress(line.at, method, table, tuple(word.text for word in arguments[1:]), behind)


def _behind(line: _Line) -> tuple[str, ...]:
    """`"table" | "table for small cells" | number`; the rest may be left out."""
    found: list[str] = []
    while line.peek() is not None:
        found.append(" ".join(word.text for word in line.up_to("|")))
        if line.has("|") and line.peek() is None:
            found.append("")
    return tuple(found)


def _write(line: _Line) -> c.WriteTable:
    line.sign("(")
    table = whole_number(line.text("the number of a table"), "number of a table", 1)
    line.sign(",")
    word = line.text("a type")
    kind = whole_number(word, "type of output", 1)
    if kind > 7:
        raise line.wrong(word, "1 csv, 2 pivot, 3 code-value, 4 SBS, 5 intermediate, 6 JJ or 7 CKM")
    line.sign(",")
    number = _number(line)
    options = _options(line) if number is None else {c.NUMBERED[kind]: number > 0} if kind in c.NUMBERED else {}
    line.sign(",")
    file = _file(line)
    line.sign(")")
    return c.WriteTable(line.at, table, kind, options, file, number)


def _number(line: _Line) -> int | None:
    """The digit that older versions have in place of options, if there is one."""
    word = line.peek()
    if word is None or word.kind != "plain" or word.text not in tuple("0123"):
        return None
    return int(line.text("a number").text)


def _options(line: _Line) -> Mapping[str, bool]:
    """`AS+FL-`: on and off."""
    found: dict[str, bool] = {}
    for word in line.up_to(","):
        said = word.text.upper()
        for start in range(0, len(said), 3):
            name, on = said[start : start + 2], said[start + 2 : start + 3]
            if name not in c.OPTIONS or on not in ("+", "-") or not on:
                raise line.wrong(word, f"options such as AS+FL-, of {listing(c.OPTIONS)}")
            found[name] = on == "+"
    return found


def _decimal(word: Word, line: _Line, what: str) -> Fraction:
    try:
        return decimal(word.text)
    except ValueError:
        raise line.wrong(word, what) from None


def _solver(line: _Line) -> c.PassedOver:
    line.up_to("")
    return c.PassedOver(line.at, line.keyword.text, "the solver is ours (HiGHS)")


def _nothing(why: str) -> Callable[[_Line], c.Command]:
    return lambda line: c.PassedOver(line.at, line.keyword.text, why)


_COMMANDS: Final[Mapping[str, Callable[[_Line], c.Command]]] = {
    "<OPENTABLEDATA>": lambda line: c.OpenData(line.at, _file(line), micro=False),
    "<OPENMICRODATA>": lambda line: c.OpenData(line.at, _file(line), micro=True),
    "<OPENMETADATA>": lambda line: c.OpenMetadata(line.at, _file(line)),
    "<SPECIFYTABLE>": _specify,
    "<SAFETYRULE>": _rules,
    "<READTABLE>": _read_table,
    "<READMICRODATA>": lambda line: c.ReadMicrodata(line.at),
    "<APRIORI>": _apriori,
    "<APRIORY>": _apriori,
    "<RECODE>": _recode,
    "<SUPPRESS>": _suppress,
    "<WRITETABLE>": _write,
    "<LOGBOOK>": lambda line: c.WriteText(line.at, _file(line), "logbook"),
    "<VERSIONINFO>": lambda line: c.WriteText(line.at, _file(line), "version"),
    "<CLEAR>": lambda line: c.Clear(line.at),
    "<SOLVER>": _solver,
    "<GOINTERACTIVE>": _nothing("there are no windows"),
    "<SILENT>": _nothing("there are no windows"),
    "<ANCO>": _nothing("it changes nothing here"),
}
