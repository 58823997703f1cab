"""The kind `attack`: a release with changed counts in, which true counts come back out, as `tableseal attack`."""

from tableseal.api.jobs.kinds import Context, Kind, Result, Rows
from tableseal.api.jobs.releases import ReleaseRequest, check_judging, release_in
from tableseal.api.options.attack import AttackOptions
from tableseal.api.store.job import Document


class AttackRequest(ReleaseRequest):
    """Attacks on a release whose counts were changed."""

    options: AttackOptions = AttackOptions()


def check(request: AttackRequest) -> None:
    """Refuse attacks and shares that are none."""
    from tableseal.audit.attacks.replay import chosen

    check_judging(request)
    chosen(request.options.settings().attacks)


def run(request: AttackRequest, context: Context) -> Result:
    """Attack the release in the folder.

    Raises
    ------
    InputError: the release or the options cannot be used. LimitError: too many cells.
    """
    from tableseal.audit.attacks.replay import replay
    from tableseal.audit.report.attack import attack_json

    settings = request.options.settings()
    found = replay(release_in(request, context), settings, progress=context.progress)
    return Result((Document("attack.json", "application/json", attack_json(found).encode()),), title=found.title)


KIND = Kind("attack", AttackRequest, run, Rows("attack", "attacks"), check)
