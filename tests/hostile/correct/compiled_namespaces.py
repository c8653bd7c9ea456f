"""Each thread compiles code, and stores in its namespace a name that no code there reads, and a value that is already
there."""

import threading

lock = threading.Lock()
got = {}


def make(key):
    space = {"key": key, "__file__": ""}
    code = compile("def look():\n    return key\n", f"made {key}", "exec")
    space["__file__"] = code.co_filename
    exec(code, space)
    space["key"] = key
    space["maker"] = make
    with lock:
        got[key] = space["look"]()


threads = [threading.Thread(target=make, args=(each,)) for each in ("a", "b")]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert got == {"a": "a", "b": "b"}
