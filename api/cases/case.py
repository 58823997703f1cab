"""What a case is, and where cases lie.

A case is a folder with `case.yaml` (title, source, licence, about, chosen, runs), the release files, and
`expected.json` (what is expected of which run, each value with its source).
"""

import difflib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.codec.exact_json import Json


@dataclass(frozen=True)
class Run:
    """One computation of a case; paths are absolute.

    kind: the verb, "audit", "risk", "sap" or "suppress". For an audit the other fields are the options of `tableseal
    audit`; for every other verb its options are in `options`. slow: takes minutes, so it is computed only on demand.
    """

    name: str
    release: Path
    kind: str = "audit"
    options: Mapping[str, object] = field(default_factory=dict)
    bounds: str = "integer"
    policy: Path | None = None
    withhold_primaries: bool = False
    cumulative: bool = False
    slow: bool = False


@dataclass(frozen=True)
class Expected:
    """One value a run must give.

    Attributes
    ----------
    run: name of the run.
    what: the value in words.
    field: what to look up; see `look_up` in the file of its kind.
    cell: variable -> code, for every variable of the release, and `measure` where there are several; None for values of
        the whole report.
    value: the value; numbers are exact.
    tolerance: largest allowed absolute difference of numbers.
    source: where the value comes from, beginning with "published" or "computed".
    """

    run: str
    what: str
    field: str
    cell: Mapping[str, str] | None
    value: "Json"
    tolerance: Fraction
    source: str


@dataclass(frozen=True)
class Case:
    """A shipped case."""

    name: str
    title: str
    source: str
    licence: str
    about: str
    chosen: str
    runs: tuple[Run, ...]
    expected: tuple[Expected, ...]


def cases_folder() -> Path:
    """Where the cases lie: inside the installed package, or beside it in a working copy."""
    shipped = Path(__file__).parents[1] / "shipped_cases"
    return shipped if shipped.is_dir() else Path(__file__).resolve().parents[2] / "cases"


def case_names() -> tuple[str, ...]:
    """Names of all shipped cases, sorted."""
    return tuple(sorted(path.parent.name for path in cases_folder().glob("*/case.yaml")))


def folder_of(name: str) -> Path:
    """The folder of a case.

    Raises
    ------
    InputError: no case has that name.
    """
    names = case_names()
    if name not in names:
        near = difflib.get_close_matches(name, names, n=1)
        hint = f'; did you mean "{near[0]}"?' if near else "."
        raise InputError(f'no shipped case is named "{name}"{hint} Cases: {", ".join(names)}.')
    return cases_folder() / name


def copy_case(name: str, target: Path) -> Path:
    """Copy the files of a case into a new folder.

    Raises
    ------
    InputError: no case has that name; the folder is there already, or cannot be made.
    """
    source = folder_of(name)
    if target.exists():
        raise InputError("is there already; choose the name of a new folder.", at=str(target))
    try:
        shutil.copytree(source, target)
    except OSError as error:
        raise InputError(f"cannot be made ({error.strerror or error}).", at=str(target)) from error
    return target


def load_case(name: str) -> Case:
    """Read one case.

    Raises
    ------
    InputError: no case has that name.
    """
    import yaml

    folder = folder_of(name)
    described = yaml.safe_load((folder / "case.yaml").read_text("utf-8"))
    values = json.loads((folder / "expected.json").read_text("utf-8"), parse_float=Fraction)["values"]
    return Case(
        name=name,
        **{key: described[key].strip() for key in ("title", "source", "licence", "about", "chosen")},
        runs=tuple(_run(folder, run) for run in described["runs"]),
        expected=tuple(_expected(value) for value in values),
    )


def _run(folder: Path, run: Mapping[str, object]) -> Run:
    paths = {key: folder / str(run[key]) for key in ("release", "policy") if key in run}
    return Run(**(dict(run) | paths))  # type: ignore[arg-type]  # keys are checked by the dataclass


def _expected(value: Mapping[str, object]) -> Expected:
    fields = {"cell": None, "tolerance": 0, **value}
    tolerance = Fraction(str(fields.pop("tolerance")))
    return Expected(value=fields.pop("expected"), tolerance=tolerance, **fields)  # type: ignore[arg-type]
