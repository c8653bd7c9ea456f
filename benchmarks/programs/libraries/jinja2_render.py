"""Two threads render one template."""

# package: Jinja2
# include: jinja2
# expect: correct

import jinja2
from together import run

template = jinja2.Template("Hi {{ name }}!")


def test():
    seen = []
    run(lambda: seen.append(template.render(name="a")), lambda: seen.append(template.render(name="b")))
    assert sorted(seen) == ["Hi a!", "Hi b!"]
