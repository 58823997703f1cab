"""How each cluster of a plan is protected: by withholding cells, or by a method that changes values."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any

from tableseal.api.options.checking import checked
from tableseal.api.options.option import declared
from tableseal.api.options.protect import ProtectOptions
from tableseal.api.options.suppress import METHODS, SuppressOptions
from tableseal.api.protecting import chosen_settings
from tableseal.api.suppressing import chosen_search
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.yaml_text import Document
from tableseal.audit.plans.clusters import Cluster
from tableseal.audit.plans.document import MethodDocument
from tableseal.audit.plans.read import Plan
from tableseal.audit.wording import quoted, suggestion
from tableseal.suppression.protections.names import WORDS

Way = SuppressOptions | ProtectOptions
"""How something is protected."""


def ways_of(plan: Plan, options: SuppressOptions) -> Mapping[str, Way]:
    """Name of each cluster -> how it is protected. options: where the plan does not say it.

    Raises
    ------
    InputError: an unknown method, a setting that is none of it, one that it needs; a bare list of tables.
    """
    if plan.document is None:
        raise InputError("is a list of tables; a plan file says besides what they are made of.", at=Place(plan.source))
    return {cluster.name: _way(plan, cluster, options) for cluster in plan.clusters}


def _way(plan: Plan, cluster: Cluster, options: SuppressOptions) -> Way:
    document = plan.document
    assert document is not None
    top = Place(plan.source)
    said = _Said(document.method, dict(document.settings), document.seed, document.time_limit, top)
    own = document.clusters.get(cluster.name)
    if own is None or own.method is None:
        said = _of_tables(plan, cluster, said)
    if own is not None:
        said = said.unless(own, top / "clusters" / cluster.name)
    seconds = options.time_limit if said.time_limit is None else float(said.time_limit)
    if said.method is None or said.method in METHODS or said.method not in WORDS:
        found = replace(options, time_limit=seconds, seed=options.seed if said.seed is None else int(said.seed))
        found = found if said.method is None else replace(found, method=said.method)
        if said.settings:
            raise InputError("are for methods that change values (`protect`).", at=said.where / "settings")
        if found.method not in METHODS:
            _refuse_method(found.method, said.where / "method")
        chosen_search(found)
        if document.near_previous is not None:
            found = replace(found, near_previous=document.near_previous)
        return found
    given = {"method": said.method, "time_limit": seconds, "seed": 0 if said.seed is None else int(said.seed)}
    try:
        changing = checked(ProtectOptions, {**_as_options(said.settings), **given}, who=said.method, called="setting")
        chosen_settings(changing)
    except InputError as error:
        raise InputError(error.words(), at=said.where / "settings") from None
    return changing


@dataclass(frozen=True)
class _Said:
    """What is said of a method. where: that it was named."""

    method: str | None
    settings: Mapping[str, Document]
    seed: int | None
    time_limit: Fraction | None
    where: Place = field(compare=False)

    def unless(self, own: MethodDocument, where: Place) -> "_Said":
        """The same where the part that `own` is of says nothing else: settings are those of a method that it names, or
        are added."""
        return _Said(
            own.method or self.method,
            dict(own.settings) if own.method else {**self.settings, **own.settings},
            self.seed if own.seed is None else own.seed,
            self.time_limit if own.time_limit is None else own.time_limit,
            where if own.method or own.settings else self.where,
        )


def _of_tables(plan: Plan, cluster: Cluster, usual: _Said) -> _Said:
    """What the tables of a cluster say of its method: all of them the same, as they are one system."""
    said = [
        (t.name, usual if t.name not in plan.methods else usual.unless(plan.methods[t.name], t.where))
        for t in cluster.tables
    ]
    first, found = said[0]
    for name, other in said:
        if other != found:
            text = (
                f"tables {quoted(first)} and {quoted(name)} hang together and are protected as one, but "
                f"{_in_words(first, found)} and {_in_words(name, other)}. Say one method for the cluster, in "
                f"`clusters: {{{cluster.name}: {{method: ...}}}}`."
            )
            raise InputError(text, at=other.where)
    return found


def _in_words(table: str, said: _Said) -> str:
    settings = ", ".join(f"{name} {value}" for name, value in said.settings.items())
    more = [settings, "" if said.seed is None else f"seed {said.seed}"]
    more += ["" if said.time_limit is None else f"time limit {float(said.time_limit):g}"]
    told = "; ".join(filter(None, more))
    method = "the usual method" if said.method is None else said.method
    return f"{quoted(table)} asks for {method}{f' ({told})' if told else ''}"


def _refuse_method(method: str, where: Place) -> None:
    known = (*METHODS, *WORDS)
    text = f"there is no method {quoted(method)}{suggestion(method, known)}; methods are {', '.join(known)}."
    raise InputError(text, at=where)


def _as_options(settings: Mapping[str, Document]) -> dict[str, Any]:
    """Settings as a plan has them (text, lists) in the form of options; of several values one may stand by itself."""
    several = {one.name for one in declared(ProtectOptions) if one.several}

    def value(name: str, said: Document) -> Any:
        return tuple(said) if isinstance(said, list) else (said,) if name in several else said

    return {(at := name.replace("-", "_")): value(at, said) for name, said in settings.items()}


def way_document(way: Way) -> dict[str, Any]:
    """All that the result depends on: what is said, and by which kind of method."""
    return {"kind": type(way).__name__, **asdict(way)}
