"""What every text that says a verdict has in common."""

from collections.abc import Iterable, Sequence

from tableseal.audit.language import put


def framed(verdict: str, rules: Sequence[str], following: str | None, body: Iterable[str]) -> list[str]:
    """The lines of a text in the order of need: the verdict, by which rules, what to do next (None: nothing), all else,
    and the verdict again, which is what a terminal shows last."""
    return [verdict, *rules, *([] if following is None else [put("Next: {what}", what=following)]), *body, verdict]
