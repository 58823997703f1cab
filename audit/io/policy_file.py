"""Policy documents -> Policy, and back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from tableseal.audit.errors import Place
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.numbers import exact
from tableseal.audit.io.policy_document import PolicyDocument
from tableseal.audit.io.rule_document import rule_document
from tableseal.audit.io.yaml_text import as_text, parse_document
from tableseal.audit.model import Policy, Require, SapLimit


def read_policy(path: Path) -> Policy:
    """The policy in a YAML or JSON file; its sha256 is that of the file.

    Raises
    ------
    InputError: an unreadable file, an unknown key or rule, a parameter out of range.
    """
    return policy_from_bytes(read_bytes(path, source=path.name), path.name)


def policy_from_bytes(content: bytes, source: str) -> Policy:
    """The policy in the content of a file; `source` is the name of that file.

    Raises
    ------
    InputError: as for `read_policy`.
    """
    text, _ = decode(content, source)
    document = parse_document(text, source, json_only=source.lower().endswith(".json"))
    return policy_from_model(validate(PolicyDocument, document, Place(source)), hashlib.sha256(content).hexdigest())


def policy_from_document(document: Mapping[str, object], source: str = "policy") -> Policy:
    """The policy that a Python mapping describes; its sha256 is that of its canonical JSON."""
    where = Place(source)
    return policy_from_model(validate(PolicyDocument, as_text(document, where), where))


def policy_from_model(model: PolicyDocument, sha256: str | None = None) -> Policy:
    """The policy from its validated document; without a `sha256` of its own it gets that of its canonical JSON."""
    require = Require(
        exposed=model.require.exposed,
        protection=model.require.protection,
        basis=model.require.basis,
        risk=model.require.risk,
        sap=None if model.require.sap is None else SapLimit(model.require.sap.n, model.require.sap.max),
        table_risk=model.require.table_risk,
        table_risk_measure=model.require.table_risk_measure,
        confidence=model.require.confidence,
        implied=model.require.implied,
    )
    rules = tuple(rule for rule in model.primary if rule is not None)  # one may be switched off: `request: false`
    policy = Policy(rules, require, model.insider.p_percent, implied=model.implied, reasons=model.reasons or {})
    return replace(policy, sha256=sha256 or _digest(policy))


def policy_document(policy: Policy) -> dict[str, object]:
    """The policy as a document that reads back to it."""
    require: dict[str, object] = {
        "exposed": policy.require.exposed,
        "protection": policy.require.protection,
        "basis": policy.require.basis,
    }
    if policy.require.risk is not None:
        require["risk"] = exact(policy.require.risk)
    if policy.require.sap is not None:
        require["sap"] = {"n": policy.require.sap.n, "max": exact(policy.require.sap.max)}
    document: dict[str, object] = {
        "primary": [rule_document(rule) for rule in policy.primary],
        "require": require,
        "insider": {"p_percent": exact(policy.insider_p)},
    }
    # What stands at its default is left out, so that digests of older policies stay what they are.
    if policy.require.table_risk is not None:
        require["table_risk"] = exact(policy.require.table_risk)
    if policy.require.table_risk_measure != "a14":
        require["table_risk_measure"] = policy.require.table_risk_measure
    if policy.require.confidence is not None:
        require["confidence"] = exact(policy.require.confidence)
    if policy.require.implied != "any":
        require["implied"] = policy.require.implied
    if policy.implied != "all":
        document["implied"] = policy.implied
    if policy.reasons:
        document["reasons"] = dict(policy.reasons)
    return document


def _digest(policy: Policy) -> str:
    text = json.dumps(policy_document(policy), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
