"""A lazy object becomes what it stands for while another thread still loads it. After a report about nltk."""

import threading


class Corpus:
    def __init__(self):
        self.words = ["a", "b"]

    def first(self):
        return self.words[0]


class LazyCorpus:
    def __init__(self, name):
        self.name = name

    def __getattr__(self, attribute):
        if attribute == "name":
            raise AttributeError(attribute)
        corpus = Corpus()
        print(f"loaded {self.name}")
        self.__dict__ = corpus.__dict__
        self.__class__ = corpus.__class__
        return getattr(self, attribute)


corpus = LazyCorpus("words")


def use():
    assert corpus.first() == "a"


threads = [threading.Thread(target=use) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
