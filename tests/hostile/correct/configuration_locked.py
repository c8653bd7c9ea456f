"""A configuration, whose sections show parts of it."""

import configparser
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


settings = configparser.ConfigParser()
settings.read_string("[s]\na = 1\n")
lock = threading.Lock()


def set_b():
    with lock:
        settings["s"]["b"] = "2"


def get_a():
    with lock:
        assert settings.getint("s", "a") == 1


run(set_b, get_a)
assert dict(settings["s"]) == {"a": "1", "b": "2"}
