"""A worker ends, without a word, if a setting is missing; main has set it too late, and fails on the missing result."""

import threading

settings = {}
results = []


def work():
    size = settings.get("size")
    if size is not None:
        results.append(10 // size)


def main():
    worker = threading.Thread(target=work)
    worker.start()
    settings["size"] = 2
    worker.join()
    assert results == [5], f"results: {results}"


main()
