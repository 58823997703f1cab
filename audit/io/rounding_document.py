"""Shape of what a release file says of rounded values: pydantic models, the source of its JSON Schema."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.document_types import Model, Number, Positive, checked


def _wrong_ranges(ranges: Any) -> Iterable[InputError]:
    """Whether these are a file, value: [lower, upper], or [value, lower, upper]."""
    if isinstance(ranges, str):
        return
    entries = ranges.values() if isinstance(ranges, Mapping) else ranges if isinstance(ranges, list | tuple) else None
    wanted = (2, 3) if isinstance(ranges, Mapping) else (3,)
    if entries is None or not all(isinstance(one, list | tuple) and len(one) in wanted for one in entries):
        yield InputError("expected a file or ranges such as {5: [1, 4]}.", at=Place())


RoundingMethod = Literal[
    "conventional", "random", "controlled", "up", "down", "midpoint", "small", "cell_key", "noise", "adjusted"
]
Ranges = Annotated[
    Any,
    checked(_wrong_ranges),
    WithJsonSchema(
        {
            "type": ["string", "object", "array"],
            "description": "a file with columns value, lower, upper; or {value: [lower, upper]}; null: no upper limit",
        }
    ),
]


class BandDocument(Model):
    """True values from lower to upper are shown as one value, or rounded to a base."""

    lower: Number | None = Field(default=None, description="left out: all values that no other band has")
    upper: Number | None = Field(default=None, description="left out beside lower: without end")
    shown: Number | None = None
    base: Positive | None = None
    method: Literal["conventional", "random", "controlled", "up", "down"] = "conventional"


class FlexDocument(Model):
    """Of large values: no more than this share of the true value, and a fixed amount."""

    share: Number = Field(description="from 0, at most 6 decimals")
    plus: Number = Field(description="in the measure's own decimals")


class RoundingDocument(Model):
    """How the published values were rounded: base and method, bands, or what each published value stands for."""

    base: Positive | None = Field(default=None, description="in the measure's own decimals")
    method: RoundingMethod | None = Field(
        default=None,
        description="midpoint: 0 for 0, else the middle of base values; small: only counts below the base; cell_key: "
        "changed by at most `range`, which stands in place of a base; noise, adjusted: by at most a `share` of the "
        "true, of the published value",
    )
    range: Positive | None = Field(
        default=None,
        description="cell_key: the largest change of a value, up or down; noise, adjusted: changes up to this are "
        "possible whatever the share",
    )
    share: Number | None = Field(
        default=None,
        description="noise: largest change as a share of the true value; adjusted: of the published value; above 0, "
        "below 1, at most 6 decimals. cell_key: or changed by at most this share of the true value, also above 1",
    )
    flex: FlexDocument | None = Field(default=None, description="cell_key with a share: and by no more than this")
    never: Number | None = Field(default=None, description="cell_key: no value from one unit to this is published")
    zeros: Literal["stay", "change"] | None = Field(
        default=None, description="cell_key, noise, adjusted: what becomes of true zeros (default: stay)"
    )
    unchanged: Number | None = Field(default=None, description="cell_key: share of values that stay as they are")
    bands: list[BandDocument] | None = Field(default=None, min_length=1)
    ranges: Ranges | None = Field(
        default=None, description="what published values stand for (beside base and method: written by convert)"
    )
    wider: bool = Field(
        default=False,
        description="beside ranges: who knows how values were changed and tries that on every table may find narrower "
        "ones; an audit shows no cell to be protected by them",
    )
    top: Number | None = Field(default=None, description="true values from here on are shown as this one")
