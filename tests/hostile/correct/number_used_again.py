"""The number of a closed descriptor is given to a device, which no file of the program is."""

import os
import tempfile
import threading

folder = tempfile.mkdtemp()


def use(name):
    os.close(os.open(os.path.join(folder, name), os.O_RDWR | os.O_CREAT))
    device = os.open("/dev/null", os.O_WRONLY)
    assert os.write(device, b"text") == 4
    os.fstat(device)
    os.close(device)


threads = [threading.Thread(target=use, args=(name,)) for name in ("one", "two")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
