"""Two threads write files of their own into a filesystem in memory."""

# package: fsspec
# include: fsspec
# expect: correct

import fsspec
from together import run


def test():
    files = fsspec.filesystem("memory")

    def use(name):
        def body():
            files.pipe(f"/{name}", name.encode())
            assert files.cat(f"/{name}") == name.encode()

        return body

    run(use("a"), use("b"))
    assert sorted(files.ls("/", detail=False)) == ["/a", "/b"]
    files.rm("/a")
    files.rm("/b")
