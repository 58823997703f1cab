"""Check the certificate of a publication: digests, proofs and signature, offline.

Everything but signatures needs no more than Python and `verify.py` beside this file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

from tableseal.audit.proof.verify import RefusedError, check, demand

SCHEMA = "tableseal/certificate/1"
FILE = "certificate.json"
MARK = ".tableseal-publication"
"""Marks the folder as that of a publication."""
UNLISTED = frozenset((FILE, MARK))
"""Files of the folder that a certificate says nothing of."""
ALGORITHM = "Ed25519"


@dataclass(frozen=True)
class Checked:
    """files, proofs: how many were checked. signed: by the key that was given (None: no key was). inputs: how many."""

    files: int
    proofs: int
    signed: bool | None
    inputs: int | None


def sealed(document: Mapping[str, Any]) -> bytes:
    """What a signature signs: the document without signature and digest, as JSON with sorted keys and no blanks."""
    return _plain({key: value for key, value in document.items() if key not in ("signature", "sha256")})


def digest_of(document: Mapping[str, Any]) -> str:
    """SHA-256 of the document without its digest."""
    return sha256(_plain({key: value for key, value in document.items() if key != "sha256"})).hexdigest()


def text_of(document: Mapping[str, Any]) -> str:
    """The file of a document: there is one text only."""
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def check_certificate(content: bytes, folder: Path, *, key: bytes | None = None, inputs: Path | None = None) -> Checked:
    """Check a certificate against the folder that it is of.

    Parameters
    ----------
    key: the public key (PEM) by which it is to be signed. inputs: folder of the plan; the files that it was made of are
        to be there as they were.

    Raises
    ------
    RefusedError: the reason. ValueError: not a certificate, not a public key.
    """
    try:
        document = json.loads(content)
        demand(document["schema"] == SCHEMA, "another kind of file")
        demand(content == text_of(document).encode(), "the certificate is not as it was written")
        demand(document["sha256"] == digest_of(document), "the certificate was changed: its own digest is another one")
        listed = {entry["file"]: entry["sha256"] for entry in document["outputs"]}
        _check_files(listed, folder, "")
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
        more = sorted(there - set(listed) - UNLISTED)
        demand(not more, f"{', '.join(more[:3])}: not in the certificate")
        together = document.get("together")
        out = together is None or together["entry"] is not None
        demand(out or not any(name.startswith("public/") for name in listed), "is public and did not go out")
        proofs = sum(_check_cluster(cluster, listed, folder) for cluster in document["clusters"])
        if key is not None:
            _check_signature(document, key)
        sources = None
        if inputs is not None:
            sources = {entry["file"]: entry["sha256"] for entry in document["inputs"]}
            _check_files(sources, inputs, "input ")
        return Checked(len(listed), proofs, None if key is None else True, None if sources is None else len(sources))
    except (LookupError, TypeError, AttributeError, UnicodeError, RecursionError, json.JSONDecodeError) as error:
        raise ValueError(f"not in the form of a certificate ({type(error).__name__})") from error


def _plain(document: Mapping[str, Any]) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _check_files(listed: Mapping[str, str], folder: Path, kind: str) -> None:
    for name, digest in listed.items():
        parts = PurePosixPath(name)
        demand(not parts.is_absolute() and ".." not in parts.parts, f"{kind}{name}: leads out of the folder")
        try:
            with open(folder / parts, "rb") as file:
                found = _file_digest(file)
        except OSError:
            raise RefusedError(f"{kind}{name}: cannot be read") from None
        demand(found == digest, f"{kind}{name}: was changed")


def _file_digest(file: Any) -> str:
    found = sha256()
    while piece := file.read(2**20):
        found.update(piece)
    return found.hexdigest()


def _check_cluster(cluster: Mapping[str, Any], listed: Mapping[str, str], folder: Path) -> int:
    """What is said of one cluster is what its files say. How many proofs were checked."""
    name = cluster["name"]
    if cluster["report"] is not None:
        demand(listed[cluster["release"]] == cluster["release_sha256"], f"{name}: another release than was certified")
        report = json.loads((folder / cluster["report"]).read_bytes())
        same = report["verdict"] == cluster["verdict"] and report["release"]["sha256"] == cluster["release_sha256"]
        demand(same, f"{name}: the report says something else")
    demand(cluster["verdict"] == "safe" or not cluster["public"], f"{name}: is public and not safe")
    demand(set(cluster["public"]) <= set(listed), f"{name}: public files that are not listed")
    if cluster["proof"] is None:
        return 0
    try:
        check((folder / cluster["proof"]).read_bytes(), (folder / cluster["release"]).read_bytes())
    except RefusedError as error:
        raise RefusedError(f"{cluster['proof']}: {error}") from None
    return 1


def _check_signature(document: Mapping[str, Any], key: bytes) -> None:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        public = load_pem_public_key(key)
    except (ValueError, UnsupportedAlgorithm):
        raise ValueError("the key is no public key in PEM form") from None
    if not isinstance(public, Ed25519PublicKey):
        raise ValueError(f"the key is none of {ALGORITHM}")
    signature: Any = document.get("signature")
    demand(signature is not None, "it is not signed")
    demand(signature["algorithm"] == ALGORITHM, "it is signed in another way")
    demand(signature["public_key"] == public.public_bytes_raw().hex(), "it is signed by another key")
    try:
        public.verify(bytes.fromhex(signature["value"]), sealed(document))
    except (InvalidSignature, ValueError):
        raise RefusedError("the signature is not of this certificate") from None
