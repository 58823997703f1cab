"""What every primary rule is: parameters, words and a judgement. One file a rule; `registry` lists them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, get_type_hints

import numpy as np
from numpy.typing import NDArray

from tableseal.audit.rules.facts import COUNTS, MAGNITUDES, Facts, Kind, Level
from tableseal.audit.rules.judgement import Judgement

Value = Literal["count", "rank", "percent", "positive", "nonnegative", "share", "flag", "text", "texts"]
"""What a parameter may be: a whole number from 1, one up to 1000; a number above 0 up to 100, above 0, from 0, from 0
to 1; true or false; a text; a list of some texts."""


@dataclass(frozen=True)
class Parameter:
    """What a policy file may say of a field of a rule; the field is `Annotated` with it.

    value: what it may be, or the words of which it is one. about: description in the JSON Schema.
    place: `key`: the value stands behind the key of the rule; `inside`: it is an entry of the mapping there; `beside`:
        an entry beside that key.
    required: must be there although the field has a default. always: written even if it is at its default (one that
        stands behind the key always is).
    """

    value: Value | tuple[str, ...]
    about: str
    place: Literal["key", "inside", "beside"] = "inside"
    required: bool = False
    always: bool = False


LevelField = Annotated[
    Level,
    Parameter(
        ("holding", "unit"),
        "who is one contributor: a holding with all its units, or each unit (from the microdata)",
        "beside",
    ),
]
"""Field of rules about contributors."""

ProtectionField = Annotated[
    Fraction | None,
    Parameter("nonnegative", "required distance on each side, in percent of the cell's value", "beside"),
]
"""Field of rules that require a percentage of the value; None: nothing (a threshold: see there)."""


@dataclass(frozen=True)
class Short:
    """A second key for a rule in policy files, with one parameter behind it: `p_percent: 10`; the others are at their
    defaults."""

    key: str
    field: str
    about: str


class Rule(ABC):
    """A primary rule with its parameters: a frozen dataclass whose fields are annotated with `Parameter`.

    The first paragraph of its docstring describes it in the JSON Schema of policies. What can be said of a rule besides
    its judgement:

    key: in policy files. short: a second one. switch: `key: true` stands for no parameters, `key: false` for no rule.
    kinds: of measures whose cells it judges.
    reasons: names under which `reasons` of a policy has its letter, with a description.
    subadditive: where no part of a cell is sensitive, the cell is not.
    of_lines: it is about whole lines of a table, and says nothing of single combinations of codes.
    of_records: of combinations that no row lists, only microdata can tell whether they are sensitive.
    """

    key: ClassVar[str]
    kinds: ClassVar[frozenset[Kind]] = COUNTS | MAGNITUDES
    short: ClassVar[Short | None] = None
    switch: ClassVar[bool] = False
    reasons: ClassVar[Mapping[str, str | None]] = {}
    subadditive: ClassVar[bool] = False
    of_lines: ClassVar[bool] = False
    of_records: ClassVar[bool] = True

    @classmethod
    def policy_keys(cls) -> tuple[str, ...]:
        """Those that policy files may use."""
        return (cls.key,) if cls.short is None else (cls.short.key, cls.key)

    @classmethod
    def letters(cls) -> Mapping[str, str | None]:
        """Names of its letters in `reasons` of a policy, with descriptions."""
        return cls.reasons or {cls.key: None}

    @property
    def level(self) -> Level:
        """Who is one contributor; a field of rules where that can be said."""
        return "holding"

    @property
    @abstractmethod
    def text(self) -> str:
        """The rule in reports and messages: `dominance (1, 85)`."""

    @abstractmethod
    def sentence(self, counts: bool) -> str:
        """What is sensitive, for readers who do not know the rule; counts: the tables hold counts only."""

    @abstractmethod
    def judge(self, facts: Facts) -> Judgement:
        """Which cells are sensitive, and what interval must stay possible.

        Raises
        ------
        InputError: a cell that must be judged lacks data (Facts.demand); a meaningless parameter.
        """

    def known(self, facts: Facts) -> NDArray[np.bool_]:
        """bool (cells): those of which the rule has all that it needs to judge them."""
        return facts.covered

    @property
    def name(self) -> str:
        """`text`, with the level."""
        return self.text if self.level == "holding" else f"{self.text} (units)"

    @property
    def reason(self) -> tuple[str, ...]:
        """Names of its letter in `reasons` of a policy; the first that has a letter counts."""
        return (self.key,)

    @property
    def ranks(self) -> int:
        """How many of the largest contributions of a cell it looks at."""
        return 0

    @property
    def variables(self) -> tuple[str, ...]:
        """Variables of the release that its parameters name."""
        return ()


@cache
def parameters(rule: type[Rule]) -> Mapping[str, tuple[Parameter, Any]]:
    """Field of a rule -> (what a policy file may say of it, its default or MISSING), in their order."""
    hints = get_type_hints(rule, include_extras=True)
    return {
        field.name: (next(p for p in hints[field.name].__metadata__ if isinstance(p, Parameter)), field.default)
        for field in fields(rule)  # type: ignore[arg-type]
    }
