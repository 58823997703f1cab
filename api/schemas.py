"""The JSON Schemas of all that is read and written, by the word that each is asked for with."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any

SCHEMAS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "release": ("audit.io", "release_schema"),
        "policy": ("audit.io", "policy_schema"),
        "report": ("audit.report", "Report"),
        "risk": ("audit.measures.risk.result", "RiskResult"),
        "proof": ("audit.proof", "proof_schema"),
        "sap": ("audit.report.sap", "SapOfTable", "ConditionalSap", "SapBySchemes"),
        "attack": ("audit.attacks.result", "AttackReport"),
        "reconstruction": ("audit.reconstruction.result", "Reconstruction"),
        "suppression": ("suppression.report.model", "SuppressionReport"),
        "protection": ("suppression.protections.document", "ProtectionReport"),
        "comparison": ("suppression.comparison.document", "ComparisonReport"),
        "hypercube": ("audit.hypercube.manifest", "Manifest"),
        "request": ("audit.hypercube.request_document", "request_schema"),
        "generator-policy": ("suppression.generator.policy_document", "generator_schema"),
        "table": ("api.generating.document", "TableAnswer"),
        "generator-attack": ("suppression.generator.attacks.document", "GeneratorAttack"),
        "plan-file": ("audit.plans.document", "plan_schema"),
        "plan": ("audit.plans.report", "PlanReport"),
        "published": ("api.publishing.summary", "Published"),
        "certificate": ("api.publishing.certificate", "Certificate"),
        "run": ("api.argus.document", "JobReport"),
        "batch": ("audit.batch", "Batch"),
        "publication": ("audit.publications", "Publication"),
        "publication-audit": ("audit.publications", "Assessment"),
    }
)
"""Word -> module below `tableseal`, and in it the function that makes the schema, or the classes of the documents."""


def documents(word: str) -> list[Any]:
    """The classes of the documents; or the function that makes their schema. Only what has it is loaded."""
    module, *names = SCHEMAS[word]
    return [getattr(import_module(f"tableseal.{module}"), name) for name in names]


def schema(word: str) -> dict[str, Any]:
    """JSON Schema (2020-12)."""
    from tableseal.audit.codec.documents import schema_of

    first, *others = documents(word)
    made: dict[str, Any] = schema_of(first, *others) if isinstance(first, type) else first()
    return made
