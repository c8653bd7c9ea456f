"""Two threads parse with one grammar, whose action has not been called yet."""

# package: pyparsing
# include: pyparsing
# expect: bug

import pyparsing as pp
from together import run


def test():
    number = pp.Word(pp.nums).set_parse_action(lambda found: int(found[0]))
    total = number + pp.ZeroOrMore(pp.Suppress("+") + number)

    def use(text, expected):
        def body():
            assert sum(total.parse_string(text)) == expected

        return body

    run(use("1+2", 3), use("4 + 5 + 6", 15))
