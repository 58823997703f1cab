"""What can an intruder work out from the tables we are about to publish, and what must we withhold so that they cannot?

    import tableseal as ts

    found = ts.audit(frame, value="persons", status="status")   # what can be worked out
    found.to_frame()                                            # cell by cell, with the arithmetic
    safe = ts.suppress(frame, value="persons", threshold=5)     # what to withhold besides
    safe.save("protected.csv")

Tables are a path (str or Path), a release document (dict), a Release, or a DataFrame of pandas, polars or pyarrow.

    read        tables, whatever they come as
    audit       what an intruder can work out
    suppress    what else to withhold, and the audit of that
    protect     change values (rounding), and the audit of what is left
    compare     methods of protection side by side
    reconstruct what several tables of small areas give away together
    risk        disclosure risk of a whole table
    tabulate    tables from microdata
    hypercube   a large table from which any table is made
    tables      tables of it that users ask for, given or refused
    hypercube_attack which counts come back of all that users may ask
    plan        which tables of a publication hang together
    publish     all of them safe together
    convert     PC-Axis, JSON-stat, SDMX-CSV, and what is lost there
    sap         how likely subtracting known units recovers a zero
    attack      which true counts come back of changed ones
    verify      check the proof of an audit

The folders `audit`, `suppression` and `api` beside this one are its packages: the links here make them one import name
in a working copy, the wheel has them in its own folder. Names are loaded when they are first used.
"""

import textwrap
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tableseal import audit as _audit
from tableseal.audit.doors import opener

if TYPE_CHECKING:
    from tableseal.api.python.attack import AttackResult, attack
    from tableseal.api.python.audit import AuditResult, audit
    from tableseal.api.python.compare import CompareResult, compare
    from tableseal.api.python.convert import ConvertResult, convert
    from tableseal.api.python.hypercube import HypercubeResult, hypercube
    from tableseal.api.python.hypercube_attack import HypercubeAttackResult, hypercube_attack
    from tableseal.api.python.plan import PlanResult, plan
    from tableseal.api.python.protect import ProtectResult, protect
    from tableseal.api.python.publish import PublishResult, publish
    from tableseal.api.python.read import read
    from tableseal.api.python.reconstruct import ReconstructResult, reconstruct
    from tableseal.api.python.risk import RiskResult, risk
    from tableseal.api.python.sap import SapResult, sap
    from tableseal.api.python.suppress import SuppressResult, suppress
    from tableseal.api.python.tables import TablesResult, tables
    from tableseal.api.python.tabulate import TabulateResult, tabulate
    from tableseal.api.python.verify import VerifyResult, verify
    from tableseal.audit.errors import AdditivityError, ContradictionError, InputError, LimitError, TablesealError
    from tableseal.audit.model import Policy, Release

    __version__: str

__all__ = [
    "AdditivityError",
    "AttackResult",
    "AuditResult",
    "CompareResult",
    "ContradictionError",
    "ConvertResult",
    "HypercubeAttackResult",
    "HypercubeResult",
    "InputError",
    "LimitError",
    "PlanResult",
    "Policy",
    "ProtectResult",
    "PublishResult",
    "ReconstructResult",
    "Release",
    "RiskResult",
    "SapResult",
    "SuppressResult",
    "TablesResult",
    "TablesealError",
    "TabulateResult",
    "VerifyResult",
    "__version__",
    "attack",
    "audit",
    "compare",
    "convert",
    "hypercube",
    "hypercube_attack",
    "plan",
    "protect",
    "publish",
    "read",
    "reconstruct",
    "risk",
    "sap",
    "suppress",
    "tables",
    "tabulate",
    "verify",
]

_opened = opener(
    __name__,
    {
        "api.python.attack": ("AttackResult", "attack"),
        "api.python.audit": ("AuditResult",),
        "api.python.compare": ("CompareResult", "compare"),
        "api.python.convert": ("ConvertResult", "convert"),
        "api.python.hypercube": ("HypercubeResult", "hypercube"),
        "api.python.hypercube_attack": ("HypercubeAttackResult", "hypercube_attack"),
        "api.python.plan": ("PlanResult", "plan"),
        "api.python.protect": ("ProtectResult", "protect"),
        "api.python.publish": ("PublishResult", "publish"),
        "api.python.read": ("read",),
        "api.python.reconstruct": ("ReconstructResult", "reconstruct"),
        "api.python.risk": ("RiskResult", "risk"),
        "api.python.sap": ("SapResult", "sap"),
        "api.python.suppress": ("SuppressResult", "suppress"),
        "api.python.tables": ("TablesResult", "tables"),
        "api.python.tabulate": ("TabulateResult", "tabulate"),
        "api.python.verify": ("VerifyResult", "verify"),
        "audit.errors": ("AdditivityError", "ContradictionError", "InputError", "LimitError", "TablesealError"),
        "audit.model": ("Policy", "Release"),
    },
)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from tableseal.audit.version import engine_version

        return engine_version()
    return _opened(name)


def __dir__() -> list[str]:
    return list(__all__)


class _Package(ModuleType):
    """The package `tableseal.audit`, which is the function of the door, too: `ts.audit(...)`."""

    def __call__(self, *data: Any, **keywords: Any) -> Any:
        return self._function(*data, **keywords)

    @property
    def _function(self) -> Any:
        from tableseal.api.python.audit import audit

        return audit

    @property
    def __signature__(self) -> Any:
        return self._function.__signature__

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        summary, _, more = self._function.__doc__.partition("\n")
        named = [f"{p.name}={p.default!r}" for p in self.__signature__.parameters.values() if p.kind == p.KEYWORD_ONLY]
        call = textwrap.fill(f"audit(data, *, {', '.join(named)})", 100, subsequent_indent=" " * len("audit("))
        return f"{summary}\n\n{call}\n{more}"


if isinstance(_audit, ModuleType):  # for the type checker it is the function
    _audit.__class__ = _Package
