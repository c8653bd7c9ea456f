"""A thread's calculations set flags of its context, which another thread looks at."""

import decimal
import threading

context = decimal.getcontext()
one, three = decimal.Decimal(1), decimal.Decimal(3)
seen = []

thread = threading.Thread(target=lambda: seen.append(context.flags[decimal.Inexact]))
thread.start()
assert one / three < one
thread.join()
assert seen == [False]
