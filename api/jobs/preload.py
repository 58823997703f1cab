"""What the process from which attempts are copied has loaded."""

import scipy.sparse.csgraph  # noqa: F401

import audit.io
import audit.measures.feasible_tables
import audit.measures.sap.requirement
import audit.pipeline
import audit.report.html
import audit.solvers.highs_models  # noqa: F401
from api.jobs.kinds import all_kinds

all_kinds()
