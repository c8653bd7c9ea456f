import hypothesis
import pytest

import depot
from depot import settings

hypothesis.settings.register_profile("ci", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("ci")


@pytest.fixture(scope="session")
def catalogue():
    return {"tea": 3, "coffee": 5}


@pytest.fixture(autouse=True)
def _no_settings_of_other_tests():
    yield
    settings.forget()


@pytest.fixture
def shelf():
    shelf = depot.Shelf("left")
    yield shelf
    assert not shelf.lock.locked()


@pytest.fixture
def accounts():
    return depot.Account(10), depot.Account(10)
