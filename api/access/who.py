"""Who is behind a request: a key, a token of an identity provider, or a browser that was given a key."""

from collections.abc import Mapping
from typing import Protocol

from tableseal.api.settings import Settings
from tableseal.api.store.engine import Store
from tableseal.api.store.tokens import PREFIX, Principal, principal_in, principal_of

COOKIE = "tableseal_session"
"""Name of the cookie that holds a session."""


class UnavailableError(Exception):
    """Nothing can be said of tokens at the moment: the keys with which they are signed cannot be had."""


class Identity(Protocol):
    """Somebody else who knows who is asking."""

    def principal_of(self, token: str) -> Principal | None:
        """Who shows this token; None if it is no good."""


def principal_behind(
    settings: Settings, store: Store, identity: Identity | None, authorization: str, cookies: Mapping[str, str]
) -> Principal | None:
    """Who asks with this `Authorization` and these cookies; None if nobody knows.

    Raises
    ------
    UnavailableError: see there.
    """
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() == "bearer":
        if identity is not None and not credential.strip().startswith(PREFIX):
            return identity.principal_of(credential.strip())
        with store.reading() as connection:
            return principal_of(connection, credential.strip(), settings.pepper)
    session = cookies.get(COOKIE)
    if authorization or session is None:
        return None
    with store.reading() as connection:
        return principal_in(connection, session, settings.pepper)
