"""The result of a cached function is stored after its last step, and others may look it up in between."""

import functools
import threading

done = False


@functools.cache
def f():
    global done
    v = object()
    done = True
    return v


a = []


def first():
    a.append(f())


def second():
    if done:
        v = f()
        assert f() is v
        a.append(v)


ts = [threading.Thread(target=first), threading.Thread(target=second)]
[t.start() for t in ts]
[t.join() for t in ts]
assert len(set(map(id, a))) <= 1, "computed twice"
