"""Two threads print to one console, whole lines."""

# package: rich
# include: rich
# expect: correct

import io

from rich.console import Console
from together import run


def test():
    stream = io.StringIO()
    console = Console(file=stream, width=20)
    run(lambda: console.print("first"), lambda: console.print("second"))
    assert sorted(stream.getvalue().splitlines()) == ["first", "second"]
