"""Two threads advance one task."""

# package: rich
# include: rich
# expect: correct

import io

from rich.console import Console
from rich.progress import Progress
from together import run


def test():
    progress = Progress(console=Console(file=io.StringIO()), auto_refresh=False)
    task = progress.add_task("work", total=2)
    run(lambda: progress.advance(task), lambda: progress.advance(task))
    assert progress.finished
