"""What attacks on a changed release brought, in words."""

from collections.abc import Iterator

from tableseal.audit.attacks.registry import ATTACKS
from tableseal.audit.attacks.result import AttackReport, Curve, Replayed, Tallies, Tally
from tableseal.audit.codec.documents import json_of
from tableseal.audit.linear.naming import plural
from tableseal.audit.report.columns import Column, aligned
from tableseal.audit.report.words import printable

_COLUMNS = (
    Column("attack"),
    Column("true counts", right=True),
    Column("come back", right=True),
    Column("within 1", right=True),
    Column("zeros", right=True),
    Column("small", right=True),
    Column("small within 1", right=True),
)


def attack_json(found: AttackReport) -> str:
    """The result as JSON text, schema tableseal/attack/1."""
    return json_of(found)


def attack_text(found: AttackReport, *, title: str) -> str:
    """What is proved, what is guessed right, an example of each attack, and how wide changes would have to be."""
    below = f"small: from 1 to {found.threshold - 1}" if found.threshold > 2 else "small: 1"
    counts = found.as_published.all.counts
    lines = [f"{title}: {plural(counts, 'changed count')} ({'; '.join(found.stated)}); {below}."]
    lines.append(f"Largest difference between a published and a true count: {found.largest_change:g}.")
    tried = [attack for attack in found.attacks if attack.guessed.all.counts]
    proving = [(attack, attack.proved) for attack in tried if attack.proved is not None]
    if proving:
        lines += ["", "Proved by what readers are told:"]
        lines += aligned(_COLUMNS, [_row(attack.attack, tallies) for attack, tallies in proving], indent="  ")
    lines += ["", "Guessed right:"]
    rows = [_row("as published", found.as_published), *(_row(attack.attack, attack.guessed) for attack in tried)]
    lines += aligned(_COLUMNS, rows, indent="  ")
    if found.stopped_by is not None:
        lines += ["", "The time limit was reached: more may be proved, and curves end early."]
    for attack in found.attacks:
        lines += ["", *_details(attack, found)]
    return "\n".join(map(printable, lines)) + "\n"


def _row(name: str, of: Tallies) -> tuple[str, ...]:
    small = ("-", "-") if not of.small.counts else (_share(of.small), _share(of.small, within_one=True))
    zeros = _share(of.zeros) if of.zeros.counts else "-"
    return (name, f"{of.all.counts:,}", _share(of.all), _share(of.all, within_one=True), zeros, *small)


def _share(tally: Tally, *, within_one: bool = False) -> str:
    back = tally.within_one if within_one else tally.exact
    return f"{back:,} of {tally.counts:,} ({back / tally.counts:.0%})"


def _details(attack: Replayed, found: AttackReport) -> Iterator[str]:
    if not attack.guessed.all.counts:
        yield f"{attack.attack}: nothing to aim at; the release has no {ATTACKS[attack.attack].lacking}."
        return
    yield f"{attack.attack}: {attack.example or 'no count comes back'}."
    if attack.range_at_least is not None:
        yield f"  Published values alone show that some counts were changed by {attack.range_at_least} or more."
    if attack.curve is not None:
        yield f"  {_curve(attack, attack.curve, found)}"


def _curve(attack: Replayed, curve: Curve, found: AttackReport) -> str:
    points = ", ".join(f"{point.range}: {float(point.share):.1%}" for point in curve.points)
    what = "come back" if attack.proved is not None else "are guessed right that published values do not tell"
    share = "nothing comes" if not found.tolerated else f"at most {found.tolerated:.1%} come"
    told = (
        f"a {curve.by} of {curve.enough} is enough, so that {share} back"
        if curve.enough is not None
        else f"even {curve.points[-1].range} is not enough, so that {share} back"
    )
    draws = f"{plural(found.draws, 'draw')} for each {curve.by}"
    anew = f"noise drawn anew ({draws})" if curve.by == "range" else f"counts rounded anew ({draws})"
    return f"With {anew} {what}, by {curve.by}: {points}; {told}."
