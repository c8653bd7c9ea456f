"""A message carries the context of its own thread."""

# package: loguru
# include: loguru
# expect: correct

from loguru import logger
from together import run


def test():
    seen = []
    logger.remove()
    number = logger.add(lambda message: seen.append(message.record["extra"]["user"]), format="{message}")

    def work(user):
        with logger.contextualize(user=user):
            logger.info("hi")

    run(lambda: work("a"), lambda: work("b"))
    logger.remove(number)
    assert sorted(seen) == ["a", "b"]
