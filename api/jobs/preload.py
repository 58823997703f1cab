"""What the process from which attempts are copied has loaded."""

import scipy.sparse.csgraph  # noqa: F401

import tableseal.audit.io
import tableseal.audit.measures.feasible_tables
import tableseal.audit.measures.sap.requirement
import tableseal.audit.pipeline
import tableseal.audit.report.html
import tableseal.audit.solvers.highs_models  # noqa: F401
from tableseal.api.jobs.kinds import all_kinds
from tableseal.audit.language import learn

all_kinds()
learn()
