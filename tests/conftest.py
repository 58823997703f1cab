"""Settings for all tests: the suite is the same every time, and `do.py soak` is where randomness belongs."""

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# No deadlines: a unit test is never timed. Nothing is remembered from one run to the next.
settings.register_profile(
    "same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True, database=None
)
settings.register_profile("soak", parent=settings.get_profile("same"), derandomize=False)
settings.load_profile("same")

# Hypothesis also tries constants that it finds in the code of whatever modules are loaded: in a run of all tests others
# than in that of one file.
providers._get_local_constants = lambda: providers._local_constants
