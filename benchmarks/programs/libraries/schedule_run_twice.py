"""Two threads run the pending jobs: a job that cancels itself runs once, a user expects."""

# package: schedule
# include: schedule
# expect: bug
# shows: runs.append(1)

import datetime

import schedule
from together import run


def test():
    runs, scheduler = [], schedule.Scheduler()

    def once():
        runs.append(1)
        return schedule.CancelJob

    scheduler.every().second.do(once).next_run = datetime.datetime.now()
    run(scheduler.run_pending, scheduler.run_pending)
    assert runs == [1]
