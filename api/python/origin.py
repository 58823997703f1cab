"""What came in at the door."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Origin:
    """What came in.

    kind: library of the frame (None: it was none). whole: columns of that frame that hold whole numbers. inputs: files
    that were read, and are not to be overwritten. title: what messages call it. index: of the rows of a pandas frame.
    """

    kind: str | None = None
    whole: frozenset[str] = frozenset()
    inputs: tuple[Path, ...] = ()
    title: str = "release"
    index: Any = None
