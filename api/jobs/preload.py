"""What the process from which attempts are copied has loaded."""

import api.jobs.audit_kind
import audit.pipeline  # noqa: F401

_KINDS = api.jobs.audit_kind.KIND
