"""Two threads build addresses from one map that has not been used before."""

# package: Werkzeug
# include: werkzeug
# expect: correct

from together import run
from werkzeug.routing import Map, Rule


def test():
    urls = Map([Rule("/", endpoint="index"), Rule("/<int:number>", endpoint="page")]).bind("host")
    built = []
    run(lambda: built.append(urls.build("page", {"number": 1})), lambda: built.append(urls.build("index")))
    assert sorted(built) == ["/", "/1"]
