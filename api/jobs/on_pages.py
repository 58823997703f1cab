"""What to do next, for somebody who has the pages and nothing else."""

from collections.abc import Mapping, Sequence

from tableseal.api.options.rules import form_fields
from tableseal.audit.errors import OptionName
from tableseal.audit.language import gettext as _
from tableseal.audit.language import phrase, put, words_of
from tableseal.audit.said import Do, InFile, Part, Spelling, Step


class OnPages(Spelling):
    """Advice in what stands on buttons and fields."""

    STEPS: Mapping[Step, str] = words_of(
        {
            "suppress": "“Protect the release”",
            "kept": "the file for the agency, beside the protected release",
            "kept file": "The file for the agency of a protected release",
            "more sizes": "the JSON has them all",
            "more rows": "the JSON has them all",
            "explain": "“Explain”: yes looks all the same",
            "rules": "a policy in the release file, or a column of statuses",
        }
    )

    def spelled(self, part: Part) -> str:
        """One part; steps in the language that is spoken."""
        said = super().spelled(part)
        return phrase(said) if isinstance(part, Do) else said

    def option(self, option: OptionName) -> str:
        """`“Time limit”`, `“Bounds”: integer`."""
        name = f"“{_label(option.name)}”"
        return name if option.given is None or option.given.isupper() else f"{name}: {option.given}"

    def in_file(self, said: InFile) -> str:
        """As release files have it, and what the form for a table calls it."""
        label = FIELDS.get(said.key)
        return super().in_file(said) + (f" (“{phrase(label)}”)" if label else "")

    def protecting(self) -> str:
        """See `Asked`."""
        return _("“Protect the release” on the page of the release")

    def with_option(self, option: OptionName, without: Sequence[str] = ()) -> str:
        """See `Asked`."""
        return put("begin again from the page of the release with {option}", option=self.option(option))

    def writing(self, *, released: bool, kept: bool) -> str:
        """See `Asked`."""
        return _("download the protected release and, to be kept, the file for the agency")

    def by_method(self, method: str, keeping: Sequence[str]) -> str:
        """See `Asked`."""
        return put("begin again from the page of the release with the method {method}", method=method)


FIELDS: Mapping[str, str] = words_of(
    {
        "absent": "A combination without a row",
        "decimal": "Decimal sign",
        "marks": "Marks instead of values",
        "thousands": "Thousands are separated by",
        "unit": "Smallest step of the values",
    }
)
"""Key of a release file -> the field that says it in the form for a table."""


def _label(name: str) -> str:
    """What stands beside the field of an option."""
    rules = {name: asked.label for name, _, asked in form_fields()}
    return phrase(rules.get(name, name.replace("_", " ").capitalize()))
