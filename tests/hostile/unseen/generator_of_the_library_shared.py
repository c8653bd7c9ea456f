"""Two threads drive one generator of the library, which is not instrumented at first."""

import io
import threading
import tokenize

tokens = tokenize.generate_tokens(io.StringIO("a + b").readline)
seen = []


def take():
    seen.append(next(tokens).string)


threads = [threading.Thread(target=take) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert sorted(seen) == ["+", "a"]
