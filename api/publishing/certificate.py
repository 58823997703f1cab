"""The certificate of a publication: what went in and came out, and what was decided, in one document."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from tableseal.api.publishing.summary import AGENCY_FILES, PUBLIC_FILES, Published, PublishedCluster, Together
from tableseal.audit.batch.summary import Outcome
from tableseal.audit.codec.declared import SPARSE, derived
from tableseal.audit.codec.documents import json_of
from tableseal.audit.codec.kinds import Also, Codes, Count, Digest
from tableseal.audit.errors import InputError
from tableseal.audit.model import Consent, Release
from tableseal.audit.proof.certificate import ALGORITHM, digest_of, sealed, text_of
from tableseal.audit.report.model import Called
from tableseal.audit.version import engine_version

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


@dataclass(frozen=True)
class FileDigest:
    """A file and the digest of its bytes."""

    file: str
    sha256: Digest


@dataclass(frozen=True)
class AcceptedCell:
    """A cell that is published, or left as it is, because somebody agreed."""

    kind: Annotated[
        Literal["consent", "accept"], "consent: its contributors agree; accept: that they know each other is accepted."
    ]
    measure: str
    cell: Codes
    reason: str
    by: str
    until: Annotated[str | None, "Last day (ISO 8601); null: without end.", Also({"format": "date"})]


@dataclass(frozen=True)
class CertifiedCluster:
    """What was done with tables that are one system."""

    name: str
    tables: tuple[str, ...]
    verdict: Outcome
    called: Annotated[Called | None, "What the verdict is called."]
    policy_sha256: Annotated[Digest | None, "Digest of the policy."]
    rules: Annotated[tuple[str, ...], "That were applied, in words."]
    method: Annotated[str | None, "Of the search."]
    seed: Annotated[Count | None, "Of the search."]
    withheld: Annotated[Count | None, "Cells."]
    accepted: tuple[AcceptedCell, ...]
    release_sha256: Annotated[Digest | None, "Digest of the canonical release with its pattern."]
    release: Annotated[str | None, "Its file."]
    report: Annotated[str | None, "File of the report."]
    proof: Annotated[str | None, "File of the proof."]
    public: Annotated[tuple[str, ...], "Files that may go out."]


@dataclass(frozen=True)
class Signature:
    """Of the document without `signature` and `sha256`, as JSON with sorted keys and no blanks."""

    algorithm: ClassVar[Literal["Ed25519"]] = "Ed25519"
    public_key: Annotated[str, "In hexadecimal digits.", Also({"pattern": "^[0-9a-f]{64}$"})]
    value: Annotated[str, "In hexadecimal digits.", Also({"pattern": "^[0-9a-f]{128}$"})]


@dataclass(frozen=True)
class Certificate:
    """Certificate of a publication. Confidential: it names rules and agreements."""

    schema: ClassVar[Literal["tableseal/certificate/1"]] = "tableseal/certificate/1"
    title: Annotated[str, "Of the plan."]
    verdict: Outcome
    called: Annotated[Literal[Called, "failed"], "What the verdict is called."]
    clusters: tuple[CertifiedCluster, ...]
    together: Annotated[Together | None, "Beside what was published before under a name, if one was given.", SPARSE]
    inputs: Annotated[
        tuple[FileDigest, ...],
        "The plan and the files that it names, beside it; a plan that is no file is not among them.",
    ]
    outputs: Annotated[tuple[FileDigest, ...], "Every file of the folder but this one."]
    signature: Annotated[Signature | None, "Where a key was given.", SPARSE] = None
    sha256: Annotated[Digest, "Digest of all the rest, as JSON with sorted keys and no blanks."] = ""

    @derived(after="called", key="engine.version")
    def version(self) -> str:
        """Version of tableseal."""
        return engine_version()


@dataclass(frozen=True)
class Source:
    """What a cluster was made of. files: that its release named. accepted: agreements."""

    files: tuple[Path, ...]
    accepted: tuple[AcceptedCell, ...]

    @staticmethod
    def of(release: Release) -> "Source":
        """Of a release."""
        accepted = [_accepted(release, "consent", one) for one in release.consents]
        accepted += [_accepted(release, "accept", one) for one in release.accepted]
        return Source(release.files, tuple(accepted))


def _accepted(release: Release, kind: Literal["consent", "accept"], said: Consent) -> AcceptedCell:
    codes = tuple(release.cell_codes(said.codes).items())
    until = None if said.until is None else said.until.isoformat()
    return AcceptedCell(kind, said.measure, codes, said.reason, said.by, until)


def certificate_of(
    published: Published, sources: Mapping[str, Source], inputs: Sequence[Path], home: Path
) -> Certificate:
    """The certificate, without outputs and signature.

    inputs: the plan, where it is a file, and other files. home: the folder of the plan, where their names begin.
    """
    home = home.resolve()
    files = dict.fromkeys(
        path.resolve() for path in (*inputs, *(f for source in sources.values() for f in source.files))
    )
    return Certificate(
        title=published.title,
        verdict=published.verdict,
        called=published.word,
        clusters=tuple(_cluster(cluster, sources.get(cluster.name)) for cluster in published.clusters),
        together=published.together,
        inputs=tuple(sorted((FileDigest(_name(path, home), digest(path)) for path in files), key=lambda one: one.file)),
        outputs=(),
    )


def finished(certificate: Certificate, outputs: Iterable[FileDigest], key: "Ed25519PrivateKey | None" = None) -> str:
    """The text of the file: with outputs, signed where there is a key, and with its own digest."""
    listed = replace(certificate, outputs=tuple(sorted(outputs, key=lambda one: one.file)))
    if key is not None:
        value = key.sign(sealed(plain(listed)))
        signature = Signature(key.public_key().public_bytes_raw().hex(), value.hex())
        listed = replace(listed, signature=signature)
    document = plain(listed)
    return text_of({**document, "sha256": digest_of(document)})


def digest(path: Path) -> str:
    """SHA-256 of a file.

    Raises
    ------
    InputError: it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file_digest(file, sha256).hexdigest()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", at=path.name) from error


def signing_key(name: str) -> "Ed25519PrivateKey":
    """The private key in a PEM file.

    Raises
    ------
    InputError: it cannot be read, is of another kind, or has a password.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    expected = f"a private key of {ALGORITHM} in PEM form, without password"
    try:
        key = load_pem_private_key(Path(name).read_bytes(), None)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}.", at=name) from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InputError(found="something else", expected=expected, at=name) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError(found="a key of another kind", expected=expected, at=name)
    return key


def _name(path: Path, home: Path) -> str:
    return path.relative_to(home).as_posix() if path.is_relative_to(home) else path.name


def plain(certificate: Certificate) -> dict[str, Any]:
    """Nothing but dicts, lists, text and whole numbers: what the checker reads."""
    found: dict[str, Any] = json.loads(json_of(certificate, indent=None))
    return found


def _cluster(cluster: PublishedCluster, source: Source | None) -> CertifiedCluster:
    def file(ending: str) -> str | None:
        found = [f for f in cluster.files if f.startswith(AGENCY_FILES) and f.endswith(ending)]
        return found[0] if found else None

    return CertifiedCluster(
        name=cluster.name,
        tables=cluster.tables,
        verdict=cluster.verdict,
        called=cluster.called,
        policy_sha256=cluster.policy_sha256,
        rules=cluster.rules,
        method=cluster.method,
        seed=cluster.seed,
        withheld=None if cluster.primary is None or cluster.secondary is None else cluster.primary + cluster.secondary,
        accepted=() if source is None else source.accepted,
        release_sha256=cluster.sha256,
        release=cluster.release,
        report=file(".report.json"),
        proof=file(".proof.json"),
        public=tuple(f for f in cluster.files if f.startswith(PUBLIC_FILES)),
    )
