"""Anything that the door takes for a release -> Release."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tableseal.api.python.document import with_columns
from tableseal.api.python.frames import SOURCE, Frame, column_words, frame_kind, mask_words, read_frame
from tableseal.api.python.keywords import OfRecords
from tableseal.api.python.origin import Origin
from tableseal.api.python.result import Result
from tableseal.api.python.words import KEYWORDS
from tableseal.audit.errors import InputError, OptionName, Place
from tableseal.audit.io import policy_from_document, read_policy, read_release, release_from_document
from tableseal.audit.io.columns import Columns
from tableseal.audit.io.files import Folder
from tableseal.audit.io.formats.dataset import document_of, hinted
from tableseal.audit.io.formats.registry import format_in
from tableseal.audit.io.hierarchies import LEADING, hrc_edges, level_edges, parent_edges
from tableseal.audit.io.hints import Hints
from tableseal.audit.io.records_document import AboutRecords, read_records
from tableseal.audit.io.release_file import release_from_columns, release_from_records, release_with_data
from tableseal.audit.io.scalars import scalar_text
from tableseal.audit.io.sources import is_data_file, read_columns
from tableseal.audit.io.trees import tree_of
from tableseal.audit.io.yaml_text import Document, as_text
from tableseal.audit.model import Policy, Release
from tableseal.audit.wording import a_kind, listing, quoted, suggestion

if TYPE_CHECKING:
    from tableseal.api.python.keywords import Reading
    from tableseal.audit.model.hierarchy import Edge

A_FILE_OF_RECORDS = "records: a DataFrame, or the path of a bare data file"
A_RELEASE = "the path of a release or data file, a release document (a dict), a Release, or a DataFrame"


@dataclass(frozen=True)
class Given:
    """A release, and what it was."""

    release: Release
    origin: Origin


def given(data: object, said: "Reading") -> Given:
    """The release in whatever the door takes for one.

    Raises
    ------
    InputError: says what was found and what to pass.
    """
    policy = said.to_policy() if said.policy is None else _policy(said)
    if isinstance(said, OfRecords) and (by := said.of_records()) is not None:
        return _of_records(data, said, by, policy)
    if isinstance(data, Result):
        data = data.as_tables(A_RELEASE)
    if isinstance(data, Release):
        _refuse_hints(said, "a Release")
        if isinstance(policy, Path):
            policy = read_policy(policy)
        return Given(data if policy is None else replace(data, policy=policy), _origin_of(data))
    if isinstance(data, str | os.PathLike):
        return _from_file(existing(data), said, policy)
    if isinstance(data, Mapping):
        return _from_document(data, said, policy)
    kind = frame_kind(data)
    if kind is None:
        raise InputError(found=a_kind(data), expected=A_RELEASE)
    frame = read_frame(data, kind)
    release = _from_columns(frame.columns, said, policy, "table", None, data, frame)
    (table,) = release.tables
    assert table.headings is not None
    headings = replace(table.headings, library=kind, whole=frame.whole, index=frame.index)
    release = replace(release, tables=(replace(table, headings=headings),))
    return Given(release, replace(_origin_of(release), title=SOURCE))


def _of_records(data: object, said: "OfRecords", by: Sequence[Sequence[str]], policy: Path | Policy | None) -> Given:
    """The release whose tables are made of records, a DataFrame or a bare data file."""
    kind = None if isinstance(data, str | os.PathLike | Mapping) else frame_kind(data)
    inputs: tuple[Path, ...] = ()
    if isinstance(data, str | os.PathLike):
        path = existing(data, A_FILE_OF_RECORDS)
        columns, title, inputs = read_records(path), path.stem, (path,)
    elif kind is not None:
        columns, title = read_frame(data, kind).columns, ""
    else:
        raise InputError(found=a_kind(data), expected=A_FILE_OF_RECORDS, at=OptionName("by"))
    trees = {name: {"tree": _tree(name, tree)} for name, tree in (said.hierarchies or {}).items()}
    total, unit = _totals(said.total), said.unit_text()
    about = AboutRecords(by, said.value, said.id, said.holding, said.weight, total, trees, said.kind, unit)
    release = release_from_records(columns, about, KEYWORDS, title=title, policy=policy)
    return Given(release, Origin(kind, inputs=inputs, title=SOURCE if kind else Path(title).name))


def _origin_of(release: Release) -> Origin:
    """What a release was read from."""
    headings = [table.headings for table in release.tables if table.headings is not None]
    libraries = [each.library for each in headings if each.library is not None]
    whole = frozenset[str]().union(*(each.whole for each in headings))
    indexes = [each.index for each in headings if each.index is not None]
    index = indexes[0] if len(release.tables) == 1 and indexes else None
    return Origin(libraries[0] if libraries else None, whole, release.files, index=index)


def existing(path: "str | os.PathLike[str]", expected: str = A_RELEASE) -> Path:
    """The path of a file that is there. expected: what it is the path of.

    Raises
    ------
    InputError: no such file, a folder, or no path at all.
    """
    text = os.fspath(path)
    if not isinstance(text, str) or "\n" in text or not text.strip():
        raise InputError(
            f"found {'bytes' if isinstance(text, bytes) else 'text'} that is no path, expected {expected}."
        )
    found = Path(text).expanduser()
    try:
        there = found.exists()
    except (OSError, ValueError):
        there = False
    if not there:
        beside = [each.name for each in found.parent.iterdir()] if found.parent.is_dir() else []
        hint = suggestion(found.name, beside) if beside else ""
        raise InputError(f"there is no such file{hint}; expected {expected}.", at=quoted(text))
    if found.is_dir():
        raise InputError(f"this is a folder; expected {expected}.", at=quoted(text))
    return found


def _policy(said: "Reading") -> Path | Policy | None:
    """The policy that is given, as a file, a document or itself."""
    policy, expected = said.policy, "the path of a policy file, a policy document (a dict) or a Policy"
    if isinstance(policy, str | os.PathLike):
        return said.instead_of(existing(policy, expected))
    if said.documents():
        text = "rules are in the policy already; give either policy or rules, not both."
        raise InputError(text, at=OptionName("policy"))
    if isinstance(policy, Policy):
        return policy
    if isinstance(policy, Mapping):
        return policy_from_document(policy)
    raise InputError(found=a_kind(policy), expected=expected, at=OptionName("policy"))


def _refuse_hints(said: "Reading", what: str) -> None:
    """Refuse keywords that say what a bare table holds beside something that says so itself."""
    given = said.about_tables()
    if given:
        raise InputError(
            f"{listing(f'{name}=' for name in given)}: {what} says itself what its tables hold; these keywords are for "
            "DataFrames and bare data files."
        )


_OF_DATASETS = ("total", "hierarchies", "kind", "unit", "marks", "rounded", "absent")
"""Keywords that say of a file of another format what it leaves open."""


def _from_file(path: Path, said: "Reading", policy: Path | Policy | None) -> Given:
    folder = Folder(path.parent)
    found = format_in(folder, path.name)
    if found is not None and found.columns:
        others = [name for name in said.about_tables() if name not in _OF_DATASETS]
        if others:
            raise InputError(
                f"{listing(f'{name}=' for name in others)}: {path.name} says itself what its columns are; of it "
                f"{listing(f'{name}=' for name in _OF_DATASETS)} may be said."
            )
        dataset = hinted(found.dataset(folder, path.name, said.letters() or {}), _hints(said))
        document, notes = document_of(replace(dataset, advice=KEYWORDS))
        folder.notes.extend(notes)
        release = release_with_data(document, folder, path.name, policy)
        return Given(release, Origin(inputs=(path, *release.files), title=path.name))
    if said.about_tables() and is_data_file(path):
        columns = read_columns(Folder(path.parent), path.name, Place(path.name))
        release = _from_columns(columns, said, policy, path.stem, path.stem, None, None)
    else:
        if not is_data_file(path):
            _refuse_hints(said, path.name)
        release = read_release(path, policy=policy, status_map=said.letters())
    return Given(release, Origin(inputs=(path, *release.files), title=path.name))


def _from_document(data: Mapping[Any, Any], said: "Reading", policy: Path | Policy | None) -> Given:
    if "tableseal" not in data:
        found, keys = "an empty dict", ""
        if data:
            found, keys = "a dict without the key tableseal", f"; keys are {listing(map(str, data))}"
        raise InputError(
            f"found {found}, expected a release document (it begins with tableseal: 1){keys}. Columns go into a "
            "DataFrame first."
        )
    _refuse_hints(said, "a release document")
    release = release_from_document(with_columns(data), folder=Path.cwd(), policy=policy, status_map=said.letters())
    return Given(release, Origin(inputs=release.files))


def _from_columns(
    columns: Columns,
    said: "Reading",
    policy: Path | Policy | None,
    name: str,
    title: str | None,
    data: object,
    frame: Frame | None,
) -> Release:
    """The release of one bare table, as far as keywords say what its columns hold."""
    primary = None
    if said.primary is not None:
        if isinstance(said.primary, str):
            words = column_words(columns, said.primary)
            primary = said.primary
        else:
            words = mask_words(said.primary, len(columns), data)
            primary = next(n for n in ("primary", "primary_mask", "primary_mask_2") if n not in columns.data)
        columns = replace(columns, data={**columns.data, primary: words})
    numbers = frozenset[str]() if frame is None else frame.numbers
    hints = replace(_hints(said), primary=primary, numbers=numbers)
    return release_from_columns(columns, name, hints, KEYWORDS, title=title, policy=policy, status_map=said.letters())


def _hints(said: "Reading") -> Hints:
    """What keywords say of a table."""
    return Hints(
        _document(said.table_entry()),
        variables=said.columns_of_codes(),
        totals=_totals(said.total),
        trees={variable: _tree(variable, tree) for variable, tree in (said.hierarchies or {}).items()},
        kind=said.kind,
        unit=said.unit_text(),
    )


def _document(entry: Mapping[str, Any]) -> dict[str, Document]:
    found = as_text(entry, Place(SOURCE))
    assert isinstance(found, dict)
    return found


def _totals(total: object) -> Mapping[str, str | None] | str | None:
    """What `total=` says: one code for all classifications, or one for each."""
    if isinstance(total, Mapping):
        return {str(name): None if code is None else _code(code, f"total[{name!r}]") for name, code in total.items()}
    return None if total is None else _code(total, "total")


def _code(code: object, what: str) -> str:
    try:
        text = scalar_text(code)
    except TypeError:
        text = None
    if text is None:
        raise InputError(found=a_kind(code), expected="a code", at=OptionName(what))
    return text


def _tree(variable: str, tree: Any) -> Document:
    """Nested codes: as they are, from a file, or from a frame with the columns code and parent."""
    where = Place(f"hierarchies[{variable!r}]")
    expected = (
        "nested codes such as {'North': ['N1', 'N2']}, or a file or frame with the columns code and parent, or with a "
        "column for each level"
    )
    if isinstance(tree, str | os.PathLike):
        path = existing(tree, expected)
        folder = Folder(path.parent)
        if path.suffix.lower() == ".hrc":
            return tree_of(hrc_edges(folder.text(path.name, where), LEADING, path.name), where)
        return tree_of(_edges(read_columns(folder, path.name, where)), where)
    kind = None if isinstance(tree, Mapping | Sequence) else frame_kind(tree)
    if kind is not None:
        return tree_of(_edges(read_frame(tree, kind, str(where)).columns), where)
    if isinstance(tree, Mapping | Sequence):
        return as_text(tree, where)
    raise InputError(found=a_kind(tree), expected=expected, at=where)


def _edges(columns: Columns) -> "Sequence[Edge]":
    """Of a table with the columns code and parent, or with a column for each level, the broadest first."""
    pairs = {"code", "parent"} <= set(columns.data)
    return parent_edges(columns) if pairs else level_edges(columns, list(columns.data))
