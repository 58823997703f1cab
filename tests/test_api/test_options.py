"""Every option is declared once: what the command takes, the service, the pages and the documentation take too."""

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
import typer
from asking import WAIT, asked, path_of
from fastapi.testclient import TestClient
from starlette.datastructures import FormData
from typer.testing import CliRunner

from tableseal.api.cli.app import app
from tableseal.api.http.errors import ProblemError
from tableseal.api.http.protections import UNPROTECTED
from tableseal.api.jobs.comparison_kind import ComparisonRequest
from tableseal.api.jobs.kinds import all_kinds
from tableseal.api.options.audit import AuditOptions
from tableseal.api.options.checking import checked
from tableseal.api.options.option import OFF, Option, declared
from tableseal.api.options.request import groups_of, options_of
from tableseal.api.options.sap import SapOptions
from tableseal.api.options.suppress import SuppressOptions
from tableseal.api.options.table import KINDS, names_elsewhere, option_table
from tableseal.api.web.fields import fields_of, filled
from tableseal.audit.errors import InputError

REQUESTS = {verb: all_kinds()[kind].request for verb, kind in KINDS.items()}
OF_THE_COMMAND = {
    *("memory_limit", "jobs", "state", "lang", "json", "risk", "scheduler", "output", "confidential", "best_so_far"),
    *("owner", "database", "data", "policy", "decisions", "last_period", "transition", "upper"),
    *("html of suppress", "html of compare", "explain of audit", "explain of compare", "public of protect"),
}
"""Options that say how and where the command works, or name files, which come as fields of a form over HTTP."""


def parameters(verb: str) -> dict[str, Any]:
    found = typer.main.get_command(app)
    for part in verb.split():
        found = found.commands[part]  # type: ignore[attr-defined]
    return {one.name: one for one in found.params if one.param_type_name == "option"}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with asked(tmp_path_factory.mktemp("service"), worker=False) as opened:
        yield opened


@pytest.mark.parametrize("verb", KINDS)
def test_the_service_has_the_options_of_the_command(verb: str, client: TestClient) -> None:
    """Under the same names, those that switch off included."""
    document = client.get("/openapi.json").json()
    at = {"publication audit": "/v1/publications/{name}/releases", "risk": "/v1/risk", "sap": "/v1/sap"}
    route = document["paths"][at.get(verb, f"/v1/{KINDS.get(verb)}s" if verb != "batch" else "/v1/batches")]["post"]
    taken = {one["name"] for one in route["parameters"] if one["in"] == "query"}
    assert taken == set(names_elsewhere(verb))
    wanted = set()
    for name, one in parameters(verb).items():
        if not {name, f"{name} of {verb}"} & OF_THE_COMMAND:
            wanted |= {written.removeprefix("--").replace("-", "_") for written in (*one.opts, *one.secondary_opts)}
    # (`--with` is `--attacks`, too: a keyword of Python is no name there.)
    assert taken - {"html", "proof"} == wanted - {"html", "proof", "with"}


@pytest.mark.parametrize("verb", KINDS)
def test_what_is_left_out_is_the_same_everywhere(verb: str) -> None:
    request = REQUESTS[verb]
    for group in groups_of(request).values():
        assert filled(request, FormData([]), **needed(request)) == request(**needed(request))
        for one in declared(group):
            if one.option.command:
                default = parameters(verb)[one.name].default
                assert (() if one.several and default is None else default) == one.default, one.name


def needed(request: Any) -> dict[str, str]:
    return {name: "x" for name, field in request.model_fields.items() if field.is_required()}


@pytest.mark.parametrize("verb", KINDS)
def test_a_declaration_says_what_is_needed(verb: str) -> None:
    for one in options_of(REQUESTS[verb]):
        assert one.option.help.endswith("."), one.name
        assert bool(one.option.off) == one.switch, one.name
        assert not one.option.choices or set(one.values) <= set(one.option.choices), one.name
        assert not one.values or fields_of(REQUESTS[verb])[one.name].kind == "choice", one.name


def test_off_and_on(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # CONVENTION 656
    monkeypatch.chdir(tmp_path)
    Path("release.json").write_text(json.dumps(UNPROTECTED), "utf-8")
    methods = "--methods", "optimal,rank"
    for verb, kind, more in (("suppress", "suppressions", ()), ("compare", "comparisons", methods)):
        flag = "insiders" if verb == "suppress" else "margins"
        command = [verb, "release.json", *more, f"--no-{flag}", "--json", "out.json"]
        assert CliRunner().invoke(app, command).exit_code == 0
        for said in (f"no_{flag}=true", f"{flag}=false"):
            query = "&".join([said, *(["methods=optimal,rank"] if more else [])])
            response = client.post(f"/v1/{kind}?{query}", json=UNPROTECTED, headers=WAIT)
            assert response.content == Path("out.json").read_bytes()
        both = client.post(f"/v1/{kind}?no_{flag}=true&{flag}=true", json=UNPROTECTED, headers=WAIT)
        assert (both.status_code, both.json()["parameter"]) == (422, f"no_{flag}")
    rank = client.post("/v1/suppressions?method=rank&no_margins=true&solver=HiGHS", json=UNPROTECTED, headers=WAIT)
    assert rank.status_code == 200
    assert client.get(path_of(rank)).json()["outcome"] == "safe"


def test_an_earlier_version_kept_another_name() -> None:
    kept = {"release": "r.json", "options": {"methods": "rank", "no_margins": True}}
    assert ComparisonRequest.model_validate_json(json.dumps(kept)).options.margins is False


def test_what_is_written_down_is_checked() -> None:
    assert checked(SuppressOptions, {"seed": "3", "no_insiders": True}, who="It") == SuppressOptions(
        seed=3, insiders=False
    )
    for given, said in (
        ({"bounds": "sharp"}, "bounds sharp: expected shuttle, lp or integer."),
        ({"samples": 3}, "samples 3: expected at least 64."),
        ({"bound": "lp"}, 'It has no option "bound" (did you mean "bounds"?); options are bounds, '),
    ):
        with pytest.raises(InputError) as caught:
            checked(AuditOptions, given, who="It")
        assert str(caught.value).startswith(said)


def test_a_form_says_all_that_can_be_said() -> None:
    request = REQUESTS["suppress"]
    form = FormData([
        *(("method", "rank"), ("seed", "7"), ("no_margins", "on"), ("pure", "on"), ("explain", "false")),
        *(("prefer", "size=5\nregion=North East"), ("dominance", "1,85\r\n\r\n 2,95"), ("basis", "integer")),
        *(("symbol", ""), ("time_limit", "2.5"), ("tell_statuses", "on")),
    ])  # fmt: skip
    found = filled(request, form, release="r.json")
    wanted = SuppressOptions(
        method="rank", seed=7, margins=False, pure=True, explain=False, prefer=("size=5", "region=North East"),
        basis="integer", time_limit=2.5,
    )  # fmt: skip
    assert (found.options, found.rules.dominance, found.symbol, found.tell_statuses) == (
        wanted, ("1,85", "2,95"), None, True,
    )  # fmt: skip
    for verb, request in REQUESTS.items():
        assert list(fields_of(request)) == [one.name for one in options_of(request)], verb
    with pytest.raises(ProblemError, match="dominance 85: expected N,K"):
        filled(request, FormData([("dominance", "85")]), **needed(request))


def test_what_a_form_does_not_ask_for_cannot_be_said() -> None:
    """Whoever may audit a release must not publish it by a field that the page does not have."""
    form = FormData([("publish", "on"), ("despite", "because"), ("revises", "1:a"), ("revises", "2:b")])
    found = filled(REQUESTS["publication audit"], form, without=("publish", "despite"), release="r", name="n", by="me")
    assert (found.options.publish, found.options.despite, found.options.revises) == (False, None, ("1:a", "2:b"))


@pytest.mark.parametrize("verb", [*KINDS, "convert", "init", "verify", "serve", "token create"])
def test_the_table_of_the_documentation_has_every_option(verb: str) -> None:
    table = option_table(verb)
    for one in parameters(verb).values():
        for written in (*one.opts, *one.secondary_opts):
            assert any(written in line.split(" | ")[0] for line in table.splitlines()), written
    assert all(line.count(" | ") == 2 for line in table.splitlines())
    assert ("`no_margins`" in table) == (verb in ("suppress", "compare"))


def test_the_names_of_python_are_those_of_the_service() -> None:
    for group in (AuditOptions, SuppressOptions, SapOptions):
        for one in fields(group):
            assert replace(group(), **{one.name: one.default}) == group()
            assert not one.name.startswith(OFF)
    assert isinstance(declared(AuditOptions)[0].option, Option)
