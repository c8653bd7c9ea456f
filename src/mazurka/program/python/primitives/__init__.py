"""Models of Python's threading primitives, built on the runtime.

- :func:`install` / :func:`uninstall` put them in place of the real ones, in the whole process;
- :func:`adopt` replaces the primitives that a module of the program already holds;
- :func:`begin` / :func:`end` bracket each run; :func:`finish_main` belongs at the end of the main thread's body,
  :func:`wait_for_all` after it if the caller then looks at the threads that are left.

Outside a run every model behaves like the primitive that it replaces.
"""

from mazurka.program.python.primitives.locks import Lock, RLock
from mazurka.program.python.primitives.patch import adopt, adopt_of_libraries, install, uninstall
from mazurka.program.python.primitives.pools import finish
from mazurka.program.python.primitives.run import begin, end
from mazurka.program.python.primitives.threads import finish_main, wait_for_all
from mazurka.program.python.primitives.wait_loops import finish as check_wait_loops

__all__ = [
    "Lock",
    "RLock",
    "adopt",
    "adopt_of_libraries",
    "begin",
    "check_wait_loops",
    "end",
    "finish",
    "finish_main",
    "install",
    "uninstall",
    "wait_for_all",
]
