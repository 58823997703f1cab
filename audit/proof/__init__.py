"""Proofs of an audit: writing them, and checking them with nothing but the standard library (`verify`)."""

from tableseal.audit.proof.document import proof_json
from tableseal.audit.proof.model import Proof
from tableseal.audit.proof.schema import proof_schema

__all__ = ["Proof", "proof_json", "proof_schema"]
