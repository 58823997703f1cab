"""What is declared once is said nowhere else by hand, or what is said by hand is compared. CONVENTION 668."""

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from tableseal.api.drafts.marks import Marks, document_of
from tableseal.api.options.conversion import ConversionOptions
from tableseal.api.options.option import declared
from tableseal.api.options.risk import RiskOptions
from tableseal.api.options.rules import GivenRules, form_fields, in_release_file, said_rules
from tableseal.api.python.keywords import Rules
from tableseal.api.settings import Settings
from tableseal.audit.io import policy_from_document
from tableseal.audit.io.formats.registry import FORMATS
from tableseal.audit.io.rounding_document import RoundingMethod
from tableseal.audit.io.statuses.schemes import SCHEMES
from tableseal.audit.io.yaml_text import parse_document
from tableseal.audit.measures.risk.divergence import DivergenceName
from tableseal.audit.measures.risk.table_risk import Form
from tableseal.audit.model.release import InsiderKind, Rounding
from tableseal.audit.rules.registry import KEYS

ROOT = Path(__file__).parents[2]
DECLARED = ROOT / "api" / "options" / "rules.py"
KEYS_SAID = [one.name for one, _ in said_rules()]


@pytest.mark.parametrize("key", [key for key in KEYS_SAID if key != "threshold"])  # a word of English, too
def test_a_rule_is_named_in_one_file_of_the_ways_in(key: str) -> None:
    files = [path for path in (ROOT / "api").rglob("*") if path.suffix in (".py", ".html", ".js")]
    files = [path for path in files if "argus" not in path.parts]  # what another program calls rules
    code = re.compile(rf"(?<![\w-])[\"']?{key}(_[nk])?[\"']?\s*[:=(]")
    named = [path for path in files if code.search(path.read_text("utf-8"))]
    assert named == [DECLARED]


def test_what_follows_from_the_declaration() -> None:
    assert set(KEYS_SAID) <= set(KEYS)
    assert {one.name for one in declared(Rules)} == {"policy", *KEYS_SAID}
    examples = {one.name: rule.such for one, rule in said_rules()}
    marks = Marks(rules={name: examples[key][at] for at, name, key in _places()})
    policy = policy_from_document(document_of(marks, "t.csv", "t", {})["policy"])
    given = GivenRules(**{k: (",".join(v),) if len(v) > 1 else v[0] for k, v in examples.items()})  # type: ignore[arg-type]
    assert policy == given.to_policy()
    text = "policy:\n  primary:\n" + re.sub(r"^#", "", in_release_file(), flags=re.MULTILINE)
    document = parse_document(text, "t")
    assert isinstance(document, dict)
    assert policy_from_document(document["policy"]) == given.to_policy()


def _places() -> list[tuple[int, str, str]]:
    """(place among the numbers of its rule, name of the field, rule)."""
    seen: dict[str, int] = {}
    found = []
    for name, key, _ in form_fields():
        found.append((seen.setdefault(key, 0), name, key))
        seen[key] += 1
    return found


def test_marks_of_a_form_that_was_kept_before_have_their_rules() -> None:
    kept = {"kind": "count", "threshold": "5", "dominance_n": "1", "dominance_k": "85"}
    assert Marks.model_validate(kept).rules == {"threshold": "5", "dominance_n": "1", "dominance_k": "85"}


def test_forms_of_r2() -> None:
    (form,) = (one for one in declared(RiskOptions) if one.name == "form")
    assert form.values == get_args(Form)


def test_every_setting_is_described_with_its_default() -> None:
    page = (ROOT / "docs" / "administration.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", page, re.MULTILINE))
    said = {
        name: value.strip()
        for names, values in rows.items()
        for name, value in zip(re.findall(r"`(\w+)`", names), _defaults(names, values), strict=True)
    }
    for name, field in Settings.model_fields.items():
        assert name in said, name
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert float(said[name].replace(",", "")) == field.default, name


def _defaults(names: str, values: str) -> list[str]:
    """The defaults of a row: one for each name, or one for all."""
    count = len(re.findall(r"`(\w+)`", names))
    return [values] if count == 1 else values.split(", ") if ", " in values else [values] * count


def test_insiders_and_schemes_are_described() -> None:
    pages = " ".join(path.read_text("utf-8") for path in (ROOT / "docs" / "reference").glob("*.md"))
    for kind in get_args(InsiderKind):
        assert re.search(rf"insiders: \[[^\]]*\b{kind}\b|`{kind}`", pages), kind
    import importlib.util

    spec = importlib.util.spec_from_file_location("generated", ROOT / "docs" / "generated.py")
    assert spec is not None
    assert spec.loader is not None
    generated = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generated)
    shown = generated.expanded((ROOT / "docs" / "reference" / "status.md").read_text("utf-8"))
    for name in SCHEMES.keys() - {"words"}:
        assert f"| `{name}` |" in shown


def test_the_help_of_convert_names_every_format_that_is_written() -> None:
    (option,) = [one for one in declared(ConversionOptions) if one.name == "format"]
    help_text = option.option.help
    for one in FORMATS:
        said = re.search(rf"(?<![\w-]){re.escape(one.key)}(?![\w-])", help_text) is not None
        assert said == one.writes, one.key
        if one.writes:
            assert (one.written or one.endings[0]) in help_text, one.key


def test_the_help_of_risk_names_every_divergence() -> None:
    (option,) = [one for one in declared(RiskOptions) if one.name == "divergence"]
    assert all(name in option.option.help for name in get_args(DivergenceName))


def test_methods_of_rounding_are_the_same_in_a_document_and_in_a_release() -> None:
    made = set(get_args(get_type_hints(Rounding)["method"]))
    assert set(get_args(RoundingMethod)) == made - {"ranges"}  # what `ranges` and `bands` are read as
