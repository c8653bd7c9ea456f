"""Two threads add tokens to one cache, and find them."""

# package: msal
# include: msal
# expect: correct

import msal
from together import run


def test():
    cache = msal.TokenCache()

    def use(scope):
        def body():
            cache.add(
                {
                    "client_id": "app",
                    "scope": [scope],
                    "token_endpoint": "https://login.example.org/tenant/v2/token",
                    "response": {"access_token": scope, "expires_in": 3600, "token_type": "Bearer"},
                },
                now=1000,
            )
            found = list(cache.search(cache.CredentialType.ACCESS_TOKEN, target=[scope], now=1000))
            assert [each["secret"] for each in found] == [scope]

        return body

    run(use("read"), use("write"))
