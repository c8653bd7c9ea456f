"""Two threads get one template that is not compiled yet."""

# package: Jinja2
# include: jinja2
# expect: correct

import jinja2
from together import run


def test():
    environment = jinja2.Environment(loader=jinja2.DictLoader({"page": "Hi"}))
    seen = []
    run(
        lambda: seen.append(environment.get_template("page").render()),
        lambda: seen.append(environment.get_template("page").render()),
    )
    assert seen == ["Hi", "Hi"]
