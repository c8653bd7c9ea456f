"""How generated programs are drawn: few and always the same by default, many and new ones under ``make test-long``.

That also runs what is marked ``long``. What is marked ``slow`` runs first, so that no process has it left when the
others have ended.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

_SLOW_IS_FINE = (HealthCheck.too_slow, HealthCheck.data_too_large)
_PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "suite")

settings.register_profile(
    "suite", max_examples=100, derandomize=True, deadline=None, database=None, suppress_health_check=_SLOW_IS_FINE
)
settings.register_profile("long", max_examples=3000, deadline=None, suppress_health_check=_SLOW_IS_FINE)
settings.load_profile(_PROFILE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    long = [item for item in items if _PROFILE != "long" and item.get_closest_marker("long")]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
