"""Two threads add to a log; main takes it for granted that they do in the order of their start."""

import threading

log = []


def note(what):
    log.append(what)


def main():
    noting = [threading.Thread(target=note, args=(what,)) for what in ("opened", "closed")]
    for thread in noting:
        thread.start()
    for thread in noting:
        thread.join()
    assert log == ["opened", "closed"], f"log: {log}"


main()
