"""Two threads parse and write documents of their own."""

# package: tomlkit
# include: tomlkit
# expect: correct

import tomlkit
from together import run


def test():
    def use(n):
        def body():
            document = tomlkit.parse(f"n = {n}\n[t]\nx = [1, 2]\n")
            document["n"] += 1
            assert tomlkit.dumps(document).startswith(f"n = {n + 1}")

        return body

    run(use(1), use(5))
