"""Two threads render one template."""

# package: Mako
# include: mako
# expect: correct

from mako.template import Template
from together import run

template = Template("Hi ${name}!")


def test():
    seen = []
    run(lambda: seen.append(template.render(name="a")), lambda: seen.append(template.render(name="b")))
    assert sorted(seen) == ["Hi a!", "Hi b!"]
