"""Two threads report progress to bars of their own."""

# package: tqdm
# include: tqdm
# expect: correct

import io

from together import run
from tqdm import tqdm


def test():
    counts = []

    def work(total):
        with tqdm(total=total, file=io.StringIO()) as bar:
            for _ in range(total):
                bar.update()
            counts.append(bar.n)

    run(lambda: work(1), lambda: work(2))
    assert sorted(counts) == [1, 2]
