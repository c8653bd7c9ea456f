"""Text written while another thread flushes the file in order to close it is lost without an error."""

import tempfile
import threading
from pathlib import Path

path = Path(tempfile.mkdtemp(), "notes")
file = path.open("w")
file.write("a")
failed = []


def write():
    try:
        file.write("b")
    except ValueError:
        failed.append(file)


threads = [threading.Thread(target=file.close), threading.Thread(target=write)]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert failed or path.read_text() == "ab"
