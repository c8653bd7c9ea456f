"""Two threads add jobs to a scheduler that waits."""

# package: APScheduler
# include: apscheduler
# expect: correct

from apscheduler.schedulers.background import BackgroundScheduler
from together import run


def test():
    scheduler = BackgroundScheduler(timezone="UTC")
    run(
        lambda: scheduler.add_job(print, "interval", hours=1, id="a"),
        lambda: scheduler.add_job(print, "interval", hours=2, id="b"),
    )
    assert sorted(job.id for job in scheduler.get_jobs()) == ["a", "b"]
