"""What a job and its metadata say of cell keys -> our settings."""

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from tableseal.api.argus.files import JobFiles
from tableseal.api.argus.tables import Built
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.argus import commands as c
from tableseal.audit.io.argus.cell_keys import CellKeyWords
from tableseal.audit.io.argus.lookup import found_in
from tableseal.audit.io.argus.metadata import Metadata, Variable
from tableseal.audit.io.numbers import decimal
from tableseal.audit.io.sources import read_columns
from tableseal.audit.model import Ptable, Release
from tableseal.audit.wording import quoted

if TYPE_CHECKING:
    from tableseal.suppression.protections.cell_keys.changed_magnitudes import MagnitudeSettings
    from tableseal.suppression.protections.cell_keys.scaling import Scaling


def with_ptable(command: c.Suppress, release: Release, built: Built, files: JobFiles) -> Release:
    """A release of counts with its perturbation table: of the command, else of the record key.

    Raises
    ------
    InputError: there is none, or it cannot be read.
    """
    variable = _record_key(command, built)
    said = _behind(command, 0)
    name = said or (variable.cell_keys.counts.text if variable.cell_keys.counts is not None else "")
    if not name:
        text = "names no perturbation table for counts; expected <PFILE> below <RECORDKEY> in the metadata."
        raise InputError(text, at=variable.at)
    return replace(release, ptable=_ptable(name, command.at if said else variable.at, built, files, of_job=bool(said)))


def magnitude_settings(command: c.Suppress, built: Built, files: JobFiles) -> "MagnitudeSettings":
    """How the response of a table is changed.

    Raises
    ------
    InputError: the metadata say too little, or what does not go together; names the variable.
    """
    from tableseal.suppression.protections.cell_keys.changed_magnitudes import MagnitudeSettings

    key, variable = _record_key(command, built), _response(built)
    words = variable.cell_keys
    if words.by is None:
        text = f"variable {quoted(variable.name)} is not for cell keys; expected <CKM> T(k), M, D or V below it."
        raise InputError(text, at=variable.at)
    said = [_behind(command, at) for at in range(3)]
    names = [
        given or ("" if word is None else word.text)
        for given, word in zip(said, (key.cell_keys.values, key.cell_keys.small), strict=False)
    ]
    if not names[0]:
        text = "names no perturbation table for magnitudes; expected <PFILE_CONT> below <RECORDKEY> in the metadata."
        raise InputError(text, at=key.at)
    if words.separation and not names[1]:
        text = f"<SEPARATION> Y of {quoted(variable.name)} needs a table for small contributions (<PFILE_SEP>)."
        raise InputError(text, at=key.at)
    places = [command.at if given else key.at for given in said]
    tables = [
        _ptable(name, at, built, files, of_job=bool(given)) if wanted else None
        for name, at, given, wanted in zip(names, places, said, (True, words.separation), strict=False)
    ]
    assert tables[0] is not None
    return MagnitudeSettings(
        _scaling(variable), tables[0], tables[1], words.parity, words.zeros, _more(said[2], command.at)
    )


def _scaling(variable: Variable) -> "Scaling":
    from tableseal.suppression.protections.cell_keys.scaling import Scaling

    words = variable.cell_keys
    expected = _numbers_expected(words)
    if len(words.scaling) != expected:
        found = f"{len(words.scaling)} numbers in <SCALING> of {quoted(variable.name)}"
        raise InputError(found=found, expected=f"{expected}, as <CKM> says", at=variable.at)
    numbers = [float(number) for number in words.scaling]
    assert words.by is not None
    try:
        if words.flex:
            large, small, point, power = numbers[:4]
            return Scaling(words.by, (1.0, *numbers[4:]), small, large, point, power)
        return Scaling(words.by, (1.0, *numbers[1:]), numbers[0], numbers[0], inf)
    except InputError as error:
        raise InputError(f"<SCALING> of {quoted(variable.name)}: {error}", at=variable.at) from None


def _numbers_expected(words: CellKeyWords) -> int:
    return (4 if words.flex else 1) + words.top - 1


def _more(said: str, at: Place) -> float:
    try:
        return float(decimal(said)) if said else 0.0
    except ValueError:
        raise InputError(found=quoted(said), expected="a number (the extra change of sensitive cells)", at=at) from None


def _behind(command: c.Suppress, at: int) -> str:
    return command.behind[at].strip() if at < len(command.behind) else ""


def _metadata(built: Built) -> Metadata:
    assert built.records is not None
    return built.records.metadata


def _record_key(command: c.Suppress, built: Built) -> Variable:
    metadata = _metadata(built)
    found = metadata.of_role("record key")
    if len(found) != 1:
        text = f"{len(found)} variables have a <RECORDKEY>, expected one: the cell key method adds up keys of records"
        raise InputError(f"{text} (line {command.at.line} of the job).", at=metadata.source)
    if metadata.of_role("holding"):
        text = "keys of records do not go with holdings, which have several; leave <HOLDING> out."
        raise InputError(text, at=metadata.variables[metadata.of_role("holding")[0]].at)
    return metadata.variables[found[0]]


def _response(built: Built) -> Variable:
    metadata = _metadata(built)
    at = metadata.position(built.table.response)
    assert at is not None
    return metadata.variables[at]


def _ptable(name: str, at: Place, built: Built, files: JobFiles, *, of_job: bool) -> Ptable:
    """The perturbation table in a file: relative to the job, or to the metadata that name it."""
    if of_job:
        folder, there = files.found(name, at)
    else:
        folder, _ = files.found(built.plan.metadata.file, built.plan.metadata.at)
        there = found_in(folder, name)
    columns = read_columns(folder, there, at)
    return Ptable({key: tuple(column) for key, column in columns.data.items()}, columns.source)
