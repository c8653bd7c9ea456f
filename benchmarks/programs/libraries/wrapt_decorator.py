"""Two threads call a decorated function, by C."""

# package: wrapt
# include: wrapt
# expect: correct

import wrapt
from together import run


@wrapt.decorator
def doubled(wrapped, instance, arguments, keywords):
    return 2 * wrapped(*arguments, **keywords)


@doubled
def length(text):
    return len(text)


def test():
    seen = []
    run(lambda: seen.append(length("a")), lambda: seen.append(length("bb")))
    assert sorted(seen) == [2, 4]
