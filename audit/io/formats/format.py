"""What a format is whose files say themselves what they hold.

A bare data file (CSV, Parquet) gives columns, and what they are is inferred or said in a release file. A file of
PC-Axis or tau-ARGUS says that itself: which columns are codes and of which classification, what is a total, what the
statuses are. Its reader gives what a release file gives, so that everything after it (the loader, its errors, `init`,
`convert`) is the same:

    read(folder, name, letters) -> release document

- `folder` is the only way to files (`Folder.content`, `Folder.text`: paths stay inside, sizes are bounded), also for
  those that go with the file; what is to be told goes to `folder.notes`.
- `name` is the name of the file in that folder; `letters` is what the user says that flags and marks of the file mean
  (`--status-map`): flag -> word. The reader puts it into the document (`map` of `status`, `marks`), where it goes
  before what the reader knows itself; nothing looks at it after that.
- The document is the mapping that a release file in YAML is, with plain scalars; `cells` of a table (and of
  `microdata`) may be `Columns`, whose `source` (a `Place` with the name of the file) and `lines` say where rows stand
  in the file. Places of errors in classifications are keys of this document.
- Errors are `InputError` with the place in the file: line, keyword or column, what was found, what is expected. A file
  that ends too early is an error, never a part of a table. A withheld cell never becomes 0, blank or "not applicable":
  what the file does not say of a symbol the user says (`letters`, `marks`), or it is an error that asks for it.

    write(release, name) -> file name -> content, the file itself last

- A writer gets a release with nothing but what its format holds (`losses.kept`), and writes all of it; read back, it is
  the same release. What the format cannot hold at all (several tables) is an `InputError`.

    companions(release, name) -> names of all files that may be written besides the file itself

- Of a format whose writer gives more than one file, so that none of them goes over an input.

    dataset(folder, name, letters) -> Dataset

- Where a file holds one table, this gives its columns too, so that a release file can name it for its data (`file:`).
  `dataset.reader` makes `read` of it.

A module of a format has these functions, or some of them, under these names. `registry.py` lists the formats.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from typing import Any

from tableseal.audit.io.files import Folder
from tableseal.audit.model import Release

Letters = Mapping[str, str]
"""Flag or mark of a file -> what the user says that it means: a status word, or `zero`."""

Reader = Callable[[Folder, str, Letters], dict[str, Any]]
"""(folder, name of a file inside, letters) -> release document."""

Writer = Callable[[Release, str], dict[str, bytes]]
"""(release, name of the file) -> name -> content."""


def file_and_part(name: str) -> tuple[str, str | None]:
    """`results.json#output_1`: the name of a file, and which of its tables is meant (None: all of it)."""
    file, _, part = name.partition("#")
    return (file, part) if part and file.lower().endswith((".json", ".jsonstat")) else (name, None)


class Part(Enum):
    """What a release may hold besides values and which values are withheld. A format holds it or loses it; what is lost
    is taken out in this order."""

    SEVERAL_TABLES = "several tables"
    TOTALS = "which codes are totals"
    GROUPS = "groups of codes"
    UNLISTED = "codes that no row has"
    SEVERAL_GROUPINGS = "several groupings of one classification"
    COMBINED = "which codes go out only together, as one"
    KIND = "whether values are counts or magnitudes"
    UNIT = "the published precision"
    PRIMARY = "which cells are withheld because they are sensitive"
    SECONDARY = "which cells are withheld to protect others"
    RELEASED = "which cells are out or go out by agreement"
    MUST_PUBLISH = "which cells must be published"
    ZEROS = "zeros that everyone knows"
    ABSENT = "what combinations without a row mean"
    MISSING = "values that are missing (they are withheld)"
    UNEXPLAINED = "that nothing says why some cells are withheld (they are marked as sensitive)"
    ROUNDING = "how values are rounded"
    TRUTH = "true values"
    FREQUENCIES = "numbers of contributors"
    CONTRIBUTORS = "the largest contributions"
    BOUNDS = "bounds that everyone knows"
    PROTECTION = "how wide intervals must be"
    COSTS = "costs of withholding"
    LETTERS = "reasons in the agency's letters"
    LINKS = "equations between cells"
    STATISTICS = "percentages, rates and means"
    MICRODATA = "microdata"
    INTRUDER = "what an intruder knows besides"
    AGREEMENTS = "agreements of contributors"
    POLICY = "the policy"
    TITLE = "the title"
    DAY = "the day of publication"
    PRECISION = "decimals that no published value shows"
    CODES = "variables and codes (cells become numbers, and sums equations)"


CONFIDENTIAL = frozenset(
    (
        Part.PRIMARY,
        Part.SECONDARY,
        Part.TRUTH,
        Part.FREQUENCIES,
        Part.CONTRIBUTORS,
        Part.PROTECTION,
        Part.COSTS,
        Part.LETTERS,
        Part.MICRODATA,
    )
)
"""What is for the agency alone: in a format made for readers only if it is asked for."""


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    key: its name in options and messages. title: its name for people.
    endings: how names of its files end, in lower case, the usual one first.
    module: where its functions `read` and `write` are, loaded when one is used.
    seems: whether a file with such an ending (its first 64 KiB) is in this format; None: the ending says it.
    closes: the same of its last 64 KiB.
    reads, writes: whether there are these functions. public: made for readers, so that what is confidential is written
    only if that is asked for.
    written: how names of files that are written end, where not each of `endings` means this format.
    whole: it has a true value for every cell, so that a release for readers cannot be written in it.
    unnamed: it has a place for a code that is an empty text.
    text: its files are text in UTF-8. columns: a release file may name its files for their data, which `dataset` of the
    module gives.
    parts: `NAME#PART` names one of the tables in a file. holds: parts of a release that it has a place for.
    """

    key: str
    title: str
    endings: tuple[str, ...]
    module: str
    seems: Callable[[bytes], bool] | None = None
    closes: Callable[[bytes], bool] | None = None
    reads: bool = True
    writes: bool = True
    public: bool = True
    whole: bool = False
    unnamed: bool = False
    written: str | None = None
    text: bool = True
    columns: bool = True
    parts: bool = False
    holds: frozenset[Part] = frozenset()

    @property
    def read(self) -> Reader:
        """Its reader."""
        found: Reader = import_module(self.module).read
        return found

    @property
    def dataset(self) -> Any:
        """Its function `dataset` (see `dataset.py`)."""
        return import_module(self.module).dataset

    def companions(self, release: Release, name: str) -> tuple[str, ...]:
        """Names of files that may be written besides a file."""
        found: Callable[[Release, str], tuple[str, ...]] | None = getattr(
            import_module(self.module), "companions", None
        )
        return () if found is None else found(release, name)

    @property
    def write(self) -> Writer:
        """Its writer."""
        found: Writer = import_module(self.module).write
        return found
