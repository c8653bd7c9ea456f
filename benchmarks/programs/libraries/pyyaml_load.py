"""Two threads read and write documents of their own."""

# package: PyYAML
# include: yaml
# expect: correct

import yaml
from together import run


def test():
    def use(n):
        def body():
            text = yaml.safe_dump({"n": n, "list": [1, 2]})
            assert yaml.safe_load(text) == {"n": n, "list": [1, 2]}

        return body

    run(use(1), use(2))
