"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# No deadlines: a unit test is never timed. In CI the same examples are drawn every time, elsewhere new ones.
settings.register_profile("local", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")
