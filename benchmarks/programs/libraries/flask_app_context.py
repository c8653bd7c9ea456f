"""Each thread has an application context of its own."""

# package: Flask
# include: flask, werkzeug, blinker
# expect: correct

import flask
from together import run


def test():
    app = flask.Flask("shop")
    seen = []

    def work(user):
        with app.app_context():
            flask.g.user = user
            seen.append(flask.g.user)

    run(lambda: work("a"), lambda: work("b"))
    assert sorted(seen) == ["a", "b"]
