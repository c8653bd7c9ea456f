"""Two threads count in one cache in memory."""

# package: Django
# include: django
# expect: correct

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from together import run

settings.configure()


def test():
    cache = LocMemCache("counts", {})
    cache.set("n", 0)
    run(lambda: cache.incr("n"), lambda: cache.incr("n"))
    assert cache.get("n") == 2
