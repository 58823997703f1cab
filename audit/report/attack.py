"""What attacks on a changed release brought, in words."""

from collections.abc import Iterator

from tableseal.audit.attacks.registry import ATTACKS
from tableseal.audit.attacks.result import AttackReport, Curve, Replayed, Tallies, Tally
from tableseal.audit.codec.documents import json_of
from tableseal.audit.language import counted, numerals, phrase, put
from tableseal.audit.language import gettext as _
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
    rows = [_row(_("as published"), found.as_published), *(_row(attack.attack, attack.guessed) for attack in tried)]
    lines += aligned(_COLUMNS, rows, indent="  ")
    if found.stopped_by is not None:
        lines += ["", "The time limit was reached: more may be proved, and curves end early."]
    for attack in found.attacks:
        lines += ["", *_details(attack, found)]
    return "\n".join(map(printable, lines)) + "\n"


def _row(name: str, of: Tallies) -> tuple[str, ...]:
    small = ("-", "-") if not of.small.counts else (_share(of.small), _share(of.small, within_one=True))
    zeros = _share(of.zeros) if of.zeros.counts else "-"
    return (name, numerals(f"{of.all.counts:,}"), _share(of.all), _share(of.all, within_one=True), zeros, *small)


def _share(tally: Tally, *, within_one: bool = False) -> str:
    back = tally.within_one if within_one else tally.exact
    share = numerals(f"{back / tally.counts:.0%}")
    return put("{n} of {all} ({share})", n=numerals(f"{back:,}"), all=numerals(f"{tally.counts:,}"), share=share)


def _details(attack: Replayed, found: AttackReport) -> Iterator[str]:
    if not attack.guessed.all.counts:
        lacking = _(ATTACKS[attack.attack].lacking)
        yield put("{attack}: nothing to aim at; the release has no {lacking}.", attack=attack.attack, lacking=lacking)
        return
    example = phrase(attack.example) if attack.example else _("no count comes back")
    yield put("{attack}: {example}.", attack=attack.attack, example=example)
    if attack.range_at_least is not None:
        least = attack.range_at_least
        yield "  " + put("Published values alone show that some counts were changed by {n} or more.", n=least)
    if attack.curve is not None:
        yield f"  {_curve(attack, attack.curve, found)}"


def _curve(attack: Replayed, curve: Curve, found: AttackReport) -> str:
    points = ", ".join(f"{point.range}: " + numerals(f"{float(point.share):.1%}") for point in curve.points)
    back = _("nothing comes back")
    if found.tolerated:
        back = put("at most {share} come back", share=numerals(f"{found.tolerated:.1%}"))
    what = _("come back") if attack.proved is not None else _("are guessed right that published values do not tell")
    if curve.enough is None:
        told = put("even {n} is not enough, so that {back}", n=curve.points[-1].range, back=back)
    elif curve.by == "range":
        told = put("a range of {n} is enough, so that {back}", n=curve.enough, back=back)
    else:
        told = put("a base of {n} is enough, so that {back}", n=curve.enough, back=back)
    if curve.by == "range":
        draws = counted(found.draws, "{n} draw for each range", "{n} draws for each range")
        line = _("With noise drawn anew ({draws}) {what}, by range: {points}; {told}.")
    else:
        draws = counted(found.draws, "{n} draw for each base", "{n} draws for each base")
        line = _("With counts rounded anew ({draws}) {what}, by base: {points}; {told}.")
    return line.format(draws=draws, what=what, points=points, told=told)
