"""`ts.publish`: everything that a plan owes, safe together."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tableseal.api.options.option import Option
from tableseal.api.options.publish import OwnedUnderOptions, PublishOptions
from tableseal.api.options.service import StoreOptions
from tableseal.api.publishing.certificate import signing_key
from tableseal.api.publishing.folder import CERTIFICATE, opened
from tableseal.api.publishing.methods import ways_of
from tableseal.api.publishing.publish import Settings
from tableseal.api.publishing.publish import publish as published
from tableseal.api.publishing.summary import PUBLIC_FILES, Published, PublishedCluster, Together, published_text
from tableseal.api.publishing.under import under_name
from tableseal.api.python.keywords import AS_GIVEN, Running, takes
from tableseal.api.python.origin import Origin
from tableseal.api.python.plan import read
from tableseal.api.python.result import Result
from tableseal.api.python.running import telling, working
from tableseal.api.python.to_frame import Column, Texts, Whole
from tableseal.audit.codec.documents import json_of
from tableseal.audit.errors import InputError, OptionName
from tableseal.audit.execution.executor import HERE
from tableseal.audit.progress import silent
from tableseal.audit.wording import a_kind


@dataclass(frozen=True, kw_only=True)
class PublishKeywords(Running, OwnedUnderOptions, PublishOptions):
    """Keywords of `publish`."""

    folder: Annotated[
        "str | os.PathLike[str] | None",
        AS_GIVEN,
        Option("Folder of the results: a new or an empty one, or one in which this was begun."),
    ] = None
    sign: Annotated[str | None, Option("Private key (Ed25519, PEM, no password) that signs the certificate.")] = None


@dataclass(frozen=True, repr=False, eq=False)
class PublishResult(Result):
    """What came out for every cluster of a plan. The tables are in `folder`, below `public` what may go out.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> home = Path(tempfile.mkdtemp())
    >>> _ = (home / "plan.json").write_text(json.dumps({
    ...     "tableseal-plan": 1,
    ...     "measures": {"firms": {"kind": "count"}},
    ...     "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
    ...     "tables": [{"name": "firms", "measure": "firms", "by": ["region"]}],
    ...     "microdata": {"cells": {"region": ["N"] * 5 + ["S"] * 9 + ["W"] * 7}},
    ...     "policy": {"primary": [{"threshold": 3}]},
    ... }))
    >>> found = ts.publish(home / "plan.json", folder=home / "out")
    >>> found
    PublishResult(verdict='safe', called='safe', clusters=1, safe=1)
    >>> sorted(path.name for path in found.public)
    ['firms.yaml', 'firms_firms.csv']
    """

    published: Published
    folder: Path

    @property
    def verdict(self) -> str:
        """Of the worst cluster, and of all together: safe, unsafe, undecided or failed."""
        return self.published.verdict

    @property
    def called(self) -> str:
        """What the verdict is called (see `AuditResult.called`)."""
        return self.published.word

    @property
    def clusters(self) -> tuple[PublishedCluster, ...]:
        """In the order of the plan."""
        return self.published.clusters

    @property
    def together(self) -> Together | None:
        """Beside what was published before under the name; None: there was no name, or some cluster is not safe."""
        return self.published.together

    @property
    def public(self) -> tuple[Path, ...]:
        """Files that may go out."""
        return tuple(self.folder / f for one in self.clusters for f in one.files if f.startswith(PUBLIC_FILES))

    @property
    def certificate(self) -> Path:
        """The certificate of the publication."""
        return self.folder / CERTIFICATE

    def to_json(self) -> str:
        """The result as JSON text, schema tableseal/published/1."""
        return json_of(self.published)

    def text(self) -> str:
        """The result in words."""
        return published_text(self.published)

    def figures(self) -> Mapping[str, object]:
        """See `Result`."""
        safe = sum(cluster.verdict == "safe" for cluster in self.clusters)
        return {"verdict": self.verdict, "called": self.called, "clusters": len(self.clusters), "safe": safe}

    def columns(self) -> Mapping[str, Column]:
        """A row for each cluster."""
        return {
            "cluster": Texts([one.name for one in self.clusters]),
            "verdict": Texts([one.verdict for one in self.clusters]),
            "cells": Whole([one.cells for one in self.clusters]),
            "primary": Whole([one.primary for one in self.clusters]),
            "secondary": Whole([one.secondary for one in self.clusters]),
            "status": Texts([one.status for one in self.clusters]),
        }


@takes(PublishKeywords)
def publish(data: object, keywords: PublishKeywords) -> PublishResult:
    """Tabulate, protect and audit everything that a plan owes, cluster by cluster, and write it.

    Done again, it goes on where it was stopped, and does again only what has changed.

    Parameters
    ----------
    data: path (str or Path) of a plan, or a plan document (dict, with DataFrames for `cells` if you like).
    {keywords}

    Raises
    ------
    InputError: a plan that cannot be used, a folder that holds something else.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> home = Path(tempfile.mkdtemp())
    >>> _ = (home / "plan.json").write_text(json.dumps({
    ...     "tableseal-plan": 1,
    ...     "measures": {"firms": {"kind": "count"}},
    ...     "variables": {"region": {"total": "T", "codes": ["N", "S", "W"]}},
    ...     "tables": [{"name": "firms", "measure": "firms", "by": ["region"]}],
    ...     "microdata": {"cells": {"region": ["N"] * 1 + ["S"] * 9 + ["W"] * 7}},
    ...     "policy": {"primary": [{"threshold": 3}]},
    ... }))
    >>> ts.publish(home / "plan.json", folder=home / "out").to_frame("polars").rows()
    [('firms', 'safe', 4, 1, 1, 'optimal')]
    """
    folder = _folder_of(keywords.folder)
    if isinstance(data, str | os.PathLike) and folder.resolve() == Path(data).expanduser().resolve().parent:
        raise InputError("this folder holds the plan; choose another one.", at=OptionName("folder", str(folder)))
    plan = read(data, "the path of a plan, or a plan document (a dict)")
    ways_of(plan, keywords.search())
    key = None if keywords.sign is None else signing_key(keywords.sign)
    with (
        under_name(keywords, keywords.time_limit, StoreOptions(), "Python") as under,
        opened(folder) as results,
        telling(keywords) as progress,
        working(keywords) as executor,
    ):
        settings = Settings(keywords.search(), keywords.proof, key, under=under)
        found = published(
            plan, results, settings, executor=executor, within=executor is not HERE, progress=progress or silent
        )
    return PublishResult(Origin(inputs=plan.files), found, folder)


def _folder_of(folder: object) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise InputError(found=a_kind(folder), expected="the path of a folder for the results", at=OptionName("folder"))
    return Path(folder).expanduser()
