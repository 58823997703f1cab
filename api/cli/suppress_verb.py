"""`tableseal suppress`: what to withhold besides the sensitive cells."""

from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from api.cli.exit_codes import Code
from api.cli.options import JsonOption, PolicyOption, ReleaseArgument, StatusMapOption
from api.cli.progress import Progress
from api.cli.reading import release_of
from api.cli.streams import STREAM, check_targets, say, write_target

if TYPE_CHECKING:
    from suppression.suppress import Suppression


class Method(StrEnum):
    """How secondary cells are searched for."""

    OPTIMAL = "optimal"
    HEURISTIC = "heuristic"


class Cost(StrEnum):
    """What withholding a cell costs."""

    COLUMN = "column"
    UNIT = "unit"
    VALUE = "value"
    LOG = "log"
    FREQUENCY = "frequency"


def suppress_verb(
    release: ReleaseArgument,
    output: Annotated[str, typer.Option("-o", "--output", metavar="OUT.json", help="The protected release; - for stdout.")],
    method: Annotated[Method, typer.Option(help="optimal (cheapest, with a proven gap) or heuristic (fast).")] = Method.OPTIMAL,
    policy: PolicyOption = None,
    status_map: StatusMapOption = None,
    cost: Annotated[Cost, typer.Option(help="What withholding a cell costs.")] = Cost.COLUMN,
    prefer: Annotated[list[str] | None, typer.Option(metavar="VAR=CODE", help="Ten times cheaper; may be repeated.")] = None,
    avoid: Annotated[list[str] | None, typer.Option(metavar="VAR=CODE", help="Ten times dearer; may be repeated.")] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="S", min=0, help="Seconds for the search.")
    ] = None,
    solver: Annotated[str, typer.Option(help="Solver of the master problem: HiGHS, or any that PuLP finds.")] = "HiGHS",
    jobs: Annotated[int, typer.Option("--jobs", metavar="N", min=1, help="Worker processes.")] = 1,
    json: JsonOption = None,
) -> Code:
    """Find the secondary cells to withhold so that every sensitive cell stays protected.

    Writes the protected release, and audits it: exit 0 if it is safe, 1 if not (or if nothing can protect some cell),
    3 if a limit was reached first.

    Example: tableseal suppress release.yaml -o protected.json --json result.json
    """
    targets = {"--output": output, "--json": json}
    check_targets(targets, inputs=(release, policy))
    from audit.execution.processes import local
    from audit.io import canonical_json
    from suppression.costs import Costs
    from suppression.result_json import suppression_json
    from suppression.suppress import suppress

    loaded = release_of(release, policy=policy, status_map=status_map)
    check_targets(targets, inputs=loaded.files)
    with Progress() as progress, local(jobs) as executor:
        result = suppress(
            loaded,
            method=method.value,
            costs=Costs(cost.value, prefer=tuple(prefer or ()), avoid=tuple(avoid or ())),
            solver=solver,
            time_limit=time_limit,
            progress=progress,
            executor=executor,
        )
    if json is not None:
        write_target(json, suppression_json(result))
    if result.release is not None:
        write_target(output, canonical_json(result.release).decode("utf-8"))
    say(_text(result), error=STREAM in (output, json))
    if result.report is None:
        return Code.UNSAFE if result.found.status == "infeasible" else Code.UNDECIDED
    return {"safe": Code.DONE, "unsafe": Code.UNSAFE, "undecided": Code.UNDECIDED}[result.report.verdict]


def _text(result: "Suppression") -> str:
    from audit.linear.naming import full_name

    found, problem = result.found, result.problem
    if found.impossible is not None:
        name = full_name(problem.release, problem.cells, found.impossible.cell)
        return f"Not possible: {name} stays too narrow even with everything withheld that may be."
    if found.pattern is None or result.report is None:
        return "No safe pattern was found in time."
    primary, secondary = int(problem.primary.sum()), int((found.pattern & ~problem.primary).sum())
    cost, bound = (float(Fraction(c, problem.scale)) for c in (found.cost, found.bound))
    lines = [f"{primary:,} sensitive cells, {secondary:,} secondary ones at a cost of {cost:,.10g}."]
    if found.status == "optimal":
        lines.append("No safe pattern is cheaper (proved).")
    elif found.bound:
        lines.append(f"No safe pattern can cost less than {bound:,.10g}: at most {100 * (found.gap or 0):.1f} % to gain.")
    lines.append(f"Audit of the outcome: {result.report.verdict}.")
    return "\n".join(lines)
