"""Two threads sign and verify tokens."""

# package: PyJWT
# include: jwt
# expect: correct

import jwt
from together import run


def test():
    key = "k" * 32

    def use(n):
        def body():
            token = jwt.encode({"n": n}, key, algorithm="HS256")
            assert jwt.decode(token, key, algorithms=["HS256"]) == {"n": n}

        return body

    run(use(1), use(2))
