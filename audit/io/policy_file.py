"""Policy documents -> Policy, and back."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import get_args

from tableseal.audit.errors import Place
from tableseal.audit.io.document_types import validate
from tableseal.audit.io.files import decode, read_bytes
from tableseal.audit.io.numbers import decimal_text
from tableseal.audit.io.policy_document import (
    AttributeRule,
    DominanceRule,
    EntropyRule,
    PolicyDocument,
    PPercentRule,
    PQRule,
    RequestParameters,
    RequestRule,
    RuleDocument,
    ThresholdRule,
)
from tableseal.audit.io.yaml_text import as_text, parse_document
from tableseal.audit.model import (
    PQ,
    Attribute,
    Dominance,
    Entropy,
    Policy,
    Reason,
    Request,
    Require,
    Rule,
    SapLimit,
    Threshold,
)


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
        implied=model.require.implied,
    )
    # A rule may be switched off with `request: false`.
    rules = tuple(rule for document in model.primary if (rule := _rule(document)) is not None)
    kinds: tuple[Reason, ...] = get_args(Reason)
    reasons = {kind: text for kind in kinds if (text := getattr(model.reasons, kind, None)) is not None}
    policy = Policy(rules, require, model.insider.p_percent, implied=model.implied, reasons=reasons)
    return replace(policy, sha256=sha256 or _digest(policy))


def policy_document(policy: Policy) -> dict[str, object]:
    """The policy as a document that reads back to it."""
    require: dict[str, object] = {
        "exposed": policy.require.exposed,
        "protection": policy.require.protection,
        "basis": policy.require.basis,
    }
    if policy.require.risk is not None:
        require["risk"] = _number(policy.require.risk)
    if policy.require.sap is not None:
        require["sap"] = {"n": policy.require.sap.n, "max": _number(policy.require.sap.max)}
    document: dict[str, object] = {
        "primary": [_rule_document(rule) for rule in policy.primary],
        "require": require,
        "insider": {"p_percent": _number(policy.insider_p)},
    }
    # What stands at its default is left out, so that digests of older policies stay what they are.
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


def _rule(document: RuleDocument) -> Rule | None:
    match document:
        case ThresholdRule():
            return Threshold(
                document.threshold, document.zeros, document.protection_percent, document.level, document.of
            )
        case DominanceRule():
            return Dominance(document.dominance.n, document.dominance.k, document.level)
        case PPercentRule():
            return PQ(document.p_percent, level=document.level)
        case PQRule():
            return PQ(document.pq.p, document.pq.q, document.level)
        case EntropyRule():
            return Entropy(document.entropy, document.protection_percent, document.level)
        case RequestRule(request=RequestParameters() as request):
            return Request(request.percent, document.protection_percent)
        case RequestRule():
            return Request(None, document.protection_percent) if document.request else None
        case AttributeRule():
            return Attribute(tuple(document.attribute.given), document.attribute.populated)


def _rule_document(rule: Rule) -> dict[str, object]:
    match rule:
        case Threshold():
            found: dict[str, object] = {"threshold": rule.count, "zeros": rule.zeros}
            if rule.of != "respondents":
                found["of"] = rule.of
        case Dominance():
            found = {"dominance": {"n": rule.n, "k": _number(rule.k)}}
        case PQ():
            found = {"pq": {"p": _number(rule.p), "q": _number(rule.q)}}
        case Entropy():
            found = {"entropy": _number(rule.limit)}
        case Request():
            found = {"request": True if rule.percent is None else {"percent": _number(rule.percent)}}
        case Attribute():
            found = {"attribute": {"given": list(rule.given), "populated": rule.populated}}
    if isinstance(rule, Threshold | Entropy | Request) and rule.protection_percent is not None:
        found["protection_percent"] = _number(rule.protection_percent)
    if isinstance(rule, Threshold | Dominance | PQ | Entropy) and rule.level != "holding":
        found["level"] = rule.level
    return found


def _number(value: Fraction) -> int | str:
    return value.numerator if value.denominator == 1 else decimal_text(value)
