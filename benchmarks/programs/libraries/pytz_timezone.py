"""Two threads ask for one time zone."""

# package: pytz
# include: pytz
# expect: correct

import pytz
from together import run


def test():
    seen = []
    run(lambda: seen.append(pytz.timezone("Europe/Berlin")), lambda: seen.append(pytz.timezone("Europe/Berlin")))
    assert str(seen[0]) == str(seen[1]) == "Europe/Berlin"
