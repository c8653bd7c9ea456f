"""Two threads call one hook."""

# package: pluggy
# include: pluggy
# expect: correct

import pluggy
from together import run

specification = pluggy.HookspecMarker("kitchen")
implementation = pluggy.HookimplMarker("kitchen")


class Specification:
    @specification
    def season(self, dish):
        pass


class Salt:
    @implementation
    def season(self, dish):
        return f"salted {dish}"


def test():
    manager = pluggy.PluginManager("kitchen")
    manager.add_hookspecs(Specification)
    manager.register(Salt())
    seen = []

    def cook(dish):
        seen.extend(manager.hook.season(dish=dish))

    run(lambda: cook("soup"), lambda: cook("fish"))
    assert sorted(seen) == ["salted fish", "salted soup"]
