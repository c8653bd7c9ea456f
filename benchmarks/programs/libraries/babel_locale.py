"""Two threads parse one locale, which is loaded once."""

# package: babel
# include: babel
# expect: correct

from babel import Locale
from together import run


def test():
    seen = []
    run(lambda: seen.append(Locale.parse("de").text_direction), lambda: seen.append(Locale.parse("de").text_direction))
    assert seen == ["ltr", "ltr"]
