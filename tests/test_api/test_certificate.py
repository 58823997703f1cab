"""The certificate of a publication: what it says, and that whatever is changed is found."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import run
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from tableseal.audit.proof.certificate import check_certificate, digest_of, text_of
from tableseal.audit.proof.verify import RefusedError

PLAN: dict[str, Any] = {
    "tableseal-plan": 1,
    "title": "Sales <b>",
    "measures": {"sales": {"kind": "magnitude"}, "firms": {"kind": "count"}},
    "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
    "tables": [
        {"name": "sales", "measure": "sales", "by": ["region"]},
        {"name": "firms", "measure": "firms", "by": ["region"]},
    ],
    "microdata": {"file": "firms.csv", "values": {"sales": "sales"}, "id": "id"},
    "accept": [{"measure": "sales", "cell": {"region": "S"}, "reason": "old firms", "by": "A. Head"}],
    "policy": {"primary": [{"threshold": 3}]},
}
ROWS = "id,region,sales\n" + "".join(f"e{k},{'NSSWWWWWW'[k]},{10 + k}\n" for k in range(9))


def pem(key: Any) -> tuple[bytes, bytes]:
    return (
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan, keys, and a publication with proofs and a signature."""
    home = tmp_path_factory.mktemp("certificate")
    (home / "plan.yaml").write_text(yaml.safe_dump(PLAN, sort_keys=False))
    (home / "firms.csv").write_text(ROWS)
    for name, key in {
        "own": Ed25519PrivateKey.from_private_bytes(b"o" * 32),
        "other": Ed25519PrivateKey.from_private_bytes(b"x" * 32),
        "curve": generate_private_key(SECP256R1()),
    }.items():
        private, public = pem(key)
        (home / f"{name}.pem").write_bytes(private)
        (home / f"{name}.public.pem").write_bytes(public)
    done = run("publish", str(home / "plan.yaml"), "-o", str(home / "out"), "--proof", "--sign", str(home / "own.pem"))
    assert done.exit_code == 0, done.output
    return home


def verify(home: Path, *more: str) -> Any:
    return run("verify", str(home / "out" / "certificate.json"), str(home / "out"), *more)


def test_what_it_says(home: Path) -> None:
    """CONVENTION 943."""
    found = json.loads((home / "out" / "certificate.json").read_text())
    assert found["verdict"] == "safe"
    assert [one["file"] for one in found["inputs"]] == ["firms.csv", "plan.yaml"]
    sales = found["clusters"][0]
    assert (sales["rules"], sales["method"], sales["seed"]) == (["threshold 3"], "optimal", 0)
    agreed = {"measure": "sales", "cell": {"region": "S"}, "reason": "old firms", "by": "A. Head", "until": None}
    assert sales["accepted"] == [{"kind": "accept", **agreed}]
    assert {one["file"] for one in found["outputs"]} >= {
        "summary.json", "certificate.html", sales["report"], sales["release"], sales["proof"], *sales["public"]
    }  # fmt: skip
    page = (home / "out" / "certificate.html").read_text()
    assert "Sales &lt;b&gt;: safe" in page
    assert "old firms (A. Head)" in " ".join(page.split())


def test_it_is_accepted(home: Path) -> None:
    done = verify(
        home, "--key", str(home / "own.public.pem"), "--inputs", str(home), "--json", str(home / "found.json")
    )
    assert done.exit_code == 0, done.output
    assert "2 proofs checked. The signature is by this key. 2 inputs are as they were." in done.stdout
    found = json.loads((home / "found.json").read_text())
    assert (found["accepted"], found["proofs"], found["signed"], found["inputs"]) == (True, 2, True, 2)
    assert "Signatures were not checked" in verify(home).stdout


def copy_of(home: Path, place: Path) -> Path:
    shutil.copytree(home, place, dirs_exist_ok=True)
    return place


FILES = (
    "certificate.json", "certificate.html", "summary.json", "agency/sales.json", "agency/sales.proof.json",
    "agency/firms.report.json", "agency/firms.report.html", "public/sales.yaml", "public/firms_firms.csv",
    "records/sales.json",
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(FILES), where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_changed_byte_in_any_file_is_found(home: Path, name: str, where: float, change: int) -> None:
    """CONVENTION 944."""
    out = home / "out"
    before = (out / name).read_bytes()
    changed = bytearray(before)
    changed[int(where * len(before))] ^= change
    try:
        (out / name).write_bytes(changed)
        with pytest.raises((RefusedError, ValueError)):
            check_certificate((out / "certificate.json").read_bytes(), out)
    finally:
        (out / name).write_bytes(before)
    check_certificate((out / "certificate.json").read_bytes(), out)


def test_files_that_are_missing_or_more(home: Path, tmp_path: Path) -> None:
    other = copy_of(home, tmp_path)
    (other / "out" / "public" / "more.csv").write_text("a\n1\n")
    assert "Refused: public/more.csv: not in the certificate." in verify(other).stdout
    (other / "out" / "public" / "more.csv").unlink()
    (other / "out" / "public" / "sales.yaml").unlink()
    done = verify(other)
    assert done.exit_code == 1
    assert "Refused: public/sales.yaml: cannot be read." in done.stdout


def forged(out: Path, **changes: Any) -> None:
    document = json.loads((out / "certificate.json").read_text()) | changes
    (out / "certificate.json").write_text(text_of({**document, "sha256": digest_of(document)}))


def test_only_the_key_tells_a_certificate_that_was_made_anew(home: Path, tmp_path: Path) -> None:
    """CONVENTION 945."""
    other = copy_of(home, tmp_path)
    key = ("--key", str(home / "own.public.pem"))
    forged(other / "out", title="Other")
    assert verify(other).exit_code == 0
    assert "the signature is not of this certificate" in verify(other, *key).stdout
    assert "signed by another key" in verify(home, "--key", str(home / "other.public.pem")).stdout
    document = json.loads((home / "out" / "certificate.json").read_text())
    del document["signature"]
    (other / "out" / "certificate.json").write_text(text_of({**document, "sha256": digest_of(document)}))
    assert "Refused: it is not signed." in verify(other, *key).stdout


def test_a_verdict_that_its_report_does_not_have(home: Path, tmp_path: Path) -> None:
    other = copy_of(home, tmp_path)
    clusters = json.loads((home / "out" / "certificate.json").read_text())["clusters"]
    clusters[0]["verdict"] = "unsafe"
    forged(other / "out", clusters=clusters)
    assert "sales: the report says something else" in verify(other).stdout
    clusters[0] |= {"report": None}
    forged(other / "out", clusters=clusters)
    assert "sales: is public and not safe" in verify(other).stdout


def test_inputs_that_have_changed(home: Path, tmp_path: Path) -> None:
    other = copy_of(home, tmp_path)
    (other / "firms.csv").write_text(ROWS.replace("10", "11"))
    assert "Refused: input firms.csv: was changed." in verify(other, "--inputs", str(other)).stdout
    outputs = [{"file": "../firms.csv", "sha256": "0" * 64}]
    forged(other / "out", outputs=outputs)
    assert "leads out of the folder" in verify(other).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("publish", "{home}/plan.yaml", "-o", "{home}/new", "--sign", "{home}/curve.pem"),
            "found a key of another kind",
        ),
        (("publish", "{home}/plan.yaml", "-o", "{home}/new", "--sign", "{home}/firms.csv"), "found something else"),
        (("publish", "{home}/plan.yaml", "-o", "{home}/new", "--sign", "{home}/no.pem"), "cannot be read"),
        (("verify", "{home}/out/certificate.json", "{home}/out", "--key", "{home}/firms.csv"), "no public key in PEM"),
        (
            ("verify", "{home}/out/certificate.json", "{home}/out", "--key", "{home}/curve.public.pem"),
            "none of Ed25519",
        ),
        (("verify", "{home}/out/summary.json", "{home}/out"), "Refused: another kind of file"),
        (("verify", "{home}/firms.csv", "{home}/out"), "not in the form of a certificate"),
        (
            ("verify", "{home}/out/agency/sales.proof.json", "{home}/out/agency/sales.json", "--key", "k"),
            "--key and --inp",
        ),
    ],
)
def test_bad_input(home: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run(*(text.replace("{home}", str(home)) for text in arguments))
    assert done.exit_code in (1, 2)
    assert message in " ".join(done.output.split())
    assert not (home / "new").exists()
