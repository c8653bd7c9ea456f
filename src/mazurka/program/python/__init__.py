"""The front end for programs in Python.

Nothing can be explored once another library's green threads have taken the place of `threading`: its models are made of
the real one when they are imported, so this is refused here.
"""

import sys

from mazurka.errors import UsageError

if vars(sys.modules.get("gevent.monkey", sys)).get("saved") or vars(sys.modules.get("eventlet.patcher", sys)).get(
    "already_patched"
):
    raise UsageError(
        "patched-threading",
        "gevent or eventlet has taken the place of threading in this process, so no threads can be explored",
        hint="leave out the call of gevent.monkey.patch_all() or eventlet.monkey_patch() in a check",
    )
