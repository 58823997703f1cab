"""Who is behind a request: a key, a token of an identity provider, or a browser that was given a key."""

from collections.abc import Mapping

from api.settings import Settings
from api.store.engine import Store
from api.store.tokens import Principal, principal_in, principal_of

COOKIE = "tableseal_session"
"""Name of the cookie that holds a session."""


def principal_behind(
    settings: Settings, store: Store, authorization: str, cookies: Mapping[str, str]
) -> Principal | None:
    """Who asks with this `Authorization` and these cookies; None if nobody knows."""
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() == "bearer":
        with store.reading() as connection:
            return principal_of(connection, credential.strip(), settings.pepper)
    session = cookies.get(COOKIE)
    if authorization or session is None:
        return None
    with store.reading() as connection:
        return principal_in(connection, session, settings.pepper)
