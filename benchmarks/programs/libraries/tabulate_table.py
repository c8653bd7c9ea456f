"""Two threads make a table each."""

# package: tabulate
# include: tabulate
# expect: correct

from tabulate import tabulate
from together import run


def test():
    seen = []
    run(
        lambda: seen.append(tabulate([["a"]], tablefmt="plain")),
        lambda: seen.append(tabulate([["b"]], tablefmt="plain")),
    )
    assert sorted(seen) == ["a", "b"]
