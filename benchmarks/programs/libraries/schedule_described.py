"""Two threads run the pending jobs one after the other, and log each: a job that cancels itself runs once."""

# package: schedule
# include: schedule
# expect: correct

import datetime
import threading

import schedule
from together import run


def test():
    runs, lock, scheduler = [], threading.Lock(), schedule.Scheduler()

    def once():
        runs.append(1)
        return schedule.CancelJob

    scheduler.every().second.do(once).next_run = datetime.datetime.now()

    def work():
        with lock:
            scheduler.run_pending()

    run(work, work)
    assert runs == [1]
