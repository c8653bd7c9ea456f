"""A trace is written whole or not at all, whatever happens to the disk."""

from __future__ import annotations

import resource
import subprocess


def test_disk_that_fills(shell) -> None:
    """As if it did: no file may grow beyond 64 KiB."""
    shell.write("large.std", "".join(f"T0|w(a_variable_{number * 7919})|{number}\n" for number in range(20_000)))
    for out in ("large.csv", "large.parquet"):
        done = subprocess.run(
            shell.command("mazurka", "convert", "large.std", out),
            cwd=shell.folder,
            env=shell.variables(),
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)),
        )
        assert (done.returncode, "mazurka explain trace-unwritable" in done.stderr) == (2, True), done.stderr
        assert sorted(path.name for path in shell.folder.iterdir()) == ["large.std"]
