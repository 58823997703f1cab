"""Fail if a test was skipped that .ci/allowed-skips does not list: python3 .ci/skips.py JUNIT.xml ALLOWED."""

import sys
from pathlib import Path
from xml.etree import ElementTree


def main(junit: Path, allowed_file: Path) -> int:
    """Print every skipped test with its reason; 1 if one of them is not allowed, or if nothing ran at all."""
    allowed = read_allowed(allowed_file.read_text("utf-8"))
    cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    bad = 0
    for case in cases:
        skipped = case.find("skipped")
        if skipped is None or skipped.get("type") == "pytest.xfail":
            continue
        name = f"{case.get('classname')}.{case.get('name')}"
        reason = next((why for part, why in allowed if part in name), None)
        bad += reason is None
        verdict = f"allowed ({reason})" if reason else "NOT ALLOWED"
        print(f"{name}: {skipped.get('message')}: {verdict}")
    print(f"{len(cases)} tests, {bad} skipped without leave")
    return 1 if bad or not cases else 0


def read_allowed(text: str) -> list[tuple[str, str]]:
    """Lines `part of a test's name | reason`; # begins a comment."""
    lines = [line.strip() for line in text.splitlines()]
    pairs = [line.partition("|") for line in lines if line and not line.startswith("#")]
    return [(part.strip(), why.strip()) for part, _, why in pairs if why.strip()]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
