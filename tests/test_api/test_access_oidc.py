"""Tokens of an identity provider, signed here with keys of our own."""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from asking import asked

pytest.importorskip("joserfc", reason="OIDC: joserfc is not installed")

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet, OctKey, RSAKey

from tableseal.api.access import oidc
from tableseal.api.access.oidc import Provider
from tableseal.api.access.who import UnavailableError
from tableseal.api.settings import OidcSettings, load_settings
from tableseal.api.store.tokens import Principal, Role
from tableseal.audit.errors import InputError

ISSUER, AUDIENCE = "https://id.example", "tableseal"
RSA = RSAKey.generate_key(2048, {"kid": "rsa"})
EC = ECKey.generate_key("P-256", {"kid": "ec"})
OTHER = ECKey.generate_key("P-256", {"kid": "ec"})
PUBLIC = KeySet([RSA, EC]).as_dict(private=False)


def token(key: Any = EC, algorithm: str = "ES256", kid: str = "ec", **changes: Any) -> str:
    now = int(time.time())
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": "u1",
        "exp": now + 60,
        "roles": ["analyst"],
        "department": "prices",
    }
    chosen = {name: value for name, value in {**claims, **changes}.items() if value is not None}
    return jwt.encode({"alg": algorithm, "kid": kid}, chosen, key, algorithms=[algorithm])


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    path.write_text(json.dumps(PUBLIC), "utf-8")
    return path


def provider(jwks: Path | str, **changes: str) -> Provider:
    claims = {"role_claim": "roles", "owner_claim": "department", **changes}
    return Provider(OidcSettings(ISSUER, AUDIENCE, str(jwks), **claims))


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ({}, Principal("prices", Role.ANALYST, "u1")),
        ({"key": RSA, "algorithm": "RS256", "kid": "rsa"}, Principal("prices", Role.ANALYST, "u1")),
        ({"aud": ["other", AUDIENCE]}, Principal("prices", Role.ANALYST, "u1")),
        ({"roles": ["x", "reader", "officer"]}, Principal("prices", Role.OFFICER, "u1")),
        ({"roles": "reader"}, Principal("prices", Role.READER, "u1")),
        ({"preferred_username": "ann"}, Principal("prices", Role.ANALYST, "ann (u1)")),
    ],
)
def test_a_good_token_says_who_it_is(keys: Path, made: Mapping[str, Any], expected: Principal) -> None:
    """CONVENTION 408"""
    assert provider(keys).principal_of(token(**made)) == expected


def test_claims_may_lie_deeper(keys: Path) -> None:
    found = provider(keys, role_claim="realm_access.roles", owner_claim="https://x/org")
    made = token(roles=None, department=None, **{"realm_access": {"roles": ["officer"]}, "https://x/org": "wages"})
    assert found.principal_of(made) == Principal("wages", Role.OFFICER, "u1")


SHARED = OctKey.import_key("x" * 64, {"kid": "ec"})


@pytest.mark.parametrize(
    "made",
    [
        {"iss": "https://evil.example"},
        {"iss": None},
        {"aud": "other"},
        {"aud": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 2**40},
        {"sub": None},
        {"roles": None},
        {"roles": ["administrator"]},
        {"roles": {"officer": True}},
        {"department": None},
        {"department": ["prices"]},
        {"department": " "},
        {"key": OTHER},
        {"key": SHARED, "algorithm": "HS256"},
        {"kid": "unknown"},
    ],
)
def test_a_bad_token_is_none(keys: Path, made: Mapping[str, Any]) -> None:
    assert provider(keys).principal_of(token(**made)) is None


def test_what_is_no_token_is_none(keys: Path) -> None:
    good = token()
    head, body, signature = good.split(".")
    unsigned = "eyJhbGciOiJub25lIn0." + body + "."
    for text in (
        "",
        "x",
        "a.b.c",
        unsigned,
        f"{head}.{body}.",
        f"{head}.{body}.{signature[::-1]}",
        good + "x",
        "\udcff",
    ):
        assert provider(keys).principal_of(text) is None


@pytest.fixture
def served() -> Iterator[tuple[str, list[bytes]]]:
    """Keys at a URL; the list holds what it gives, last one for ever."""
    answers: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/keys", answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_keys_come_from_a_url_and_may_change(served: tuple[str, list[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    url, answers = served
    old = KeySet([RSA]).as_dict(private=False)
    answers += [b"no keys", json.dumps(old).encode(), json.dumps(PUBLIC).encode()]
    found = provider(url)
    with pytest.raises(UnavailableError):
        found.principal_of(token())
    assert found.principal_of(token(RSA, "RS256", "rsa")) is not None
    assert found.principal_of(token()) is None, "not asked again so soon"
    monkeypatch.setattr(oidc, "_PAUSE", 0.0)
    assert found.principal_of(token()) is not None


def test_over_http(tmp_path: Path, keys: Path) -> None:
    given = {"oidc_issuer": ISSUER, "oidc_audience": AUDIENCE, "oidc_jwks": str(keys)}
    with asked(tmp_path / "data", worker=False, inline_workers=0, access="keys", **given) as client:

        def status(bearer: str, method: str = "GET", path: str = "/v1/jobs") -> int:
            return client.request(method, path, headers={"Authorization": f"Bearer {bearer}"}).status_code

        assert status(token()) == 200
        assert status(token(exp=1)) == 401
        assert status("tsk_x_y") == 401
        assert status(token(), path="/v1/audit-log") == 403
        assert status(token(roles=["officer"]), path="/v1/audit-log") == 200
        log = client.get("/v1/audit-log", headers={"Authorization": f"Bearer {token(roles=['officer'])}"}).json()
        assert [(entry["who"], entry["outcome"]) for entry in log] == [("u1", "refused")]


def test_settings_that_do_not_fit_are_refused(tmp_path: Path, keys: Path) -> None:
    whole = {"access": "keys", "oidc_issuer": ISSUER, "oidc_audience": AUDIENCE, "oidc_jwks": str(keys)}
    assert load_settings(**whole).oidc is not None
    for change in ({"access": "local"}, {"oidc_audience": None}, {"oidc_jwks": "http://id.example/keys"}):
        with pytest.raises(InputError, match="oidc"):
            load_settings(**{**whole, **change})
    with pytest.raises(InputError, match="no such file"):
        oidc.provider_of(load_settings(**{**whole, "oidc_jwks": str(tmp_path / "none.json")}).oidc)
