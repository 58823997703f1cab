"""How each cluster of a plan is protected: by withholding cells, or by a method that changes values."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from tableseal.api.options.checking import checked
from tableseal.api.options.protect import ProtectOptions
from tableseal.api.options.suppress import METHODS, SuppressOptions
from tableseal.api.protecting import chosen_settings
from tableseal.api.suppressing import chosen_search
from tableseal.audit.errors import InputError, Place
from tableseal.audit.io.yaml_text import Document
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
    return {cluster.name: _way(plan, cluster.name, options) for cluster in plan.clusters}


def _way(plan: Plan, name: str, options: SuppressOptions) -> Way:
    document = plan.document
    assert document is not None
    own, top = document.clusters.get(name), Place(plan.source)
    here = top / "clusters" / name
    said = None if own is None else own.method
    method, where = (document.method, top) if said is None else (said, here)
    limit = (None if own is None else own.time_limit) or document.time_limit
    seconds = options.time_limit if limit is None else float(limit)
    seed = document.seed if own is None or own.seed is None else own.seed
    settings = dict(document.settings) if where is top else {}
    settings |= {} if own is None else own.settings
    if method is None or method in METHODS or method not in WORDS:
        found = replace(options, time_limit=seconds, seed=options.seed if seed is None else int(seed))
        found = found if method is None else replace(found, method=method)
        if settings:
            raise InputError("are for methods that change values (`protect`).", at=where / "settings")
        if found.method not in METHODS:
            _refuse_method(found.method, where / "method")
        chosen_search(found)
        if document.near_previous is not None:
            found = replace(found, near_previous=document.near_previous)
        return found
    given = {"method": method, "time_limit": seconds, "seed": 0 if seed is None else int(seed)}
    try:
        changing = checked(ProtectOptions, {**_as_options(settings), **given}, who=method, called="setting")
        chosen_settings(changing)
    except InputError as error:
        raise InputError(error.words(), at=where / "settings") from None
    return changing


def _refuse_method(method: str, where: Place) -> None:
    known = (*METHODS, *WORDS)
    text = f"there is no method {quoted(method)}{suggestion(method, known)}; methods are {', '.join(known)}."
    raise InputError(text, at=where)


def _as_options(settings: Mapping[str, Document]) -> dict[str, Any]:
    """Settings as a plan has them (text, lists) in the form of options."""
    return {
        name.replace("-", "_"): tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }


def way_document(way: Way) -> dict[str, Any]:
    """All that the result depends on: what is said, and by which kind of method."""
    return {"kind": type(way).__name__, **asdict(way)}
