"""Bearer tokens of an identity provider (OpenID Connect, RFC 9068 access tokens) as principals."""

import json
import logging
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet

from tableseal.api.access.who import UnavailableError
from tableseal.api.settings import OidcSettings
from tableseal.api.store.tokens import Principal, Role
from tableseal.audit.errors import InputError

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519")
"""Signatures with public keys only: with others whoever verifies could sign, and `none` is no signature."""

LEEWAY = 60
"""Seconds by which the clocks of provider and service may differ."""

_FRESH = 3600.0
_PAUSE = 30.0
_SECONDS = 5.0
_MOST = 2**20

logger = logging.getLogger(__name__)


class Provider:
    """An identity provider: who a token that it signed for this service speaks of."""

    def __init__(self, settings: OidcSettings) -> None:
        self._settings = settings
        self._claims = jwt.JWTClaimsRegistry(
            leeway=LEEWAY,
            iss={"essential": True, "value": settings.issuer},
            aud={"essential": True, "value": settings.audience},
            sub={"essential": True},
            exp={"essential": True},
        )
        self._lock = threading.Lock()
        self._keys: KeySet | None = None
        self._loaded = -_FRESH

    def principal_of(self, token: str) -> Principal | None:
        """Who shows this token; None if it is no good for this service, or names no role or no owner.

        Raises
        ------
        UnavailableError: the provider's keys cannot be had.
        """
        try:
            claims = self._verified(token)
        except (JoseError, ValueError):  # such as no token at all
            return None
        role = _role(_claim(claims, self._settings.role_claim))
        owner = _claim(claims, self._settings.owner_claim)
        if role is None or not isinstance(owner, str) or not owner.strip() or len(owner) > 200:
            return None
        name, subject = claims.get("preferred_username"), str(claims["sub"])
        return Principal(owner, role, (f"{name} ({subject})" if isinstance(name, str) else subject)[:200])

    def _verified(self, token: str) -> Mapping[str, Any]:
        try:
            found = jwt.decode(token, self._key_set(_FRESH), algorithms=ALGORITHMS)
        except InvalidKeyIdError:  # providers change their keys; but a made-up name must not make us ask all the time
            found = jwt.decode(token, self._key_set(_PAUSE), algorithms=ALGORITHMS)
        self._claims.validate(found.claims)
        return found.claims

    def _key_set(self, oldest: float) -> KeySet:
        with self._lock:
            if time.monotonic() - self._loaded >= oldest:
                self._loaded = time.monotonic()
                try:
                    self._keys = KeySet.import_key_set(_document(self._settings.jwks))
                except (OSError, ValueError, KeyError, TypeError, JoseError) as error:
                    logger.warning("the keys of the identity provider cannot be had: %s", type(error).__name__)
            if self._keys is None:
                self._loaded = -_FRESH
                raise UnavailableError
            return self._keys


def _document(where: str) -> Any:
    """The key set (RFC 7517) at a URL or in a file."""
    if "://" not in where:
        return json.loads(Path(where).read_bytes())
    with urlopen(where, timeout=_SECONDS) as response:
        return json.loads(response.read(_MOST))


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by name; `a.b` is also the member `b` of the claim `a`."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _role(value: Any) -> Role | None:
    """The highest role among the values of a claim, which may hold others that mean something elsewhere.

    So may `admin`, which stands in the tokens of many providers: it is for keys only.
    """
    given = value.split() if isinstance(value, str) else value if isinstance(value, list) else []
    found = [role for role in Role if role.value in given and role is not Role.ADMIN]
    return found[-1] if found else None


def provider_of(settings: OidcSettings | None) -> Provider | None:
    """The provider that the settings name.

    Raises
    ------
    InputError: a file with its keys that is not there.
    """
    if settings is None:
        return None
    if "://" not in settings.jwks and not Path(settings.jwks).is_file():
        raise InputError(f"oidc_jwks {settings.jwks}: there is no such file.")
    return Provider(settings)
