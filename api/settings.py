"""Settings of the service: from arguments, the environment (`TABLESEAL_...`), or files of a secrets folder."""

import os
import sys
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from tableseal.api.store.keyring import Keyring

SECRETS = "TABLESEAL_SECRETS_DIR"
"""Environment variable: a folder with one file a setting, such as `tableseal_database`."""

MEBIBYTE = 2**20


@dataclass(frozen=True)
class OidcSettings:
    """An identity provider, and which claims of its tokens say what somebody may do, and for whom."""

    issuer: str
    audience: str
    jwks: str
    role_claim: str
    owner_claim: str


class Settings(BaseSettings):
    """All settings; arguments go before the environment, that before files of the secrets folder."""

    model_config = SettingsConfigDict(env_prefix="TABLESEAL_", extra="ignore", frozen=True)

    data: Annotated[Path, Field(description="Folder of the embedded database and of working files.")] = Path(
        "tableseal-data"
    )
    database: Annotated[
        SecretStr | None, Field(description="URL of the database; default: an SQLite file in the data folder.")
    ] = None
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    access: Annotated[
        Literal["local", "keys"],
        Field(description="local: nobody is asked who he is, only on the loopback interface; keys: API keys."),
    ] = "local"
    key_secret: Annotated[
        SecretStr | None,
        Field(description="Secret with which digests of keys are made; who changes it makes all keys useless."),
    ] = None
    encryption_key: Annotated[
        SecretStr | None,
        Field(description="Key under which the keys of jobs are sealed, in base64; while it changes, new and old."),
    ] = None
    encryption_key_file: Annotated[
        Path | None, Field(description="File with it; default: `tableseal.key` in the data folder.")
    ] = None
    session_hours: Annotated[float, Field(gt=0, description="Hours for which a browser stays signed in.")] = 12.0
    oidc_issuer: Annotated[
        str | None, Field(description="Identity provider whose bearer tokens are taken too: its claim `iss`.")
    ] = None
    oidc_audience: Annotated[str | None, Field(description="What its tokens call this service: claim `aud`.")] = None
    oidc_jwks: Annotated[str | None, Field(description="Its keys: an https URL, or a file.")] = None
    oidc_role_claim: Annotated[
        str, Field(description="Claim with reader, analyst or officer, also in a list; `a.b`: b inside of a.")
    ] = "roles"
    oidc_owner_claim: Annotated[str, Field(description="Claim with the owner, such as a department.")] = "department"
    language: Annotated[
        Literal["en", "fr"] | None,
        Field(description="Language of pages where nobody chose one; none: what the browser likes best."),
    ] = None
    workers: Annotated[int, Field(ge=0, description="Worker processes that `serve` starts.")] = 1
    small_workers: Annotated[
        int, Field(ge=0, description="Worker processes besides that only do small jobs; none where `workers` is 0.")
    ] = 1
    small_seconds: Annotated[float, Field(gt=0, description="Seconds after which these leave a job to others.")] = 10.0
    owner_running: Annotated[
        int | None, Field(ge=1, description="Jobs of one owner that may be under way; none: any number.")
    ] = None
    owner_queued: Annotated[int, Field(ge=1, description="Jobs of one owner that may wait.")] = 1000
    inline_workers: Annotated[int, Field(ge=0, description="Processes that answer small audits at once.")] = 2
    owner_inline: Annotated[
        int | None, Field(ge=1, description="Of these, one owner may have; none: all but one, or all if access=local.")
    ] = None
    hypercubes: Annotated[
        Path | None,
        Field(description="Folder of hypercubes from which users make tables: NAME.cube, NAME.yaml, NAME.secret."),
    ] = None
    table_cells: Annotated[
        int, Field(ge=0, description="Cells of a table of these that is answered at once; larger ones are jobs.")
    ] = 100_000
    signing_key: Annotated[
        Path | None,
        Field(description="File with a private key (Ed25519, PEM, no password) that signs certificates of plans."),
    ] = None
    max_body: Annotated[int, Field(ge=1, description="Bytes of a request.")] = 64 * MEBIBYTE
    upload_seconds: Annotated[float, Field(gt=0, description="Seconds in which a request must come.")] = 300.0
    header_seconds: Annotated[float, Field(gt=0, description="Seconds in which its headers must come.")] = 20.0
    max_unpacked: Annotated[int, Field(ge=1, description="Bytes of the files in an archive.")] = 256 * MEBIBYTE
    max_files: Annotated[int, Field(ge=1, description="Files of a request.")] = 200
    max_cells: Annotated[int, Field(ge=1, description="Rows of all tables of a release.")] = 2_000_000
    max_wait: Annotated[float, Field(ge=0, description="Seconds that `Prefer: wait` may ask for.")] = 60.0
    job_seconds: Annotated[float, Field(gt=0, description="Seconds that one attempt at a job may take.")] = 3600.0
    job_memory: Annotated[int, Field(ge=256, description="Megabytes that a job may use.")] = 4096
    inline_bytes: Annotated[int, Field(ge=0, description="Largest request that is answered at once.")] = 256 * 1024
    inline_seconds: Annotated[float, Field(gt=0, description="Seconds after which it becomes a job.")] = 2.0
    inline_wait: Annotated[float, Field(ge=0, description="Seconds that it may wait for a free process.")] = 1.0
    lease_seconds: Annotated[
        float, Field(gt=0, description="Seconds after which the job of a silent worker is given to another.")
    ] = 30.0
    attempts: Annotated[int, Field(ge=1, description="Times that a job may take its worker down.")] = 5
    backoff_seconds: Annotated[float, Field(ge=0, description="Pause before the second attempt; then doubled.")] = 2.0
    poll_seconds: Annotated[float, Field(gt=0, description="Pause of a worker that found nothing to do.")] = 0.5
    log: Annotated[Literal["text", "json"], Field(description="Lines of the log: text, or JSON objects.")] = "text"
    retention_days: Annotated[
        float | None, Field(gt=0, description="Days after which finished jobs are erased; none: never.")
    ] = 30.0

    @model_validator(mode="after")
    def _safe(self) -> Self:
        if self.access == "local" and not is_loopback(self.host):
            raise ValueError(
                f"host {self.host} can be reached from other machines, and access is `local` (nobody is asked for a "
                "key). Say `access=keys` and make a key with `tableseal token create`, or listen on 127.0.0.1."
            )
        given = (self.oidc_issuer, self.oidc_audience, self.oidc_jwks)
        if any(given) and (not all(given) or self.access != "keys"):
            raise ValueError("oidc_issuer, oidc_audience and oidc_jwks go together, and with `access=keys`.")
        if self.oidc_jwks is not None and "://" in self.oidc_jwks and not _is_safe(self.oidc_jwks):
            raise ValueError("oidc_jwks: expected an https URL (http only on this machine), or a file.")
        return self

    @property
    def oidc(self) -> OidcSettings | None:
        """The identity provider, if there is one."""
        if self.oidc_issuer is None or self.oidc_audience is None or self.oidc_jwks is None:
            return None
        return OidcSettings(
            self.oidc_issuer, self.oidc_audience, self.oidc_jwks, self.oidc_role_claim, self.oidc_owner_claim
        )

    @property
    def inline_each(self) -> int:
        """Processes for small audits that one owner may have at the same time."""
        rest = self.inline_workers if self.access == "local" else self.inline_workers - 1
        return max(1, rest) if self.owner_inline is None else self.owner_inline

    @property
    def database_url(self) -> str:
        """URL of the database; it may hold a password."""
        if self.database is not None:
            return self.database.get_secret_value()
        return f"sqlite:///{self.data.absolute() / 'tableseal.db'}"

    @property
    def pepper(self) -> bytes:
        """What digests of keys are made with."""
        return b"" if self.key_secret is None else self.key_secret.get_secret_value().encode()

    @property
    def keys(self) -> Keyring:
        """Keys under which the keys of jobs are sealed.

        Raises
        ------
        InputError: what is given is no key.
        """
        given = None if self.encryption_key is None else self.encryption_key.get_secret_value()
        return Keyring(given, (self.encryption_key_file or self.data / "tableseal.key").absolute())

    @property
    def working_folder(self) -> Path:
        """Where jobs lay out their files while they run."""
        return self.data.absolute() / "work"


def load_settings(**given: object) -> Settings:
    """The settings; `given` goes before everything else (None: not given).

    Raises
    ------
    InputError: a setting that is not understood, or not safe; a key that cannot sign.
    """
    from pydantic import ValidationError

    from tableseal.audit.errors import InputError

    present = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**{"_secrets_dir": _secrets_folder(), **present})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{name or 'settings'}: {first.get('ctx', {}).get('error', first['msg'])}") from None
    if settings.signing_key is not None:
        from tableseal.api.publishing.certificate import signing_key

        signing_key(str(settings.signing_key))
    return settings


def _secrets_folder() -> str | None:
    """The folder with secrets, or None with a note where the one named is not there: a container names it always."""
    folder = os.environ.get(SECRETS)
    if folder is None or Path(folder).is_dir():
        return folder
    print(f"note: {SECRETS}: there is no folder {folder}; no secret is read from files", file=sys.stderr)
    return None


def _is_safe(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host name or address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
