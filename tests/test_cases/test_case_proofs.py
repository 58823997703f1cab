"""Every shipped release has a complete proof that the verifier accepts."""

from pathlib import Path

import pytest

from tableseal.api.cases import case_names, load_case
from tableseal.audit.io import canonical_json, read_release
from tableseal.audit.pipeline import audit
from tableseal.audit.proof import proof_json
from tableseal.audit.proof.verify import check

AUDITS = [run for name in case_names() for run in load_case(name).runs if run.kind == "audit"]
RELEASES = sorted({run.release for run in AUDITS if not run.withhold_primaries and run.release.stem != "conflict"})


@pytest.mark.parametrize("path", RELEASES, ids=lambda path: f"{path.parent.parent.name}/{path.parent.name}/{path.stem}")
def test_proofs_of_shipped_cases(path: Path) -> None:
    release = read_release(path)
    result = audit(release, prove=True)
    assert result.proof is not None
    count = check(proof_json(result.proof).encode(), canonical_json(release))
    assert count["ends"] == count["proved"] == count["attained"]
