"""Two threads look for outdated lines after a source file changed (gh-126775, gh-133253)."""

import linecache
import pathlib
import tempfile
import threading

with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "module.py")
    source.write_text("x = 1\n")
    linecache.clearcache()
    linecache.getlines(str(source))
    source.write_text("x = 12345\n")

    threads = [threading.Thread(target=linecache.checkcache) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
