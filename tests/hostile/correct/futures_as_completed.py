"""Results are collected as they come, and errors, too."""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait


def fetch(url):
    if url.endswith("bad"):
        raise ValueError(url)
    return len(url)


results, errors = {}, {}
with ThreadPoolExecutor(2) as pool:
    futures = {pool.submit(fetch, url): url for url in ("http://a", "http://bad")}
    done, _ = wait(futures, return_when=FIRST_COMPLETED)
    assert done
    for future in as_completed(futures):
        url = futures[future]
        try:
            results[url] = future.result()
        except ValueError as error:
            errors[url] = str(error)
assert results == {"http://a": 8}
assert errors == {"http://bad": "http://bad"}
