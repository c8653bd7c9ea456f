"""`python -m mazurka`: the same as the `mazurka` command."""

from __future__ import annotations

from mazurka.cli import main

if __name__ == "__main__":
    main()
