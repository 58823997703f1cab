"""Reading and writing releases: files of any kind <-> audit.model."""

from tableseal.audit.io.archive import Archive
from tableseal.audit.io.canonical import canonical_document, canonical_json, release_digest
from tableseal.audit.io.frames import table_from_frame
from tableseal.audit.io.init import infer_document
from tableseal.audit.io.policy_file import policy_document, policy_from_document, read_policy
from tableseal.audit.io.release_file import (
    read_archived,
    read_piped,
    read_release,
    release_from_document,
    release_from_records,
)
from tableseal.audit.io.release_out import check_symbol, file_names, release_files
from tableseal.audit.io.schemas import policy_schema, release_schema
from tableseal.audit.io.yaml_out import write_document
from tableseal.audit.io.yaml_text import parse_document

__all__ = [
    "Archive",
    "canonical_document",
    "canonical_json",
    "check_symbol",
    "file_names",
    "infer_document",
    "parse_document",
    "policy_document",
    "policy_from_document",
    "policy_schema",
    "read_archived",
    "read_piped",
    "read_policy",
    "read_release",
    "release_digest",
    "release_files",
    "release_from_document",
    "release_from_records",
    "release_schema",
    "table_from_frame",
    "write_document",
]
