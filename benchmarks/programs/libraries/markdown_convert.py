"""Two threads with a converter of their own."""

# package: Markdown
# include: markdown, html.parser
# expect: correct

import markdown
from together import run


def test():
    seen = []
    run(lambda: seen.append(markdown.markdown("*a*")), lambda: seen.append(markdown.markdown("*b*")))
    assert sorted(seen) == ["<p><em>a</em></p>", "<p><em>b</em></p>"]
