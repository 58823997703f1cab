"""Read the release that a verb was given."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.cli.streams import STREAM
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.api.given_rules import GivenRules
    from tableseal.audit.model import Policy, Release
    from tableseal.audit.model.count_table import CountTable


def release_of(
    name: str,
    *,
    policy: str | None = None,
    rules: "GivenRules | None" = None,
    status_map: Sequence[str] | None = None,
) -> "Release":
    """Read a release file, a bare data file, or standard input (`-`, relative to the current folder).

    policy, rules: a policy file or rules, which go before the policy of the release.

    Raises
    ------
    InputError: anything about the input that cannot be used.
    """
    from tableseal.api.given_rules import GivenRules, policy_of
    from tableseal.audit.io import read_release

    given = policy_of(rules or GivenRules(), None if policy is None else Path(policy))
    letters = parse_status_map(status_map or ())
    if name == STREAM:
        return _from_standard_input(given, letters)
    return read_release(Path(name), policy=given, status_map=letters)


def count_table_of(
    name: str,
    *,
    table: str | None = None,
    published: bool = False,
    all_cells: bool = False,
    status_map: Sequence[str] | None = None,
) -> tuple["CountTable", tuple[Path, ...]]:
    """The leaf counts in a bare matrix, a data file or a release file, or in a release on standard input; and the files
    that were read besides.

    Parameters
    ----------
    table: which table of a release. published: its published values, else the true ones.
    all_cells: a last row or column of a matrix is never a margin.

    Raises
    ------
    InputError: anything about the input that cannot be used.
    """
    from tableseal.audit.io.matrix import matrix_in
    from tableseal.audit.linear.leaf_counts import leaf_counts
    from tableseal.audit.model.count_table import CountTable

    path = Path(name)
    matrix = None if name == STREAM else matrix_in(path, all_cells=all_cells)
    if matrix is not None:
        if table is not None:
            raise InputError(f"--table {table}: {path.name} is a bare matrix, which is one table without a name.")
        return CountTable.of_matrix(path.name, matrix), ()
    release = release_of(name, status_map=status_map)
    return leaf_counts(release, published=published, table=table), release.files


def _from_standard_input(policy: "Path | Policy | None", letters: Mapping[str, str] | None) -> "Release":
    from tableseal.audit.io import release_from_document
    from tableseal.audit.io.files import SIZE_LIMIT, decode, read_at_most
    from tableseal.audit.io.yaml_text import parse_document

    source = "standard input"
    content = read_at_most(sys.stdin.buffer, SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise InputError(f"{source}: more than {SIZE_LIMIT:,} bytes, the limit.")
    if not content.strip():
        raise InputError(f"{source}: is empty, expected a release as YAML or JSON.")
    text, notes = decode(content, source)
    document = parse_document(text, source)
    if not isinstance(document, Mapping):
        raise InputError(f"{source}: expected a release file, which begins with `tableseal: 1`.")
    release = release_from_document(document, folder=Path.cwd(), policy=policy, status_map=letters, source=source)
    return replace(release, notes=(*notes, *release.notes))


def parse_status_map(pairs: Sequence[str]) -> Mapping[str, str] | None:
    """`["c=withheld"]` -> `{"c": "withheld"}`; None if there is nothing.

    Raises
    ------
    InputError: no equals sign, or one letter twice.
    """
    letters: dict[str, str] = {}
    for pair in pairs:
        letter, equals, status = pair.partition("=")
        if not equals:
            raise InputError(f'--status-map {pair}: expected LETTER=STATUS, such as "c=withheld".')
        if letter in letters:
            raise InputError(f'--status-map: the letter "{letter}" is given twice.')
        letters[letter] = status
    return letters or None
