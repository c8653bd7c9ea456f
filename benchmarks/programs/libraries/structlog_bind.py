"""Loggers bound in two threads keep their own values."""

# package: structlog
# include: structlog
# expect: correct

import structlog
from structlog.testing import LogCapture
from together import run


def test():
    captured = LogCapture()
    logger = structlog.wrap_logger(None, processors=[captured])
    run(lambda: logger.bind(user="a").info("hi"), lambda: logger.bind(user="b").info("hi"))
    assert sorted(each["user"] for each in captured.entries) == ["a", "b"]
