"""Two threads add jobs to one scheduler."""

# package: schedule
# include: schedule
# expect: correct

import schedule
from together import run


def test():
    scheduler = schedule.Scheduler()
    run(lambda: scheduler.every(5).minutes.do(print), lambda: scheduler.every(7).minutes.do(print))
    assert sorted(job.interval for job in scheduler.get_jobs()) == [5, 7]
