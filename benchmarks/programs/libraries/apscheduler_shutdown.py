"""A scheduler is shut down once its job has run."""

# package: APScheduler
# include: apscheduler
# expect: bug
# shows: self.state == STATE_STOPPED

import threading

from apscheduler.schedulers.background import BackgroundScheduler


def test():
    ran = threading.Event()
    scheduler = BackgroundScheduler(timezone="UTC")
    scheduler.add_job(ran.set)
    scheduler.start()
    ran.wait()
    scheduler.shutdown()
