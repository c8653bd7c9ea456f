"""A worker dies of a missing setting, which a hook of the program keeps quiet; main fails on the missing result."""

import threading

threading.excepthook = lambda args: None
settings = {}
results = []


def work():
    results.append(10 // settings["size"])


def main():
    worker = threading.Thread(target=work)
    worker.start()
    settings["size"] = 2
    worker.join()
    print(results[0])


main()
