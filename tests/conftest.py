"""How generated programs are drawn: few and always the same by default, many and new ones under ``make test-long``."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)

settings.register_profile(
    "suite", max_examples=150, derandomize=True, deadline=None, database=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=_SLOW_IS_FINE)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
