"""Two threads write a status; main takes it for granted that the second one comes last."""

import threading

status = "new"


def report(value):
    global status
    status = value


def main():
    reporters = [threading.Thread(target=report, args=(value,)) for value in ("running", "done")]
    for reporter in reporters:
        reporter.start()
    for reporter in reporters:
        reporter.join()
    assert status == "done", f"status: {status}"


main()
