"""All competitors, ours first."""

from cases.benchmarks.competitors.components_glpk import ComponentsGlpk
from cases.benchmarks.competitors.gconfid_audit import GconfidAudit
from cases.benchmarks.competitors.protocol import Competitor
from cases.benchmarks.competitors.pulp_per_cell import PulpPerCell
from cases.benchmarks.competitors.pytauargus_audit import PytauargusAudit
from cases.benchmarks.competitors.tableseal_bounds import TablesealBounds
from cases.benchmarks.competitors.tableseal_file import TablesealFile
from cases.benchmarks.competitors.warm_highs import WarmHighs

COMPETITORS: tuple[Competitor, ...] = (
    TablesealBounds(),
    TablesealBounds(integer=False),
    TablesealFile("tableseal_file", "tableseal: file to report"),
    TablesealFile("tableseal_proof", "tableseal: file to report and proof", proof=True),
    TablesealFile("tableseal_insiders", "tableseal: file to report, insiders too", insiders=True),
    ComponentsGlpk(),
    WarmHighs(),
    PytauargusAudit(),
    GconfidAudit(),
    PulpPerCell("pulp_cbc", "PuLP + CBC per cell", "PULP_CBC_CMD", ("pulp",)),
    PulpPerCell("pulp_highs", "PuLP + HiGHS per cell", "HiGHS", ("pulp", "highspy")),
)
"""In the order of the tables; bounds are compared with those of the first linear program (`REFERENCES`) that ran."""

OURS = "tableseal"
LINEAR = "tableseal_lp"
"""Ours with linear programming bounds only, which is what the others give."""
REFERENCES = ("glpk_components", "highs_warm")

BY_NAME = {competitor.name: competitor for competitor in COMPETITORS}
