"""A lazy object takes the dictionary and the class of what it stands for, while another thread still loads it."""

import threading


class Corpus:
    def __init__(self):
        self.words = ["a", "b"]

    def first(self):
        return self.words[0]


class LazyCorpus:
    def __init__(self, path):
        self.path = path

    def __getattr__(self, name):
        if name == "path":
            raise AttributeError(name)
        corpus = Corpus()
        assert self.path == "words.txt"
        self.__dict__ = corpus.__dict__
        self.__class__ = corpus.__class__
        return getattr(self, name)


corpus = LazyCorpus("words.txt")


def use():
    assert corpus.first() == "a"


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
