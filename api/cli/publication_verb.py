"""`tableseal publication`: what is out already under a name, and what a new release does to it."""

import json as json_text
from typing import TYPE_CHECKING, Annotated

import typer

from tableseal.api.cli.arguments import ReleaseArgument
from tableseal.api.cli.exit_codes import VERDICTS, Code
from tableseal.api.cli.given import given_call
from tableseal.api.cli.progress import Progress
from tableseal.api.cli.reading import release_of
from tableseal.api.cli.streams import STREAM, check_targets, say, write_target
from tableseal.api.options.publication import PublicationOptions
from tableseal.api.options.release import ReleaseOptions
from tableseal.api.options.service import StoreOptions
from tableseal.api.options.shared import JsonFile
from tableseal.audit.errors import InputError

if TYPE_CHECKING:
    from tableseal.audit.publications import Assessment
    from tableseal.audit.report.call import Call

_WHO = "command line"

LISTED = 40
"""Cells that fall and are named in the text; the answer as JSON has all."""

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the publication.")]
OwnerOption = Annotated[
    str,
    typer.Option("--owner", metavar="NAME", help="Whose publication it is (default: a service without keys)."),
]


def publication_audit(
    context: typer.Context,
    name: NameArgument,
    release: ReleaseArgument,
    options: PublicationOptions,
    said: ReleaseOptions,
    json: JsonFile = None,
    owner: OwnerOption = "local",
    *,
    at: StoreOptions,
) -> Code:
    """Audit a release together with everything that was published before under a name.

    Says which cells fall and which earlier tables make them fall. Exit code: safe 0, unsafe 1, undecided 3.

    Example: tableseal publication audit prices release.yaml --publish
    """
    from tableseal.api.jobs.kinds import OutdatedError
    from tableseal.api.jobs.publication_kind import (
        PublicationRequest,
        assessed,
        check_reason,
        checked_name,
        published,
        published_before,
    )

    check_targets({"--json": json}, inputs=(release, said.policy))
    check_reason(options.despite)
    request = PublicationRequest(release=release, name=checked_name(name), by=_WHO, options=options)
    loaded = release_of(release, said)
    with at.opened() as (_, store), Progress() as progress:
        while True:
            with store.reading() as connection:
                (before,) = published_before(connection, owner, request)
            result, found = assessed(json_text.loads(before.read()), loaded, options, _WHO, progress)
            try:
                with store.writing() as connection:
                    answer = published(connection, owner, request, result).documents[0].read().decode()
                break
            except OutdatedError:  # another was quicker, and must be known to this one
                continue
    if json is not None:
        write_target(json, answer)
    number = json_text.loads(answer)["published"]
    say(_text(found, number, given_call(context)), error=json == STREAM)
    return VERDICTS[str(result.outcome)]


def publication_list(json: JsonFile = None, owner: OwnerOption = "local", *, at: StoreOptions) -> Code:
    """List the publications there are, with the number of their entries.

    Example: tableseal publication list
    """
    from tableseal.api.store.publications import names_of, publication

    with at.opened() as (_, store), store.reading() as connection:
        found = {name: len(publication(connection, owner, name).entries) for name in names_of(connection, owner)}
    if json is not None:
        names = [{"name": name, "entries": entries} for name, entries in found.items()]
        document = {"schema": "tableseal/publications/1", "publications": names}
        write_target(json, json_text.dumps(document, ensure_ascii=False) + "\n")
        return Code.DONE
    for name, entries in found.items():
        say(f"{name} ({entries} {'entry' if entries == 1 else 'entries'})")
    if not found:
        say("Nothing was published yet.")
    return Code.DONE


def publication_show(
    name: NameArgument,
    releases: Annotated[bool, typer.Option("--releases", help="With the releases themselves (confidential).")] = False,
    json: JsonFile = None,
    owner: OwnerOption = "local",
    *,
    at: StoreOptions,
) -> Code:
    """List what was published under a name, withdrawn entries included.

    Example: tableseal publication show prices
    """
    from tableseal.api.jobs.publication_kind import checked_name
    from tableseal.api.store.publications import publication

    with at.opened() as (_, store), store.reading() as connection:
        kept = publication(connection, owner, checked_name(name), releases=releases)
    if not kept.entries:
        raise InputError(f"publication {name}: nothing was published under this name.")
    if json is not None:
        document = {"schema": "tableseal/publication/1", "name": kept.name, "entries": kept.entries}
        write_target(json, json_text.dumps(document, ensure_ascii=False) + "\n")
        return Code.DONE
    for entry in kept.entries:
        gone = entry["withdrawn"]
        state = "" if gone is None else f"; withdrawn {gone['at']} by {gone['by']}: {gone['reason']}"
        why = "" if entry["despite"] is None else f"; not safe, out because: {entry['despite']}"
        say(f"{entry['number']}. {entry['title'] or '-'} ({', '.join(entry['tables'])}), {entry['at']}{why}{state}")
    return Code.DONE


def publication_withdraw(
    name: NameArgument,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", min=1, help="Number of the entry.")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the entry.")],
    never_out: Annotated[
        bool, typer.Option("--never-out", help="Nobody ever had it: later releases are not audited with it.")
    ] = False,
    owner: OwnerOption = "local",
    *,
    at: StoreOptions,
) -> Code:
    """Take an entry back. It stays in the list, with the reason.

    Example: tableseal publication withdraw prices 2 --reason "wrong file"
    """
    from tableseal.api.jobs.publication_kind import checked_name
    from tableseal.api.store.log import note
    from tableseal.api.store.publications import publication, set_withdrawn
    from tableseal.api.store.tokens import Principal, Role

    if not reason.strip():
        raise InputError("--reason: a withdrawal says why.")
    with at.opened() as (_, store), store.writing() as connection:
        kept = publication(connection, owner, checked_name(name))
        found = [known for known in kept.entries if known["number"] == entry]
        if not found:
            raise InputError(f"publication {name}: there is no entry {entry}.")
        if found[0]["withdrawn"] is not None:
            raise InputError(f"publication {name}: entry {entry} is withdrawn already.")
        if set_withdrawn(connection, owner, kept, entry, reason=reason, by=_WHO, was_out=not never_out) is None:
            raise InputError(f"publication {name}: it has changed at this moment; look again.")
        note(connection, Principal(owner, Role.OFFICER, _WHO), "publication.withdraw", f"{name}: {entry}")
    say(f"Entry {entry} of {name} is withdrawn; it stays in the list.")
    return Code.DONE


def _text(found: "Assessment", number: int | None, call: "Call") -> str:
    """Verdict, rule, what to do next, what falls and through what, and whether it is out now.

    number: of the entry that the release became.
    """
    from tableseal.audit.linear.naming import plural
    from tableseal.audit.publications.words import fallen_words, next_step
    from tableseal.audit.report.applied import AS_LISTED, shouted
    from tableseal.audit.report.frame import framed
    from tableseal.audit.report.unknown import unknown_in_words
    from tableseal.audit.report.words import applied, headline, printable

    said = [headline(found.report)] if not found.report.judged or found.called == AS_LISTED else []
    fallen = [*found.fallen, *found.older]
    said += [fallen_words(one) for one in fallen[:LISTED]]
    said += [f"... and {plural(len(fallen) - LISTED, 'more cell')}: see --json FILE."] if len(fallen) > LISTED else []
    said += [unknown_in_words(found.required_unknown)] if found.required_unknown else []
    state = "Not published." if number is None else f"Published as entry {number}."
    verdict = f"{shouted(found.called)}: {plural(len(found.audited), 'table')} audited together."
    following = next_step(found, number, call)
    lines = framed(verdict, [applied(found.report)], following, [*(f"  {words}" for words in said), state])
    return "\n".join(map(printable, lines))
