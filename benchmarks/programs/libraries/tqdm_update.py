"""Two threads report progress to one bar."""

# package: tqdm
# include: tqdm
# expect: bug
# shows: self.n += n

import io

from together import run
from tqdm import tqdm


def test():
    with tqdm(total=2, file=io.StringIO(), mininterval=1e9) as bar:
        run(bar.update, bar.update)
        assert bar.n == 2, bar.n
