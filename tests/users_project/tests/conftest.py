import pytest

import depot
from depot import settings


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
