"""Two threads of joblib's pool work on a task each."""

# package: joblib
# include: joblib
# expect: correct

from joblib import Parallel, delayed


def test():
    assert Parallel(n_jobs=2, backend="threading")(delayed(pow)(n, 2) for n in range(2)) == [0, 1]
