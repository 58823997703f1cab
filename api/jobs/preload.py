"""What the process from which attempts are copied has loaded."""

import audit.io
import audit.measures.feasible_tables
import audit.pipeline
import audit.report.html  # noqa: F401
from api.jobs.kinds import all_kinds

all_kinds()
