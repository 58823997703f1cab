"""Read the release that a verb was given, from a file or from standard input."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tableseal.api.cli.streams import STREAM
from tableseal.api.options.release import ReleaseOptions, letters_of
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.model import Policy, Release


def release_of(name: str | Path, said: ReleaseOptions) -> "Release":
    """Read a release file, a bare data file, or standard input (`-`, relative to the current folder).

    Raises
    ------
    InputError: anything about the input that cannot be used.
    """
    from tableseal.audit.io import read_release

    if not str(name).strip():
        raise InputError(
            "RELEASE: found an empty name, expected the path of a release or data file, or - for standard input."
        )
    policy, letters = said.given(), letters_of(said.status_map)
    if str(name) == STREAM:
        return _from_standard_input(policy, letters)
    return read_release(Path(name), policy=policy, status_map=letters)


def _from_standard_input(policy: "Path | Policy | None", letters: Mapping[str, str] | None) -> "Release":
    from tableseal.audit.io import read_piped, release_from_document
    from tableseal.audit.io.files import SIZE_LIMIT, decode, read_at_most
    from tableseal.audit.io.yaml_text import parse_document

    source = "standard input"
    content = read_at_most(sys.stdin.buffer, SIZE_LIMIT + 1)
    if len(content) > SIZE_LIMIT:
        raise InputError(f"more than {SIZE_LIMIT:,} bytes, the limit.", at=source)
    if not content.strip():
        raise InputError("is empty, expected a release as YAML or JSON, or in another format.", at=source)
    piped = read_piped(content, source, policy=policy, status_map=letters)
    if piped is not None:
        return piped
    text, notes = decode(content, source)
    document = parse_document(text, source)
    if not isinstance(document, Mapping):
        raise InputError(expected="a release file, which begins with `tableseal: 1`", at=source)
    release = release_from_document(document, folder=Path.cwd(), policy=policy, status_map=letters, source=source)
    return replace(release, notes=(*notes, *release.notes))
