"""The current context is that of the thread."""

# package: click
# include: click
# expect: correct

import click
from together import run


def test():
    seen = []

    def work(name):
        with click.Context(click.Command(name)):
            seen.append(click.get_current_context().info_name or click.get_current_context().command.name)

    run(lambda: work("a"), lambda: work("b"))
    assert sorted(seen) == ["a", "b"]
