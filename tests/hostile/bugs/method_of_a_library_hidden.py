"""An object of the library gets an attribute that hides a method of its class."""

import configparser
import threading


def run(*functions):
    threads = [threading.Thread(target=each) for each in functions]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


parser = configparser.ConfigParser()
parser.read_string("[s]\nx = 1")


def change():
    parser.optionxform = str.upper


def look():
    assert parser.has_option("s", "x")


run(look, change)
